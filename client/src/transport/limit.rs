//! When the next request may start: an even rate, and the pauses that the server asks for.
//!
//! Called by the transport before each attempt. Never drops or reorders: each caller gets the next
//! free moment.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Hands out moments.
#[derive(Debug)]
pub(super) struct Limiter {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl Limiter {
    /// A limiter for so many requests a second; none means unlimited.
    pub(super) fn new(per_second: Option<f64>) -> Self {
        let interval = per_second
            .and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok())
            .unwrap_or(Duration::ZERO);
        Self { interval, next: Mutex::new(None) }
    }

    /// Waits for this caller's moment.
    pub(super) async fn turn(&self) {
        let moment = self.take(Instant::now());
        if let Some(moment) = moment {
            sleep_until(moment).await;
        }
    }

    /// No request starts before so long from now: the server said that there are too many.
    pub(super) fn hold(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Some(next.map_or(until, |next| next.max(until)));
    }

    fn take(&self, now: Instant) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = next.filter(|next| *next > now);
        *next = Some(moment.unwrap_or(now) + self.interval);
        moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_evenly_spaced() {
        let limiter = Limiter::new(Some(10.0));
        let now = Instant::now();
        assert_eq!(limiter.take(now), None);
        assert_eq!(limiter.take(now), Some(now + Duration::from_millis(100)));
        assert_eq!(limiter.take(now), Some(now + Duration::from_millis(200)));
        assert_eq!(limiter.take(now + Duration::from_secs(1)), None);
    }

    #[test]
    fn a_pause_that_the_server_asks_for_holds_all() {
        let limiter = Limiter::new(None);
        let now = Instant::now();
        assert_eq!((limiter.take(now), limiter.take(now)), (None, None));
        limiter.hold(Duration::from_secs(3));
        assert!(limiter.take(now).is_some_and(|at| at >= now + Duration::from_secs(3)));
    }
}
