//! Creates that set out with a list which may be old, where the server refuses a taken name.

use super::*;

/// A switch of another's making.
fn foreign(id: i64, timeout: &str) -> api::Switch {
    api::Switch { timeout: timeout.to_owned(), ..switch(id, "a") }
}

/// A machine whose list showed nothing and whose answer was lost.
fn in_doubt() -> Create<NewSwitch> {
    let mut machine = Create::new(new_switch("a"), false);
    let Command::Call { fresh, .. } = machine.step(Event::Begin) else { panic!() };
    assert!(!fresh, "any list will do");
    let listed = Reply::Switches(Vec::new().into());
    let Command::Call { request, .. } = machine.step(Event::Replied(Ok(listed))) else { panic!() };
    assert!(matches!(request, Request::CreateSwitch { .. }));
    let lost = error(LOST.0, LOST.1);
    let Command::Call { fresh, .. } = machine.step(Event::Replied(Err(lost))) else { panic!() };
    assert!(fresh, "a proof");
    machine
}

#[test]
fn a_name_that_an_old_list_shows_as_taken_is_looked_at_anew() {
    let mut machine = Create::new(new_switch("a"), true);
    machine.step(Event::Begin);
    let old = Reply::Switches(vec![switch(1, "a")].into());
    let Command::Call { request, fresh, .. } = machine.step(Event::Replied(Ok(old))) else {
        panic!()
    };
    assert!(fresh && matches!(request, Request::ListSwitches { .. }));
    let gone = Reply::Switches(Vec::new().into());
    let Command::Call { request, .. } = machine.step(Event::Replied(Ok(gone))) else { panic!() };
    assert!(matches!(request, Request::CreateSwitch { .. }));
}

#[test]
fn one_that_an_old_list_did_not_show_is_refused_and_named() {
    let mut server = Server::default();
    let outcome = run(&mut server, new_switch("a"), false, &[Answered, Overtaken]);
    assert!(matches!(outcome, Outcome::Failed(Failure::Taken { ids, .. }) if ids == ["1/1"]));
    assert_eq!((server.objects.len(), server.removed.len()), (1, 0));
}

#[test]
fn after_a_lost_answer_only_what_was_posted_is_ours() {
    let ours = Reply::Switches(vec![switch(7, "a")].into());
    let Command::Finish(outcome) = in_doubt().step(Event::Replied(Ok(ours))) else { panic!() };
    assert!(matches!(*outcome, Outcome::Made { made, .. } if made.id == SwitchId(7)));
    let other = Reply::Switches(vec![foreign(8, "2h")].into());
    let Command::Finish(outcome) = in_doubt().step(Event::Replied(Ok(other))) else { panic!() };
    assert!(matches!(*outcome, Outcome::Failed(Failure::Taken { ids, .. }) if ids == ["1/8"]));
}
