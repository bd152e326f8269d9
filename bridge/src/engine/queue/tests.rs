//! The queue's promises: by example, and over random histories against a naive model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn key(number: u8) -> ObjectKey {
    ObjectKey::new("team", &format!("object-{number}"))
}

fn at(seconds: u64) -> Moment {
    Moment::since_boot(Duration::from_secs(seconds))
}

fn names(queue: &mut Queue, now: Moment) -> Vec<(String, Reason)> {
    std::iter::from_fn(|| queue.next(now))
        .map(|start| (start.key.name.trim_start_matches("object-").to_owned(), start.reason))
        .collect()
}

fn done(queue: &mut Queue, number: u8, due: Due) -> bool {
    queue.finish(&key(number), false, due, &[], at(0))
}

#[test]
fn what_changed_goes_before_what_was_woken_and_that_before_rereads() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Resync, None, at(0));
    queue.add(&key(2), Reason::Woken, None, at(0));
    queue.add(&key(3), Reason::Changed, None, at(0));
    queue.add(&key(4), Reason::Requested, None, at(0));
    let order: Vec<String> = names(&mut queue, at(0)).into_iter().map(|(name, _)| name).collect();
    assert_eq!(order, ["3", "4", "2", "1"]);
}

#[test]
fn an_object_is_queued_once_and_moves_to_a_higher_lane() {
    let mut queue = Queue::default();
    assert!(queue.add(&key(1), Reason::Resync, None, at(0)));
    queue.add(&key(2), Reason::Resync, None, at(0));
    assert!(queue.add(&key(2), Reason::Changed, None, at(5)));
    assert!(!queue.add(&key(2), Reason::Woken, None, at(6)));
    assert_eq!(queue.depth(), 2);
    let start = queue.next(at(7)).unwrap();
    assert_eq!((start.key, start.reason), (key(2), Reason::Changed));
    assert_eq!(start.waited, Duration::from_secs(7));
    assert_eq!(names(&mut queue, at(7)), [("1".to_owned(), Reason::Resync)]);
    assert_eq!(queue.depth(), 0);
}

#[test]
fn a_new_object_waits_for_one_turn_at_most_during_a_full_reread() {
    let mut queue = Queue::default();
    for number in 0..200 {
        queue.add(&key(number), Reason::Resync, None, at(0));
    }
    for number in 0..20 {
        queue.next(at(0));
        queue.add(&key(200 + number), Reason::Changed, None, at(0));
        let next = [queue.next(at(0)).unwrap(), queue.next(at(0)).unwrap()];
        assert!(next.iter().any(|start| start.key == key(200 + number)), "{number}");
    }
}

#[test]
fn rereads_are_not_starved_by_changes() {
    let mut queue = Queue::default();
    queue.add(&key(0), Reason::Resync, None, at(0));
    let mut turns = 0;
    loop {
        queue.add(&key(1), Reason::Changed, None, at(0));
        let start = queue.next(at(0)).unwrap();
        if start.key == key(0) {
            break;
        }
        turns += 1;
        assert!(turns <= TURNS, "no turn for the re-read");
        done(&mut queue, 1, Due::Never);
    }
}

#[test]
fn a_change_during_a_pass_makes_another_unless_it_is_its_echo() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Changed, Some("1"), at(0));
    queue.next(at(0));
    queue.add(&key(1), Reason::Changed, Some("2"), at(1));
    assert!(queue.next(at(1)).is_none(), "it is passed over already");
    assert!(!queue.finish(&key(1), false, Due::Never, &["2".to_owned()], at(2)));
    queue.add(&key(1), Reason::Woken, None, at(3));
    queue.next(at(3));
    queue.add(&key(1), Reason::Changed, Some("3"), at(3));
    queue.add(&key(1), Reason::Changed, Some("4"), at(3));
    assert!(queue.finish(&key(1), false, Due::Never, &["4".to_owned()], at(3)));
    assert_eq!(queue.next(at(3)).unwrap().reason, Reason::Changed);
}

#[test]
fn failures_count_up_and_a_success_or_a_change_forgets_them() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Changed, None, at(0));
    for failures in 0..3 {
        assert_eq!(queue.next(at(failures)).unwrap().failures, u32::try_from(failures).unwrap());
        queue.finish(&key(1), true, Due::Retry(at(failures + 1)), &[], at(failures));
    }
    assert_eq!(queue.failures(&key(1)), 3);
    queue.add(&key(1), Reason::Woken, None, at(2));
    assert_eq!(queue.failures(&key(1)), 3);
    queue.add(&key(1), Reason::Changed, None, at(2));
    assert_eq!(queue.next(at(2)).unwrap().failures, 0);
}

