//! The two clocks of the bridge.
//!
//! Deadlines go by the time since boot, which also runs while the machine is suspended and which
//! nobody can set. The wall clock is only ever written down (conditions, Events, the lease's
//! record) and never compared. Tests turn a clock by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use nix::time::ClockId;

/// A moment, as time since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(Duration);

impl Moment {
    /// The moment so long after boot.
    pub const fn since_boot(duration: Duration) -> Self {
        Self(duration)
    }

    /// How long after boot it is.
    pub const fn after_boot(self) -> Duration {
        self.0
    }

    /// So much later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }

    /// How long it is from an earlier moment to this one; nothing if that is a later one.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Where the time comes from.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    Boot,
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// The machine's.
    pub const fn boot() -> Self {
        Self(Source::Boot)
    }

    /// One that stands still until [`Clock::advance`] turns it.
    pub fn manual() -> Self {
        Self(Source::Manual(Arc::default()))
    }

    /// The time since boot.
    pub fn now(&self) -> Moment {
        match &self.0 {
            Source::Boot => Moment(boot_time()),
            Source::Manual(nanos) => Moment(Duration::from_nanos(nanos.load(Ordering::SeqCst))),
        }
    }

    /// Turns a manual clock; the machine's cannot be turned.
    pub fn advance(&self, duration: Duration) {
        if let Source::Manual(nanos) = &self.0 {
            let step = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
            nanos.fetch_add(step, Ordering::SeqCst);
        }
    }

    /// The time of day, to be written down.
    pub fn wall(&self) -> Timestamp {
        match &self.0 {
            Source::Boot => Timestamp::now(),
            Source::Manual(_) => {
                let seconds = i64::try_from(self.now().after_boot().as_secs()).unwrap_or(i64::MAX);
                Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
            }
        }
    }
}

fn boot_time() -> Duration {
    // Linux has had this clock since 2.6.39. Should it be missing, time stands still at zero: no
    // deadline would be seen to pass, so the lease's own check of the clock refuses to start.
    nix::time::clock_gettime(ClockId::CLOCK_BOOTTIME).map(Duration::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_clock_runs_and_a_manual_one_waits() {
        let boot = Clock::boot();
        let first = boot.now();
        assert!(first > Moment::default() && boot.now() >= first);
        let manual = Clock::manual();
        let before = manual.now();
        assert_eq!(manual.now(), before);
        manual.advance(Duration::from_secs(3));
        assert_eq!(manual.now().since(before), Duration::from_secs(3));
        assert_eq!(before.since(manual.now()), Duration::ZERO);
    }
}
