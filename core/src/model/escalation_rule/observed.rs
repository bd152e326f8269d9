//! The policy that is there, and when it means the same as the one that is wanted.

use super::{DesiredLevel, DesiredTarget, TargetKind};
use crate::api;
use crate::ids::TeamId;
use crate::value::{Field, Name};

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedEscalationRule {
    /// Its team.
    pub team: TeamId,
    /// Repeat count.
    pub repeat_count: i64,
    /// Fallback topic; empty: none.
    pub fallback_topic: String,
    /// Levels.
    pub levels: Vec<ObservedLevel>,
}

/// A level that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedLevel {
    /// Timeout, as the server or the state has it.
    pub timeout: String,
    /// Targets.
    pub targets: Vec<ObservedTarget>,
}

/// A target that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedTarget {
    /// `oncall`, `user`, or what a newer server has.
    pub kind: String,
    /// The person's log-in name; `None` for a target whose user is in no list.
    pub username: Option<String>,
}

impl ObservedEscalationRule {
    /// From the server's answers; `None` where the policy has no levels, which is no policy.
    pub fn from_fact(team: TeamId, policy: &api::Policy, users: &[api::User]) -> Option<Self> {
        if policy.levels.is_empty() {
            return None;
        }
        let level = |level: &api::Level| ObservedLevel {
            timeout: level.timeout.clone(),
            targets: level.targets.iter().map(|it| ObservedTarget::from_fact(it, users)).collect(),
        };
        Some(Self {
            team,
            repeat_count: policy.repeat_count,
            fallback_topic: policy.fallback_topic.clone().unwrap_or_default(),
            levels: policy.levels.iter().map(level).collect(),
        })
    }

    /// Whether the levels mean what is wanted. One that is not known yet may differ.
    pub(super) fn has_levels(&self, wanted: &[Field<DesiredLevel>]) -> bool {
        all_match(wanted, &self.levels, |wanted, there| there.is(wanted))
    }
}

impl ObservedLevel {
    fn is(&self, wanted: &DesiredLevel) -> bool {
        let timeout = wanted.timeout.known().is_some_and(|it| it.is(&self.timeout));
        let targets = |targets: &Vec<Field<DesiredTarget>>| {
            all_match(targets, &self.targets, |wanted, there| there.is(wanted))
        };
        timeout && wanted.targets.known().is_some_and(targets)
    }
}

impl ObservedTarget {
    fn from_fact(target: &api::Target, users: &[api::User]) -> Self {
        let name = |id| users.iter().find(|user| user.id == id).map(|user| user.username.clone());
        match target {
            api::Target::OnCall => Self { kind: "oncall".to_owned(), username: None },
            api::Target::User(id) => Self { kind: "user".to_owned(), username: name(*id) },
            api::Target::Other { kind, user } => {
                Self { kind: kind.clone(), username: user.and_then(name) }
            }
        }
    }

    fn is(&self, wanted: &DesiredTarget) -> bool {
        let name = |name: &Name| self.username.as_ref().is_some_and(|there| name.is(there));
        match (wanted.kind.known(), wanted.username.known()) {
            (Some(TargetKind::OnCall), _) => self.kind == "oncall",
            (Some(TargetKind::User), Some(Some(wanted))) => self.kind == "user" && name(wanted),
            (Some(TargetKind::User), Some(None) | None) | (None, _) => false,
        }
    }
}

fn all_match<W, T>(wanted: &[Field<W>], there: &[T], same: impl Fn(&W, &T) -> bool) -> bool {
    let matches =
        |(wanted, there): (&Field<W>, &T)| wanted.known().is_some_and(|wanted| same(wanted, there));
    wanted.len() == there.len() && wanted.iter().zip(there).all(matches)
}
