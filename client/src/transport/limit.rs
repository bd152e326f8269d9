//! When the next request may start: an even rate, and the pauses that the server asks for.
//!
//! Called by the transport right before each attempt, with the permit to be under way in hand. Never
//! drops or reorders: callers stand in one line, and only the first of it waits for its moment. So
//! a pause that begins meanwhile holds all who have not left, and its end is no burst.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Hands out moments.
#[derive(Debug)]
pub(super) struct Limiter {
    interval: Duration,
    /// When the next may start. Whoever holds the lock is the first in line.
    line: tokio::sync::Mutex<Option<Instant>>,
    /// Until when the server has asked for a pause.
    held: Mutex<Option<Instant>>,
    /// Until when nothing is sent at all: the server has asked for more than is waited for.
    shut: Mutex<Option<Instant>>,
}

impl Limiter {
    /// A limiter for so many requests a second; none means unlimited.
    pub(super) fn new(per_second: Option<f64>) -> Self {
        let interval = per_second
            .and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok())
            .unwrap_or(Duration::ZERO);
        let line = tokio::sync::Mutex::default();
        Self { interval, line, held: Mutex::default(), shut: Mutex::default() }
    }

    /// Waits for this caller's moment.
    pub(super) async fn turn(&self) {
        let mut next = self.line.lock().await;
        let mut moment = Instant::now();
        while let Some(later) = self.later(*next) {
            sleep_until(later).await;
            moment = later;
        }
        *next = Some(moment + self.interval);
    }

    /// No request starts before so long from now: the server said that there are too many.
    pub(super) fn hold(&self, pause: Duration) {
        later(&self.held, pause);
    }

    /// No request is sent before so long from now, and none waits for it.
    pub(super) fn shut(&self, pause: Duration) {
        later(&self.shut, pause);
    }

    pub(super) fn is_shut(&self) -> bool {
        let shut = *self.shut.lock().unwrap_or_else(PoisonError::into_inner);
        shut.is_some_and(|until| until > Instant::now())
    }

    /// The moment to wait for, if the present one is too early.
    fn later(&self, next: Option<Instant>) -> Option<Instant> {
        let held = *self.held.lock().unwrap_or_else(PoisonError::into_inner);
        next.max(held).filter(|moment| *moment > Instant::now())
    }
}

/// Puts a moment off.
fn later(moment: &Mutex<Option<Instant>>, pause: Duration) {
    let until = Instant::now() + pause;
    let mut moment = moment.lock().unwrap_or_else(PoisonError::into_inner);
    *moment = (*moment).max(Some(until));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// When each of so many callers had its turn, who all came at once.
    async fn turns(limiter: &Arc<Limiter>, callers: usize) -> Vec<Duration> {
        let start = Instant::now();
        let turn = |limiter: Arc<Limiter>| async move {
            limiter.turn().await;
            start.elapsed()
        };
        let all = (0..callers).map(|_| turn(Arc::clone(limiter)));
        futures::future::join_all(all).await
    }

    fn ms(all: &[Duration]) -> Vec<u128> {
        all.iter().map(Duration::as_millis).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn moments_are_evenly_spaced() {
        let limiter = Arc::new(Limiter::new(Some(10.0)));
        assert_eq!(ms(&turns(&limiter, 3).await), [0, 100, 200]);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(ms(&turns(&limiter, 1).await), [0], "nothing is saved up, nothing is owed");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_the_server_asks_for_holds_all() {
        let limiter = Arc::new(Limiter::new(None));
        assert_eq!(ms(&turns(&limiter, 2).await), [0, 0]);
        limiter.hold(Duration::from_secs(3));
        limiter.hold(Duration::from_secs(1));
        assert_eq!(ms(&turns(&limiter, 2).await), [3000, 3000]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_for_too_much_is_left_alone_for_a_while() {
        let limiter = Limiter::new(None);
        assert!(!limiter.is_shut());
        limiter.shut(Duration::from_mins(2));
        tokio::time::advance(Duration::from_secs(119)).await;
        assert!(limiter.is_shut());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(!limiter.is_shut());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_also_holds_those_who_stand_in_line_already() {
        let limiter = Arc::new(Limiter::new(Some(10.0)));
        let line = tokio::spawn({
            let limiter = Arc::clone(&limiter);
            async move { turns(&limiter, 4).await }
        });
        tokio::time::sleep(Duration::from_millis(150)).await;
        limiter.hold(Duration::from_secs(3));
        assert_eq!(ms(&line.await.unwrap()), [0, 100, 3150, 3250], "and its end is no burst");
    }
}
