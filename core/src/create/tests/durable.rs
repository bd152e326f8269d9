//! Creates that outlive their process: a crash before and after each command in turn.

use std::collections::BTreeSet;

use super::*;

/// What a run left behind.
struct Ran<K: Creatable> {
    recorded: Option<BTreeSet<i64>>,
    outcome: Option<Outcome<K>>,
}

/// Runs a machine; before or after its command number `crash` the process is gone.
fn run_until<K: Creatable>(
    server: &mut Server,
    new: K,
    before: Option<BTreeSet<i64>>,
    crash: Option<(usize, bool)>,
) -> Ran<K> {
    let mut machine = Create::durable(new, false, before.clone());
    let mut recorded = before;
    let mut event = Event::Begin;
    for number in 0..20 {
        let command = machine.step(event);
        if crash == Some((number, false)) {
            return Ran { recorded, outcome: None };
        }
        event = match command {
            Command::Finish(outcome) => return Ran { recorded, outcome: Some(*outcome) },
            Command::Record(before) => {
                recorded = Some(before);
                Event::Recorded
            }
            Command::Call { request, .. } => {
                let posts = posted_name(&request).is_some();
                assert!(!posts || recorded.is_some(), "posted without a record");
                Event::Replied(server.handle(&request, Answered))
            }
        };
        if crash == Some((number, true)) {
            return Ran { recorded, outcome: None };
        }
    }
    panic!("the machine does not end");
}

fn survives_every_crash<K: Creatable + Clone>(new: &K) {
    for number in 0..20 {
        for after in [false, true] {
            let context = format!("crash at command {number}, after it: {after}");
            let mut server = Server::with(&["b"]);
            let first = run_until(&mut server, new.clone(), None, Some((number, after)));
            if first.outcome.is_some() {
                assert!(number >= 3, "a list, a record and a request are the least");
                return;
            }
            let ran = run_until(&mut server, new.clone(), first.recorded, None);
            let Some(Outcome::Made { made, .. }) = ran.outcome else { panic!("{context}") };
            assert_eq!(server.ours(), [K::made_id(&made)], "{context}");
            assert_eq!(server.foreign, [1], "{context}");
            assert!(!server.removed.contains(&1), "{context}");
        }
    }
}

#[test]
fn a_crash_at_any_command_ends_in_one_object() {
    survives_every_crash(&new_team());
    survives_every_crash(&new_source());
}

#[test]
fn a_second_crash_after_ours_was_found_ends_in_one_object_with_its_key() {
    for number in 0..4 {
        let mut server = Server::default();
        let first = run_until(&mut server, new_source(), None, Some((2, true)));
        assert_eq!(server.ours(), [1], "the first was posted");
        let before = first.recorded;
        run_until(&mut server, new_source(), before.clone(), Some((number, true)));
        let last = run_until(&mut server, new_source(), before, None);
        let Some(Outcome::Made { made, .. }) = last.outcome else { panic!("crash at {number}") };
        assert_eq!(server.ours(), [made.integration.id.0], "crash at {number}");
    }
}

#[test]
fn what_had_the_name_before_the_record_is_never_taken_for_ours() {
    let mut server = Server::with(&["a"]);
    let before = Some(BTreeSet::from([1]));
    let ran = run_until(&mut server, new_source(), before, None);
    assert!(matches!(ran.outcome, Some(Outcome::Failed(Failure::Taken { .. }))));
    assert!(server.removed.is_empty());

    let mut server = Server::default();
    server.add("a");
    server.add("a");
    let ran = run_until(&mut server, new_source(), Some(BTreeSet::new()), None);
    assert!(matches!(ran.outcome, Some(Outcome::Failed(Failure::Ambiguous { ids, .. }))
        if ids == ["1/1", "1/2"]));
    assert!(server.removed.is_empty());
}

#[test]
fn a_name_that_is_taken_is_told_without_a_record() {
    let mut server = Server::with(&["a"]);
    let ran = run_until(&mut server, new_team(), None, None);
    assert!(matches!(ran.outcome, Some(Outcome::Failed(Failure::Taken { .. }))));
    assert_eq!(ran.recorded, None);
}

#[test]
fn a_request_of_the_crashed_process_that_acts_late_leaves_no_second_source() {
    let mut server = Server::default();
    let mut machine = Create::durable(new_source(), false, Some(BTreeSet::new()));
    let Command::Call { request, .. } = machine.step(Event::Begin) else { panic!() };
    let Command::Call { request: post, .. } =
        machine.step(Event::Replied(server.handle(&request, Answered)))
    else {
        panic!("nothing is there, so it is posted")
    };
    let late = server.add("a");
    let mut event = Event::Replied(server.handle(&post, Answered));
    loop {
        match machine.step(event) {
            Command::Call { request, .. } => {
                event = Event::Replied(server.handle(&request, Answered));
            }
            Command::Finish(outcome) => {
                let Outcome::Made { made, .. } = *outcome else { panic!("{outcome:?}") };
                assert_eq!(server.ours(), [made.integration.id.0]);
                assert_eq!(server.removed, [late]);
                return;
            }
            Command::Record(_) => panic!("it is recorded already"),
        }
    }
}

#[test]
fn a_look_up_that_fails_after_a_crash_says_that_nobody_knows() {
    let mut machine = Create::durable(new_team(), false, Some(BTreeSet::new()));
    machine.step(Event::Begin);
    let refused = Err(error(Class::Unreachable, Effect::None));
    let Command::Finish(outcome) = machine.step(Event::Replied(refused)) else { panic!() };
    let Outcome::Failed(failure) = *outcome else { panic!() };
    assert!(failure.may_have_made() && failure.error().unwrap().class == Class::Unreachable);
}
