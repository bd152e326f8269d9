//! What the deletion of an object needs, decided before anything is called.
//!
//! Asked by the bridge's controllers when an object is being deleted. The answer is made of what is
//! at hand, the object first: whoever holds its finalizer must not wait for a server that nobody
//! needs. It never says that something on an unreachable server is gone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of the object on the server when its manifest is deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum DeletionPolicy {
    /// It is deleted, too.
    #[default]
    Delete,
    /// It stays.
    Retain,
}

/// What is known of an object that is being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// What its manifest says.
    pub policy: DeletionPolicy,
    /// Whether a person gave the object on the server up (`on-delete: abandon`).
    pub abandoned: bool,
    /// Whether there is a record that something was, or was about to be, made; `None`: not yet
    /// looked at.
    pub recorded: Option<bool>,
    /// The object that it is below; `None`: not yet looked at.
    pub parent: Option<Parent>,
}

/// The object that another is below: a team's server, a rule's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// It is there, or nobody can say that it is not.
    There,
    /// It is being deleted, with all that is below it.
    Going,
    /// The API server said 404.
    Gone,
}

/// What has to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    /// Drop the finalizer; nothing is deleted on the server.
    DropNow {
        /// Why that is enough.
        why: Why,
    },
    /// Find out whether there is a record, then decide again.
    LookForRecord,
    /// Find out what became of the parent, then decide again.
    LookForParent,
    /// Delete on the server first.
    CallFirst,
}

/// Why nothing has to be deleted on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The manifest says so.
    Retained,
    /// A person gave it up.
    Abandoned,
    /// Nothing was ever made.
    NeverMade,
    /// It goes, or went, with what it is below.
    ParentGone,
}

/// Decides with what is known so far, the cheapest reason first.
pub fn decide(deleted: Deleted) -> Deletion {
    let drop_now = |why| Deletion::DropNow { why };
    match deleted {
        Deleted { policy: DeletionPolicy::Retain, .. } => drop_now(Why::Retained),
        Deleted { abandoned: true, .. } => drop_now(Why::Abandoned),
        Deleted { recorded: None, .. } => Deletion::LookForRecord,
        Deleted { recorded: Some(false), .. } => drop_now(Why::NeverMade),
        Deleted { parent: None, .. } => Deletion::LookForParent,
        Deleted { parent: Some(Parent::Going | Parent::Gone), .. } => drop_now(Why::ParentGone),
        Deleted { parent: Some(Parent::There), .. } => Deletion::CallFirst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(policy: DeletionPolicy, abandoned: bool) -> Deleted {
        Deleted { policy, abandoned, recorded: None, parent: None }
    }

    #[test]
    fn what_the_object_says_itself_needs_no_look() {
        let why = |deleted| match decide(deleted) {
            Deletion::DropNow { why } => Some(why),
            _ => None,
        };
        assert_eq!(why(wanted(DeletionPolicy::Retain, false)), Some(Why::Retained));
        assert_eq!(why(wanted(DeletionPolicy::Retain, true)), Some(Why::Retained));
        assert_eq!(why(wanted(DeletionPolicy::Delete, true)), Some(Why::Abandoned));
        assert_eq!(why(wanted(DeletionPolicy::Delete, false)), None);
    }

    #[test]
    fn the_record_is_looked_for_before_the_parent_and_the_parent_before_the_server() {
        let unknown = wanted(DeletionPolicy::Delete, false);
        assert_eq!(decide(unknown), Deletion::LookForRecord);
        let never = Deleted { recorded: Some(false), ..unknown };
        assert_eq!(decide(never), Deletion::DropNow { why: Why::NeverMade });
        let made = Deleted { recorded: Some(true), ..unknown };
        assert_eq!(decide(made), Deletion::LookForParent);
        for (parent, expected) in [
            (Parent::There, Deletion::CallFirst),
            (Parent::Going, Deletion::DropNow { why: Why::ParentGone }),
            (Parent::Gone, Deletion::DropNow { why: Why::ParentGone }),
        ] {
            assert_eq!(decide(Deleted { parent: Some(parent), ..made }), expected, "{parent:?}");
        }
    }
}
