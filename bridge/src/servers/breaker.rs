//! When a server that did not answer is asked again.
//!
//! After a failure nobody asks until a pause is over; then exactly one may, and the others wait for
//! what becomes of that. So a dead server costs one probe and not one a pass. Pure: the time and the
//! jitter are arguments.

use std::time::Duration;

use crate::clock::Moment;

/// A probe that is never heard of again, because its pass was dropped, counts as failed then.
const PROBE_LIMIT: Duration = Duration::from_mins(1);

/// The state of one server's breaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    base: Duration,
    cap: Duration,
    failures: u32,
    state: State,
    /// Whether somebody was sent away since the server stopped to answer.
    refused: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    /// Nobody asks before that moment.
    Open(Moment),
    /// Somebody asks; the others wait until that moment at most.
    Probing(Moment),
}

impl Breaker {
    /// A breaker that lets everybody through.
    pub const fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap, failures: 0, state: State::Closed, refused: false }
    }

    /// Whether a pass may ask the server now; else how long it should wait.
    pub fn admit(&mut self, now: Moment) -> Result<(), Duration> {
        match self.state {
            State::Closed => Ok(()),
            State::Open(until) | State::Probing(until) if now < until => {
                self.refused = true;
                Err(until.since(now))
            }
            State::Open(_) | State::Probing(_) => {
                self.state = State::Probing(now.plus(PROBE_LIMIT));
                Ok(())
            }
        }
    }

    /// Whether somebody was let through to find out, and nobody knows yet what became of that.
    pub const fn is_probing(&self) -> bool {
        matches!(self.state, State::Probing(_))
    }

    /// The server answered; whether somebody was sent away before, and may come again now.
    pub fn answered(&mut self) -> bool {
        self.state = State::Closed;
        self.failures = 0;
        std::mem::take(&mut self.refused)
    }

    /// The server did not answer. `jitter` is between 0 and 1. Failures of passes that were let
    /// through together count once.
    pub fn failed(&mut self, now: Moment, jitter: f64) {
        if matches!(self.state, State::Open(until) if now < until) {
            return;
        }
        let pause = self.base.saturating_mul(1 << self.failures.min(16)).min(self.cap);
        self.failures = self.failures.saturating_add(1);
        self.state = State::Open(now.plus(pause.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Moment {
        Moment::since_boot(Duration::from_secs(seconds))
    }

    fn breaker() -> Breaker {
        Breaker::new(SECOND, 10 * SECOND)
    }

    #[test]
    fn a_dead_server_is_asked_once_a_pause() {
        let mut breaker = breaker();
        assert_eq!(breaker.admit(at(0)), Ok(()));
        breaker.failed(at(0), 1.0);
        assert_eq!(breaker.admit(at(0)), Err(SECOND));
        assert_eq!(breaker.admit(at(1)), Ok(()), "the probe");
        assert!(breaker.admit(at(1)).is_err(), "nobody beside the probe");
        breaker.failed(at(1), 1.0);
        assert_eq!(breaker.admit(at(2)), Err(SECOND), "the pause doubles");
        assert_eq!(breaker.admit(at(3)), Ok(()));
    }

    #[test]
    fn passes_that_fail_together_count_once() {
        let mut breaker = breaker();
        for _ in 0..20 {
            breaker.failed(at(0), 1.0);
        }
        assert_eq!(breaker.admit(at(1)), Ok(()));
    }

    #[test]
    fn the_pause_has_an_end_and_a_lost_probe_too() {
        let mut breaker = breaker();
        for round in 0..30_u64 {
            breaker.failed(at(round * 100), 1.0);
        }
        assert_eq!(breaker.admit(at(2900)), Err(10 * SECOND));
        assert_eq!(breaker.admit(at(2910)), Ok(()));
        assert_eq!(breaker.admit(at(2969)), Err(SECOND));
        assert_eq!(breaker.admit(at(2970)), Ok(()));
    }

    #[test]
    fn an_answer_lets_everybody_through_and_is_news_only_once() {
        let mut breaker = breaker();
        assert!(!breaker.answered());
        breaker.failed(at(0), 0.0);
        assert!(!breaker.answered(), "nobody noticed");
        breaker.failed(at(0), 0.0);
        assert_eq!(breaker.admit(at(0)), Err(SECOND / 2));
        assert!(breaker.answered() && !breaker.answered());
        assert_eq!(breaker.admit(at(0)), Ok(()));
    }
}
