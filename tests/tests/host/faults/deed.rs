//! What a host asks for, each time of the same beginning: the rows of the matrix.

use serde_json::{Value as Json, json};
use terdut_tests::host::Action;

use crate::kinds::{Change, Kind, with};

/// Something that is done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Refresh,
    Plan,
    Create,
    Adopt,
    Update,
    Replace,
    ReplaceNewFirst,
    Destroy,
    ImportById,
    ImportByName,
}

impl Deed {
    /// Those that a kind has.
    pub(crate) fn of(kind: &Kind) -> Vec<Self> {
        let all = [
            Self::Refresh,
            Self::Plan,
            Self::Create,
            Self::Adopt,
            Self::Update,
            Self::Replace,
            Self::ReplaceNewFirst,
            Self::Destroy,
            Self::ImportById,
            Self::ImportByName,
        ];
        all.into_iter().filter(|deed| deed.fits(kind)).collect()
    }

    fn fits(self, kind: &Kind) -> bool {
        match self {
            Self::Adopt => kind.type_name != "terdut_service_account_key",
            Self::Update => changes(kind, Action::Update).next().is_some(),
            Self::Replace => replacement(kind).is_some(),
            // Where names are unique, the new one cannot come first.
            Self::ReplaceNewFirst => kind.type_name == "terdut_service_account_key",
            Self::ImportByName => kind.imports.len() > 1,
            _ => true,
        }
    }

    /// How the table calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Refresh => "refresh",
            Self::Plan => "plan",
            Self::Create => "create",
            Self::Adopt => "adopt",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::ReplaceNewFirst => "replace, the new one first",
            Self::Destroy => "destroy",
            Self::ImportById => "import by id",
            Self::ImportByName => "import by name",
        }
    }

    /// Whether it changes nothing on the server.
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Self::Refresh | Self::Plan | Self::ImportById | Self::ImportByName)
    }

    /// Whether nothing of the object is in the state when it begins.
    pub(crate) fn begins_without_state(self) -> bool {
        matches!(self, Self::Create | Self::Adopt | Self::ImportById | Self::ImportByName)
    }

    /// Whether the host looks at the object first, as [`Deed::Plan`] shows it.
    pub(crate) fn looks_first(self) -> bool {
        matches!(self, Self::Update | Self::Replace | Self::ReplaceNewFirst | Self::Destroy)
    }

    /// What is configured and there when it begins; `None`: nothing.
    pub(crate) fn before(self, kind: &Kind) -> Option<Json> {
        match self {
            Self::Create => None,
            Self::Adopt => Some(other_of_that_name(kind)),
            _ => Some(kind.full.clone()),
        }
    }

    /// What is configured when it is done.
    pub(crate) fn after(self, kind: &Kind) -> Json {
        let full = kind.full.clone();
        match self {
            Self::Adopt => with(&full, "adopt_existing", &json!(true)),
            Self::Update => {
                changes(kind, Action::Update).rev().fold(full, |full, change| apply(&full, change))
            }
            Self::Replace | Self::ReplaceNewFirst => {
                replacement(kind).into_iter().fold(full, |full, change| apply(&full, change))
            }
            _ => full,
        }
    }
}

fn apply(config: &Json, change: &Change) -> Json {
    with(config, change.attribute, &change.value)
}

fn changes(kind: &Kind, action: Action) -> impl DoubleEndedIterator<Item = &Change> {
    kind.changes.iter().filter(move |change| change.calls && change.action == action)
}

/// The change that replaces the object and keeps its name, if one does.
fn replacement(kind: &Kind) -> Option<&Change> {
    let all: Vec<_> = changes(kind, Action::Replace).collect();
    let named = |name: &str| all.iter().find(|change| change.attribute == name).copied();
    ["rotate_when_changed", "timeout", "email"]
        .iter()
        .find_map(|name| named(name))
        .or_else(|| named("team_id"))
}

/// What somebody else made of that name, different where that may be closed.
fn other_of_that_name(kind: &Kind) -> Json {
    let in_place = changes(kind, Action::Update).find(|change| change.attribute != "name");
    let again = changes(kind, Action::Replace)
        .find(|change| kind.type_name == "terdut_deadman_switch" && change.attribute == "timeout");
    in_place.or(again).into_iter().fold(kind.full.clone(), |full, change| apply(&full, change))
}
