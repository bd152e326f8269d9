//! When an object is looked at again. Pure: time and randomness are arguments.

use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use super::{Next, ObjectKey};
use crate::clock::Moment;

/// No object is re-read more often because it wishes so, unless the settings re-read all as often:
/// whoever may write its annotations must not make the bridge a burden on a server that many share.
const SHORTEST_WISH: Duration = Duration::from_secs(10);

/// The settings behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// The longest pause after a first failure.
    pub retry_base: Duration,
    /// The longest pause after any failure.
    pub retry_cap: Duration,
    /// How far two re-reads lie apart; none means that there are no re-reads.
    pub resync_interval: Option<Duration>,
}

/// What is due for an object that is not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Nothing: only a change brings it back.
    Never,
    /// A re-read.
    Resync(Moment),
    /// Another try.
    Retry(Moment),
}

impl Timing {
    /// What is due after a pass. `failures` counts this one, `group` is what the object is re-read
    /// together with, `interval` is the object's own wish.
    pub fn after(
        &self,
        next: &Next,
        failures: u32,
        group: &ObjectKey,
        interval: Option<Duration>,
        now: Moment,
        random: u64,
    ) -> Due {
        let wish = interval.map(|wish| self.granted(wish));
        let interval = wish.or(self.resync_interval).filter(|interval| !interval.is_zero());
        match next {
            Next::Gone => Due::Never,
            Next::Settled => {
                interval.map_or(Due::Never, |interval| Due::Resync(resync_at(now, interval, group)))
            }
            Next::Waiting => Due::Retry(now.plus(jittered(self.retry_cap, random))),
            Next::Retry(why) => {
                let pause = backoff(failures, self.retry_base, self.retry_cap, random);
                Due::Retry(now.plus(pause.max(why.after.unwrap_or_default())))
            }
        }
    }

    /// An object's own wish, as far as it is heeded. None at all is always heeded.
    fn granted(&self, wish: Duration) -> Duration {
        let shortest = self.resync_interval.unwrap_or(SHORTEST_WISH).min(SHORTEST_WISH);
        if wish.is_zero() { wish } else { wish.max(shortest) }
    }
}

/// The pause after so many failures: doubled with each, capped, between half of that and all of it.
pub fn backoff(failures: u32, base: Duration, cap: Duration, random: u64) -> Duration {
    let doubled = 2_u32.checked_pow(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    jittered(base.saturating_mul(doubled).min(cap), random)
}

fn jittered(longest: Duration, random: u64) -> Duration {
    longest.mul_f64(f64::midpoint(1.0, share(random)))
}

/// When the next re-read of a group's objects is due. Every group has a period of its own, up to a
/// fifth shorter or longer than the interval, and its own places in time: so groups spread, and the
/// objects of one group come due at one moment and share what they read. The next place is at least
/// half a period away.
pub fn resync_at(now: Moment, interval: Duration, group: &ObjectKey) -> Moment {
    let spread = share(hash(group));
    let period = interval.mul_f64(0.8 + 0.4 * spread).max(Duration::from_millis(1)).as_nanos();
    let offset = u128::from(hash(group).rotate_left(32)) % period;
    let earliest = now.after_boot().as_nanos() + period / 2;
    let passed = (earliest.saturating_sub(offset)).div_ceil(period);
    let at = offset + passed * period;
    Moment::since_boot(Duration::from_nanos(u64::try_from(at).unwrap_or(u64::MAX)))
}

/// A number as a share of its range, from nothing to one.
fn share(number: u64) -> f64 {
    // 53 bits are what an f64 holds exactly; 32 are plenty here.
    f64::from(u32::try_from(number >> 32).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

/// The same in every process: two replicas agree.
fn hash(group: &ObjectKey) -> u64 {
    let keyless = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
    let mut hasher = keyless.build_hasher();
    hasher.write(group.namespace.as_bytes());
    hasher.write_u8(0xff);
    hasher.write(group.name.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests;
