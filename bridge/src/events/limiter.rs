//! How many Events a lasting failure may make.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::Moment;

const WINDOW: Duration = Duration::from_hours(1);
const LIMIT: usize = 2;

/// Counts per object, by UID, or per object and reason. Pure: the time is an argument. Entries go
/// when their hour is over.
#[derive(Debug, Default)]
pub struct Limiter {
    published: HashMap<String, Vec<Moment>>,
    swept: Moment,
}

impl Limiter {
    /// Whether one more may be published now; if so, it is counted.
    pub fn allow(&mut self, object: String, now: Moment) -> bool {
        self.sweep(now);
        let published = self.published.entry(object).or_default();
        published.retain(|at| now.since(*at) < WINDOW);
        let allowed = published.len() < LIMIT;
        if allowed {
            published.push(now);
        }
        allowed
    }

    fn sweep(&mut self, now: Moment) {
        if now.since(self.swept) < WINDOW {
            return;
        }
        self.swept = now;
        self.published
            .retain(|_, published| published.last().is_some_and(|last| now.since(*last) < WINDOW));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_an_hour_and_each_object_for_itself() {
        let mut limiter = Limiter::default();
        let start = Moment::since_boot(Duration::from_secs(10));
        assert!(limiter.allow("a".into(), start));
        assert!(limiter.allow("a".into(), start.plus(Duration::from_secs(1))));
        assert!(!limiter.allow("a".into(), start.plus(Duration::from_secs(2))));
        assert!(limiter.allow("b".into(), start.plus(Duration::from_secs(2))));
        assert!(limiter.allow("a".into(), start.plus(WINDOW)));
        assert!(!limiter.allow("a".into(), start.plus(WINDOW)));
    }

    #[test]
    fn objects_that_are_quiet_take_no_memory() {
        let mut limiter = Limiter::default();
        for number in 0..100 {
            limiter.allow(number.to_string(), Moment::default());
        }
        limiter.allow("late".into(), Moment::since_boot(WINDOW));
        assert_eq!(limiter.published.len(), 1);
    }

    proptest! {
        #[test]
        fn no_hour_holds_more_than_two(gaps in prop::collection::vec(0_u64..4000, 1..60)) {
            let mut limiter = Limiter::default();
            let mut now = Moment::default();
            let mut published: Vec<Moment> = Vec::new();
            for gap in gaps {
                now = now.plus(Duration::from_secs(gap));
                if limiter.allow("a".into(), now) {
                    published.push(now);
                }
            }
            for three in published.windows(LIMIT + 1) {
                prop_assert!(three[LIMIT].since(three[0]) >= WINDOW);
            }
        }
    }
}
