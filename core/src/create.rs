//! Making an object although its answer may be lost.
//!
//! The API stores no idempotency key. So [`Create`] lists first and remembers what has that name,
//! posts, and after a lost answer lists again: exactly one new object of that name is ours, none
//! means that it is posted again, more are an error. Where the server refuses a taken name, a list
//! that somebody read a moment before will do to see that it is free. The caller holds the claim
//! ([`crate::claims`]) of the name from [`Event::Begin`] to [`Command::Finish`]. What must survive a
//! crash is recorded before it is posted ([`Create::durable`]).
//!
//! It never touches what was there before, and never gives back an object whose key was lost: that
//! one is removed and another is made.

mod failure;
mod kinds;
mod machine;

#[cfg(test)]
mod tests;

pub use failure::Failure;
pub use kinds::{MadeAccount, NewAccount, NewKey, NewSource, NewSwitch, NewTeam, NewUser};
pub use machine::{Create, Outcome};

use std::collections::BTreeSet;

use crate::api::{Reply, Request};
use crate::claims::Claim;
use crate::error::ApiError;
use crate::model::Kind;

/// How often an object is posted at the most: three answers in a row may be lost.
pub const ATTEMPTS: u32 = 4;

/// What has to be done next.
#[derive(Debug)]
pub enum Command<K: Creatable> {
    /// Make this request.
    Call {
        /// The request.
        request: Request,
        /// A list is a proof: it must not come from a cache. Where this is not set, one will do that
        /// is hardly older than the request.
        fresh: bool,
        /// How many times the object was posted before: wait longer before each.
        attempt: u32,
    },
    /// Record that the object is about to be made and that these ids had its name before. Only a
    /// durable create asks for it, and it goes on only once that is safe.
    Record(BTreeSet<i64>),
    /// There is nothing more to do.
    Finish(Box<Outcome<K>>),
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// Start.
    Begin,
    /// What had the name before is recorded.
    Recorded,
    /// The request was answered.
    Replied(Result<Reply, ApiError>),
}

/// What can be made.
pub trait Creatable: Sized {
    /// The kind.
    const KIND: Kind;
    /// Whether many may have the same name, so that none is ever taken.
    const SHARES_NAMES: bool = false;
    /// Whether the answer holds what is shown only once, so that one whose answer was lost is of no
    /// use.
    const SHOWN_ONCE: bool = false;
    /// Whether the server refuses a name that is taken, so that a list which may be somewhat old
    /// is enough to set out with. What it shows as taken is looked at anew.
    const REFUSES_TAKEN: bool = false;
    /// What the list says of one.
    type Fact: Clone + std::fmt::Debug;
    /// What a create gives.
    type Made: std::fmt::Debug;

    /// What no other create may be after at the same time.
    fn claim(&self, server: &str) -> Claim;
    /// How it is called in a message.
    fn label(&self) -> String;
    /// The list that it is looked for in.
    fn list(&self) -> Request;
    /// The request that makes it.
    fn post(&self) -> Request;
    /// The facts of that list; `None` for a reply of another kind.
    fn facts(&self, reply: Reply) -> Option<Vec<Self::Fact>>;
    /// Whether that one has the name.
    fn is_named(&self, fact: &Self::Fact) -> bool;
    /// Whether that one stands in the way.
    fn clashes(&self, fact: &Self::Fact) -> bool {
        self.is_named(fact)
    }
    /// Whether that one can be what was posted now: one that cannot is another's, who was quicker.
    fn may_be_posted(&self, _fact: &Self::Fact) -> bool {
        true
    }
    /// What that one has taken.
    fn taken_label(&self, _fact: &Self::Fact) -> String {
        self.label()
    }
    /// Its id.
    fn id(fact: &Self::Fact) -> i64;
    /// The id by which it is imported.
    fn import_id(&self, id: i64) -> String {
        id.to_string()
    }
    /// What the answer to the request gives; `None` for a reply of another kind, or without what is
    /// shown only once.
    fn made(&self, reply: Reply) -> Option<Self::Made>;
    /// The id of what was made.
    fn made_id(made: &Self::Made) -> i64;
    /// The same from a list; `None` where something is shown only once.
    fn found(&self, fact: Self::Fact) -> Option<Self::Made>;
    /// The request that removes one.
    fn discard(&self, id: i64) -> Request;
    /// What has to be tidied up after it was made: keys that nobody is to hold.
    fn tidy(&self, _made: &Self::Made) -> Tidy {
        Tidy::Nothing
    }
    /// The same, from the list that was asked for.
    fn tidy_listed(&self, _made: &Self::Made, _reply: Reply) -> Vec<Request> {
        Vec::new()
    }
}

/// What has to be tidied up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tidy {
    /// Nothing.
    Nothing,
    /// These requests, each tried once.
    Send(Vec<Request>),
    /// What this list shows.
    Look(Request),
}
