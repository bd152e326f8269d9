//! How long a process lives, counted in outside calls.
//!
//! A made-up API server and a terdut client ask at the boundaries of each call, before it acts and
//! before its answer arrives. When the life is over, no call acts any more and the pass is dropped:
//! what a `kill -9` at that boundary leaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::watch;

/// A life; clones share it.
#[derive(Clone)]
pub(crate) struct Life {
    left: Arc<AtomicI64>,
    over: watch::Sender<bool>,
}

impl Life {
    /// One that nothing ends.
    pub(crate) fn endless() -> Self {
        Self { left: Arc::new(AtomicI64::new(i64::MAX)), over: watch::Sender::new(false) }
    }

    /// From now on so many boundaries are left.
    pub(crate) fn leave(&self, boundaries: i64) {
        self.left.store(boundaries, Ordering::SeqCst);
    }

    /// Comes to a boundary: whether it is survived.
    pub(crate) fn passes(&self) -> bool {
        if self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.over.send_replace(true);
        }
        !*self.over.borrow()
    }

    /// Resolves when it is over.
    pub(crate) async fn ends(&self) {
        let mut over = self.over.subscribe();
        // The sender lives as long as this.
        let _ = over.wait_for(|over| *over).await;
    }
}
