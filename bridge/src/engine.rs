//! When which object is passed over.
//!
//! Watches keep the five kinds in [`Stores`]; a change, a [`Wake`], a due re-read or a retry puts
//! an object into its kind's queue; as many passes run at once as the settings allow, new and
//! changed objects first. A pass has a deadline, may panic without ending the process, and is
//! cancelled when the replica may no longer act. The controllers implement [`Controller`] and
//! decide what a pass does; nothing here knows terdut.

use std::sync::Arc;
use std::time::Duration;

use terdut_core::error::Class;

use crate::crd::Kind;

pub mod key;
mod namespaces;
mod pass;
mod placed;
pub mod queue;
mod runner;
mod start;
mod store;
mod stores;
pub mod timing;
mod wake;
mod watching;

pub use key::{KindKey, ObjectKey};
pub use namespaces::{Grant, Namespaces, Owned};
pub use pass::{Pass, Reason};
pub use placed::Placed;
pub use start::Engine;
use start::Parts;
pub use store::{Change, KindStore};
pub use stores::Stores;
pub use wake::Wake;

/// What is done for objects of one kind.
pub trait Controller: Send + Sync + 'static {
    /// The kind.
    type Object: Kind;

    /// One pass: make the world as the object says, say in its status how far that came. Called
    /// again and again; what is as it should be must cost no write. May be dropped at any await.
    fn reconcile(
        &self,
        object: Arc<Self::Object>,
        pass: &Pass,
    ) -> impl Future<Output = Next> + Send;
}

/// What comes after a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// All is as the object says: look again when the next re-read is due.
    Settled,
    /// Something else has to change first, which will wake the object; look now and then anyway.
    Waiting,
    /// It failed: try again, later each time.
    Retry(RetryWhy),
    /// The finalizer is off: nothing is left to do.
    Gone,
}

/// Why a pass has to be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryWhy {
    /// What the error means.
    pub class: Class,
    /// How long the other side asked to wait, at least.
    pub after: Option<Duration>,
}

impl Next {
    /// Again, after the usual while.
    pub const fn retry(class: Class) -> Self {
        Self::Retry(RetryWhy { class, after: None })
    }
}
