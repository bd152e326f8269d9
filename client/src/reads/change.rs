//! What a write changed in a list, where its answer says all of it.
//!
//! Only [`super::Reads`] uses it. Bringing a change in twice, or into a list that shows it already,
//! changes nothing.

use terdut_core::api::{Reply, Request, Switch};
use terdut_core::ids::SwitchId;

/// One change of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Made(Switch),
    Removed(SwitchId),
}

impl Change {
    /// Whether the answer to a request can be one.
    pub(super) fn may_come_of(request: &Request) -> bool {
        matches!(request, Request::CreateSwitch { .. } | Request::DeleteSwitch { .. })
    }

    /// What a request changed, if its answer says so.
    pub(super) fn of(request: &Request, reply: &Reply) -> Option<Self> {
        match (request, reply) {
            (Request::CreateSwitch { .. }, Reply::Switch(made)) => Some(Self::Made(made.clone())),
            (Request::DeleteSwitch { switch, .. }, Reply::Done) => Some(Self::Removed(*switch)),
            _ => None,
        }
    }

    /// The list with it.
    pub(super) fn onto(&self, list: Reply) -> Reply {
        let Reply::Switches(switches) = &list else { return list };
        let others = switches.iter().filter(|switch| switch.id != self.id()).cloned();
        match self {
            Self::Made(made) if !switches.contains(made) => {
                Reply::Switches(others.chain([made.clone()]).collect())
            }
            Self::Removed(_) => Reply::Switches(others.collect()),
            Self::Made(_) => list,
        }
    }

    fn id(&self) -> SwitchId {
        match self {
            Self::Made(made) => made.id,
            Self::Removed(id) => *id,
        }
    }
}
