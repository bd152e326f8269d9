//! Whether this replica may act, asked right before every request.
//!
//! The lease opens the fence up to a deadline that lies well before anybody else can take the
//! lease; when nothing renews it, the fence closes by the clock alone. Asked by the Kubernetes
//! transport, by every terdut client and by the engine, which cancels its passes. Only the lease
//! may open it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use terdut_client::Gate;
use tokio::sync::watch;

use crate::clock::{Clock, Moment};

/// A handle; all clones are the same fence.
#[derive(Debug, Clone)]
pub struct Fence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    /// Nanoseconds after boot; zero while it is closed.
    until: AtomicU64,
    /// How often it was opened after it had been closed.
    term: AtomicU64,
    changed: watch::Sender<()>,
}

impl Fence {
    /// A closed fence.
    pub fn new(clock: Clock) -> Self {
        let changed = watch::Sender::new(());
        Self(Arc::new(Inner { clock, until: AtomicU64::new(0), term: AtomicU64::new(0), changed }))
    }

    /// A fence that stays open, for tools and tests that are alone.
    pub fn open() -> Self {
        let fence = Self::new(Clock::boot());
        fence.open_until(Moment::since_boot(Duration::from_nanos(u64::MAX)));
        fence
    }

    /// Whether a request may start now.
    pub fn is_ours(&self) -> bool {
        self.left() > Duration::ZERO
    }

    /// Opens it up to the deadline, or moves the deadline.
    pub fn open_until(&self, deadline: Moment) {
        let nanos = u64::try_from(deadline.after_boot().as_nanos()).unwrap_or(u64::MAX);
        if nanos > 0 && !self.is_ours() {
            self.0.term.fetch_add(1, Ordering::SeqCst);
        }
        self.0.until.store(nanos, Ordering::SeqCst);
        self.0.changed.send_replace(());
    }

    /// Closes it at once.
    pub fn close(&self) {
        self.open_until(Moment::default());
    }

    /// The time since it was opened last, as a number.
    pub fn term(&self) -> u64 {
        self.0.term.load(Ordering::SeqCst)
    }

    /// Whether it is open and was never closed since that term began: what was begun in an earlier
    /// term must not go on in this one, since another replica may have acted in between.
    pub fn holds(&self, term: u64) -> bool {
        self.is_ours() && self.term() == term
    }

    /// Resolves when that term is over.
    pub async fn lost(&self, term: u64) {
        let mut changed = self.0.changed.subscribe();
        while self.holds(term) {
            tokio::select! {
                () = tokio::time::sleep(self.left()) => {}
                _ = changed.changed() => {}
            }
        }
    }

    /// Resolves when it is open.
    pub async fn won(&self) {
        let mut changed = self.0.changed.subscribe();
        while !self.is_ours() {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// The same question for a terdut client, which asks it before each attempt.
    pub fn gate(&self) -> Gate {
        let fence = self.clone();
        Gate::new(move || fence.is_ours())
    }

    fn left(&self) -> Duration {
        let until = Duration::from_nanos(self.0.until.load(Ordering::SeqCst));
        until.saturating_sub(self.0.clock.now().after_boot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_closes_by_the_clock_alone() {
        let clock = Clock::manual();
        let fence = Fence::new(clock.clone());
        assert!(!fence.is_ours());
        fence.open_until(clock.now().plus(SECOND));
        clock.advance(Duration::from_millis(999));
        assert!(fence.is_ours());
        clock.advance(Duration::from_millis(1));
        assert!(!fence.is_ours());
    }

    #[test]
    fn a_renewal_moves_the_deadline_and_closing_ends_it() {
        let clock = Clock::manual();
        let fence = Fence::new(clock.clone());
        fence.open_until(clock.now().plus(SECOND));
        clock.advance(SECOND);
        fence.open_until(clock.now().plus(SECOND));
        assert!(fence.clone().is_ours() && fence.gate().is_open());
        fence.close();
        assert!(!fence.is_ours());
    }

    #[tokio::test]
    async fn waiting_for_either_side_ends() {
        let fence = Fence::new(Clock::boot());
        fence.lost(fence.term()).await;
        let other = fence.clone();
        let winner = tokio::spawn(async move { other.won().await });
        fence.open_until(Clock::boot().now().plus(Duration::from_millis(20)));
        winner.await.unwrap();
        fence.lost(fence.term()).await;
        assert!(!fence.is_ours());
    }

    #[tokio::test]
    async fn a_term_is_over_also_when_the_next_one_has_begun() {
        let clock = Clock::manual();
        let fence = Fence::new(clock.clone());
        fence.open_until(clock.now().plus(SECOND));
        let term = fence.term();
        fence.open_until(clock.now().plus(SECOND));
        assert!(fence.holds(term), "a renewal begins no term");
        clock.advance(SECOND);
        fence.open_until(clock.now().plus(SECOND));
        assert!(fence.is_ours() && !fence.holds(term));
        fence.lost(term).await;
    }
}
