//! Which kinds and teams are exported. The command line makes it, reader and writers ask it.

use std::collections::BTreeSet;

use crate::model::Kind;
use crate::value::Name;

/// What is exported, and what a person calls it. `terdut_server` is not among them: it stands for a
/// key of its own on the server, which cannot be read.
pub const KINDS: [(Kind, &str); 7] = [
    (Kind::Team, "team"),
    (Kind::User, "user"),
    (Kind::EscalationRule, "escalation-rule"),
    (Kind::DeadmanSwitch, "deadman-switch"),
    (Kind::AlertSource, "alert-source"),
    (Kind::ServiceAccount, "service-account"),
    (Kind::ServiceAccountKey, "service-account-key"),
];

/// A word that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no kind: choose among {}", words().join(", "))]
pub struct UnknownKind {
    /// What was given.
    pub word: String,
}

/// The kind of that word.
pub fn kind_named(word: &str) -> Result<Kind, UnknownKind> {
    let found = KINDS.iter().find(|(_, known)| *known == word);
    found.map(|(kind, _)| *kind).ok_or_else(|| UnknownKind { word: word.to_owned() })
}

fn words() -> Vec<&'static str> {
    KINDS.iter().map(|(_, word)| *word).collect()
}

/// Kinds and teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    kinds: BTreeSet<Kind>,
    /// The teams' names; none means all.
    pub teams: Vec<Name>,
}

impl Selection {
    /// The kinds that were named; without any, all but keys. Of chosen teams, people and
    /// instance-wide accounts are no part, unless they are named too.
    pub fn new(only: &[Kind], with_keys: bool, teams: Vec<Name>) -> Self {
        let all = KINDS.iter().map(|(kind, _)| *kind);
        let of_teams = |kind: &Kind| teams.is_empty() || *kind != Kind::User;
        let mut kinds: BTreeSet<Kind> = if only.is_empty() {
            all.filter(|kind| *kind != Kind::ServiceAccountKey).filter(of_teams).collect()
        } else {
            only.iter().copied().collect()
        };
        if with_keys {
            kinds.insert(Kind::ServiceAccountKey);
        }
        Self { kinds, teams }
    }

    /// Whether objects of that kind are written.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether all of that kind that the server has is written.
    pub fn covers(&self, kind: Kind) -> bool {
        self.has(kind) && self.teams.is_empty()
    }

    /// Whether teams have to be read: they, or what is below them, are written.
    pub fn reads_teams(&self) -> bool {
        use Kind::{AlertSource, DeadmanSwitch, EscalationRule, Team};
        let below = [Team, EscalationRule, DeadmanSwitch, AlertSource];
        !self.teams.is_empty() || below.into_iter().any(|kind| self.has(kind))
    }

    /// Whether people have to be read: they are written, or policies name them.
    pub fn reads_users(&self) -> bool {
        self.has(Kind::User) || self.has(Kind::EscalationRule)
    }

    /// Whether service accounts have to be read.
    pub fn reads_accounts(&self) -> bool {
        self.has(Kind::ServiceAccount) || self.has(Kind::ServiceAccountKey)
    }

    /// Whether a team of that name is wanted.
    pub fn wants(&self, team: &str) -> bool {
        self.teams.is_empty() || self.teams.iter().any(|name| name.is(team))
    }
}