#[test]
fn an_echo_that_beats_its_answer_forgives_nothing_and_a_change_meanwhile_all() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Changed, None, at(0));
    for failures in 1..4 {
        queue.next(at(failures));
        queue.add(&key(1), Reason::Changed, Some("2"), at(failures));
        let due = Due::Retry(at(failures + 1));
        assert!(!queue.finish(&key(1), true, due, &["2".to_owned()], at(failures)));
        assert_eq!(u64::from(queue.failures(&key(1))), failures);
    }
    queue.next(at(4));
    queue.add(&key(1), Reason::Changed, Some("3"), at(4));
    assert!(queue.finish(&key(1), true, Due::Retry(at(5)), &["2".to_owned()], at(4)));
    assert_eq!(queue.next(at(4)).unwrap().failures, 0);
    queue.add(&key(1), Reason::Woken, None, at(4));
    assert!(queue.finish(&key(1), true, Due::Retry(at(5)), &[], at(4)));
    assert_eq!(queue.next(at(4)).unwrap().failures, 1, "it was only woken");
}

#[test]
fn its_time_comes_once_and_a_change_takes_its_place() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Changed, None, at(0));
    queue.next(at(0));
    done(&mut queue, 1, Due::Resync(at(10)));
    assert_eq!(queue.next_due(), Some(at(10)));
    assert!(queue.next(at(9)).is_none());
    queue.add(&key(1), Reason::Changed, None, at(9));
    assert_eq!(queue.next_due(), None);
    assert_eq!(queue.next(at(9)).unwrap().reason, Reason::Changed);
    done(&mut queue, 1, Due::Resync(at(20)));
    assert_eq!(queue.next(at(20)).unwrap().reason, Reason::Resync);
    assert!(queue.next(at(99)).is_none());
}

#[test]
fn nothing_is_kept_of_an_object_that_is_gone() {
    let mut queue = Queue::default();
    for number in 0..3 {
        queue.add(&key(number), Reason::Changed, None, at(0));
    }
    queue.next(at(0));
    queue.next(at(0));
    done(&mut queue, 1, Due::Resync(at(5)));
    for number in 0..3 {
        queue.remove(&key(number));
    }
    assert!(!done(&mut queue, 0, Due::Retry(at(1))));
    assert!(queue.entries.is_empty() && queue.timers.is_empty());
    assert_eq!((queue.depth(), queue.next(at(99))), (0, None));
}

#[test]
fn an_object_made_anew_during_the_last_pass_of_the_old_one_is_passed_over() {
    let mut queue = Queue::default();
    queue.add(&key(1), Reason::Changed, None, at(0));
    queue.next(at(0));
    queue.remove(&key(1));
    queue.add(&key(1), Reason::Changed, Some("7"), at(0));
    assert!(done(&mut queue, 1, Due::Never));
}

/// What may happen to the queue.
#[derive(Debug, Clone)]
enum Step {
    Add(u8, Reason),
    Next,
    Finish(u8, bool, u64),
    Remove(u8),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let reason = prop::sample::select(vec![
        Reason::Resync,
        Reason::Retry,
        Reason::Woken,
        Reason::Changed,
        Reason::Requested,
    ]);
    prop_oneof![
        (0_u8..5, reason).prop_map(|(number, reason)| Step::Add(number, reason)),
        Just(Step::Next),
        (0_u8..5, any::<bool>(), 0_u64..20)
            .prop_map(|(number, failed, due)| Step::Finish(number, failed, due)),
        (0_u8..5).prop_map(Step::Remove),
        (0_u64..10).prop_map(Step::Wait),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_it_keeps_its_promises(steps in prop::collection::vec(step(), 0..200)) {
        let mut queue = Queue::default();
        // What is owed a pass, and since when its pass runs.
        let mut owed: BTreeMap<u8, bool> = BTreeMap::new();
        let mut running: BTreeSet<u8> = BTreeSet::new();
        let mut now = at(0);
        for step in steps {
            match step {
                Step::Add(number, reason) => {
                    queue.add(&key(number), reason, None, now);
                    owed.insert(number, true);
                }
                Step::Next => {
                    let start = queue.next(now);
                    prop_assert!(start.is_some() || owed.keys().all(|number| running.contains(number)));
                    if let Some(start) = start {
                        let number = (0..5).find(|number| key(*number) == start.key).unwrap();
                        prop_assert!(running.insert(number), "handed out twice");
                        owed.remove(&number);
                    }
                }
                Step::Finish(number, failed, due) => {
                    if running.remove(&number) {
                        let due = Due::Retry(now.plus(Duration::from_secs(due)));
                        let again = queue.finish(&key(number), failed, due, &[], now);
                        prop_assert_eq!(again, owed.contains_key(&number));
                    }
                }
                Step::Remove(number) => {
                    queue.remove(&key(number));
                    owed.remove(&number);
                }
                Step::Wait(seconds) => now = now.plus(Duration::from_secs(seconds)),
            }
            let waiting = owed.keys().filter(|number| !running.contains(number)).count();
            prop_assert!(queue.depth() >= waiting);
        }
        for number in 0..5 {
            queue.remove(&key(number));
            queue.finish(&key(number), false, Due::Never, &[], now);
        }
        prop_assert!(queue.entries.is_empty() && queue.timers.is_empty() && queue.depth() == 0);
    }
}
