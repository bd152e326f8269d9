//! Creates that set out with a list which others share, where the server refuses a taken name.

use super::*;

/// A switch of another's making.
fn foreign(id: i64, timeout: &str) -> api::Switch {
    api::Switch { timeout: timeout.to_owned(), ..switch(id, "a") }
}

fn none() -> Reply {
    Reply::Switches(Vec::new().into())
}

/// A machine whose list showed nothing and whose answer was lost.
fn in_doubt(adopt: bool) -> Create<NewSwitch> {
    let mut machine = Create::new(new_switch("a"), adopt);
    let Command::Call { fresh, .. } = machine.step(Event::Begin) else { panic!() };
    assert!(!fresh, "any list will do");
    let Command::Call { request, .. } = machine.step(Event::Replied(Ok(none()))) else { panic!() };
    assert!(matches!(request, Request::CreateSwitch { .. }));
    let lost = error(LOST.0, LOST.1);
    let Command::Call { fresh, .. } = machine.step(Event::Replied(Err(lost))) else { panic!() };
    assert!(fresh, "a proof");
    machine
}

#[test]
fn a_name_that_a_shared_list_shows_as_taken_is_looked_at_anew() {
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
fn one_that_a_shared_list_did_not_show_is_refused_and_named() {
    let mut server = Server::default();
    let outcome = run(&mut server, new_switch("a"), false, &[Answered, Overtaken]);
    assert!(matches!(outcome, Outcome::Failed(Failure::Taken { ids, .. }) if ids == ["1/1"]));
    assert_eq!((server.objects.len(), server.removed.len()), (1, 0));
}

fn listed(switch: api::Switch) -> Event {
    Event::Replied(Ok(Reply::Switches(vec![switch].into())))
}

fn end(command: Command<NewSwitch>) -> Outcome<NewSwitch> {
    let Command::Finish(outcome) = command else { panic!("{command:?}") };
    *outcome
}

#[test]
fn after_a_lost_answer_the_new_one_is_ours() {
    let outcome = end(in_doubt(false).step(listed(switch(7, "a"))));
    assert!(matches!(outcome, Outcome::Made { made, .. } if made.id == SwitchId(7)));
}

#[test]
fn after_a_lost_answer_one_that_was_never_posted_is_not_ours() {
    let outcome = end(in_doubt(false).step(listed(foreign(8, "2h"))));
    assert!(matches!(outcome, Outcome::Failed(Failure::Taken { ids, .. }) if ids == ["1/8"]));
    let outcome = end(in_doubt(true).step(listed(foreign(8, "2h"))));
    assert!(matches!(outcome, Outcome::Found(found) if found.id == SwitchId(8)));
}

#[test]
fn the_list_after_a_lost_answer_is_what_the_next_one_is_judged_by() {
    let mut machine = in_doubt(false);
    let Command::Call { request, .. } = machine.step(Event::Replied(Ok(none()))) else { panic!() };
    assert!(matches!(request, Request::CreateSwitch { .. }), "none is there: it is posted again");
    machine.step(Event::Replied(Err(error(LOST.0, LOST.1))));
    let outcome = end(machine.step(listed(switch(7, "a"))));
    assert!(matches!(outcome, Outcome::Made { made, .. } if made.id == SwitchId(7)));
}

#[test]
fn what_cannot_have_been_posted_differs_in_what_a_post_says() {
    let (source_here, account_here) = (source(1, "prod"), account(1, "ci"));
    assert!(new_source().may_be_posted(&source_here));
    assert!(!new_source().may_be_posted(&Integration { kind: "grafana".into(), ..source_here }));
    let scope = AccountScope::Team(TeamId(77));
    assert!(new_account().may_be_posted(&account_here));
    assert!(!new_account().may_be_posted(&Account { scope, ..account_here }));
    let ada = api::User {
        id: UserId(1),
        username: "ada".into(),
        email: "Ada@example.org".into(),
        ntfy_topic: None,
        created_at: None,
    };
    let new = NewUser { username: "ada".into(), email: "ada@example.org".into() };
    assert!(new.may_be_posted(&ada));
    assert!(!new.may_be_posted(&api::User { email: "other@example.org".into(), ..ada }));
}
