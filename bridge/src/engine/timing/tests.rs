//! Back-off and due times over many values.

use proptest::prelude::*;
use terdut_core::error::Class;

use super::*;
use crate::engine::RetryWhy;

const SECOND: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_mins(10);
const TIMING: Timing = Timing {
    retry_base: SECOND,
    retry_cap: Duration::from_mins(5),
    resync_interval: Some(INTERVAL),
};

fn group(number: u32) -> ObjectKey {
    ObjectKey::new("teams", &format!("team-{number}"))
}

fn after(next: &Next, interval: Option<Duration>) -> Due {
    TIMING.after(next, 1, &group(1), interval, Moment::default(), u64::MAX)
}

#[test]
fn the_pause_doubles_up_to_the_cap() {
    let longest = |failures| backoff(failures, SECOND, TIMING.retry_cap, u64::MAX).as_secs();
    let pauses: Vec<u64> = [1, 2, 3, 8, 9, 10, 40, u32::MAX].map(longest).to_vec();
    assert_eq!(pauses, [1, 2, 4, 128, 256, 300, 300, 300]);
    assert_eq!(backoff(3, SECOND, TIMING.retry_cap, 0), 2 * SECOND);
}

#[test]
fn what_comes_after_a_pass_follows_from_how_it_ended() {
    assert_eq!(after(&Next::Gone, None), Due::Never);
    assert_eq!(after(&Next::Settled, Some(Duration::ZERO)), Due::Never);
    assert!(matches!(after(&Next::Settled, None), Due::Resync(_)));
    let cap = Moment::since_boot(TIMING.retry_cap);
    assert_eq!(after(&Next::Waiting, None), Due::Retry(cap));
    let one = Moment::since_boot(SECOND);
    assert_eq!(after(&Next::retry(Class::Retryable), None), Due::Retry(one));
    let asked = RetryWhy { class: Class::Retryable, after: Some(9 * SECOND) };
    assert_eq!(after(&Next::Retry(asked), None), Due::Retry(Moment::since_boot(9 * SECOND)));
}

#[test]
fn an_objects_own_interval_wins() {
    let wish = 20 * SECOND;
    let Due::Resync(at) = after(&Next::Settled, Some(wish)) else { panic!("no re-read") };
    assert!(at <= Moment::since_boot(2 * wish));
}

#[test]
fn a_wish_for_a_flood_of_rereads_is_not_heeded() {
    let due = |resync_interval, wish| {
        let timing = Timing { resync_interval, ..TIMING };
        timing.after(&Next::Settled, 1, &group(1), Some(wish), Moment::default(), 0)
    };
    let (shortest, nano) = (10 * SECOND, Duration::from_nanos(1));
    for setting in [None, Some(INTERVAL), Some(shortest)] {
        assert_eq!(due(setting, nano), due(setting, shortest), "{setting:?}");
        assert_eq!(due(setting, Duration::ZERO), Due::Never, "{setting:?}");
    }
    let often = Duration::from_millis(200);
    assert_eq!(due(Some(often), nano), due(Some(often), often), "all are re-read as often");
}

#[test]
fn groups_spread_over_the_interval() {
    let mut places: Vec<u64> = (0..1000)
        .map(|number| resync_at(Moment::default(), INTERVAL, &group(number)))
        .map(|at| at.after_boot().as_secs() / 60)
        .collect();
    places.sort_unstable();
    let fullest = places.chunk_by(|one, other| one == other).map(<[u64]>::len).max();
    assert!(fullest.unwrap() < 200, "{fullest:?} of 1000 groups in one minute");
}

proptest! {
    #[test]
    fn a_pause_lies_between_half_and_all_of_what_it_may_be(failures in 1_u32..64, random: u64) {
        let longest = backoff(failures, SECOND, TIMING.retry_cap, u64::MAX);
        let pause = backoff(failures, SECOND, TIMING.retry_cap, random);
        prop_assert!(pause <= longest && pause >= longest / 2);
    }

    #[test]
    fn a_group_is_reread_together_and_neither_too_soon_nor_too_late(
        now in 0_u64..10_000_000,
        later in 0_u64..100,
        number in 0_u32..1000,
    ) {
        let now = Moment::since_boot(Duration::from_millis(now));
        let next = resync_at(now, INTERVAL, &group(number));
        let wait = next.since(now);
        prop_assert!(wait >= INTERVAL.mul_f64(0.39) && wait <= INTERVAL.mul_f64(1.81), "{wait:?}");
        let following = resync_at(next.plus(Duration::from_millis(later)), INTERVAL, &group(number));
        let period = following.since(next);
        prop_assert!(period >= INTERVAL.mul_f64(0.79) && period <= INTERVAL.mul_f64(1.21));
    }
}
