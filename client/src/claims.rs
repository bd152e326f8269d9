//! Waiting for a name that somebody else is just making.
//!
//! Called by the executor around each create. Core's table says who holds what; this adds the
//! waiting, and a guard that gives the claim back when it is dropped, whatever the reason.

use std::sync::{Arc, Mutex, PoisonError};

use terdut_core::claims::{Claim, Claims as Table};
use tokio::sync::Notify;

/// The claims of one process. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    table: Mutex<Table>,
    freed: Notify,
}

/// A claim that is held until this is dropped.
#[derive(Debug)]
#[must_use = "a guard that is dropped holds nothing"]
pub struct ClaimGuard {
    shared: Arc<Shared>,
    claim: Claim,
}

impl Claims {
    /// Waits until nobody holds the claim, and takes it.
    pub async fn take(&self, claim: Claim) -> ClaimGuard {
        loop {
            let freed = self.shared.freed.notified();
            let mut freed = std::pin::pin!(freed);
            // Registered before the look, so that a claim freed between the two is not missed.
            freed.as_mut().enable();
            if self.shared.with(|table| table.take(&claim)) {
                return ClaimGuard { shared: Arc::clone(&self.shared), claim };
            }
            freed.await;
        }
    }
}

impl Shared {
    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for ClaimGuard {
    fn drop(&mut self) {
        self.shared.with(|table| table.release(&self.claim));
        self.shared.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terdut_core::model::Kind;

    fn claim(name: &str) -> Claim {
        Claim { server: "s".into(), parent: Some(1), kind: Kind::AlertSource, name: name.into() }
    }

    #[tokio::test]
    async fn a_second_taker_waits_until_the_first_has_dropped_it() {
        let claims = Claims::default();
        let first = claims.take(claim("a")).await;
        let _other = claims.take(claim("b")).await;
        let mut second = Box::pin(claims.take(claim("a")));
        let mut third = Box::pin(claims.take(claim("a")));
        assert!(futures::poll!(&mut second).is_pending());
        assert!(futures::poll!(&mut third).is_pending());
        drop(first);
        let second = second.await;
        assert!(futures::poll!(&mut third).is_pending());
        drop(second);
        drop(third.await);
    }

    #[tokio::test]
    async fn a_taker_that_gives_up_leaves_nothing_behind() {
        let claims = Claims::default();
        let first = claims.take(claim("a")).await;
        let mut second = Box::pin(claims.take(claim("a")));
        assert!(futures::poll!(&mut second).is_pending());
        drop(second);
        drop(first);
        drop(claims.take(claim("a")).await);
    }
}
