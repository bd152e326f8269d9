//! What a controller is told about the pass that it makes.

use crate::kube::OwnWrites;

/// Why a pass is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Its time has come: look whether all is still as it should be.
    Resync,
    /// The last one failed, or something was waited for.
    Retry,
    /// Something that the object depends on, or that it owns, has changed.
    Woken,
    /// It is new, or somebody changed it.
    Changed,
    /// A person asked for it with the annotation `reconcile-at`.
    Requested,
}

/// One pass.
#[derive(Debug, Clone)]
pub struct Pass {
    /// Why it is made.
    pub reason: Reason,
    /// The object's generation.
    pub generation: i64,
    /// How many passes over this object failed in a row before.
    pub failures: u32,
    uid: String,
    own: OwnWrites,
}

impl Pass {
    /// A pass over the object with that UID.
    pub fn new(reason: Reason, generation: i64, uid: &str) -> Self {
        Self { reason, generation, failures: 0, uid: uid.to_owned(), own: OwnWrites::default() }
    }

    pub(crate) fn with(mut self, failures: u32, own: &OwnWrites) -> Self {
        self.failures = failures;
        self.own = own.clone();
        self
    }

    /// Tells of a write to the object that did not go through [`Kube`](crate::kube::Kube)'s own
    /// methods (those tell of it themselves): the next pass waits until the store has seen that
    /// version, and its echo starts none.
    pub fn wrote(&self, resource_version: &str) {
        self.own.wrote(&self.uid, resource_version);
    }
}
