//! What is shown only once: sources with their keys, and keys. One whose answer was lost is of no use.

use super::*;

#[test]
fn a_source_whose_key_was_lost_is_removed_and_made_again() {
    let mut server = Server::default();
    let outcome = run(&mut server, new_source(), false, &[Answered, LostAfter]);
    let Outcome::Made { made, warnings, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!((made.integration.id, server.ours()), (IntegrationId(2), vec![2]));
    assert_eq!(server.removed, [1]);
    assert!(warnings.is_empty());
}

#[test]
fn a_source_that_cannot_be_removed_is_named() {
    let mut server = Server::default();
    let fates = [Answered, LostAfter, Answered, Refused];
    let outcome = run(&mut server, new_source(), false, &fates);
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert!(failure.may_have_made() && failure.problem().detail.contains("id 1/1"));
    assert!(!failure.problem().detail.contains("may still appear"), "{failure:?}");
    // One was never seen before the one that was.
    let mut server = Server::default();
    let fates = [Answered, LostBefore, Answered, LostAfter, Answered, Refused];
    let Outcome::Failed(failure) = run(&mut server, new_source(), false, &fates) else { panic!() };
    let detail = failure.problem().detail;
    assert!(detail.contains("id 1/1") && detail.contains("may still appear"), "{detail}");
}

/// A key of an account whose keys nobody lists, and what becomes of its request.
fn unlisted_key(answer: Result<Reply, ApiError>) -> Outcome<NewKey> {
    let mut machine = Create::new(NewKey { account: AccountId(5), name: "ci".to_owned() }, false);
    machine.step(Event::Begin);
    let command = machine.step(Event::Replied(Err(error(Class::TooOld, Effect::None))));
    assert!(matches!(command, Command::Call { request: Request::MintKey { .. }, .. }));
    let Command::Finish(outcome) = machine.step(Event::Replied(answer)) else {
        panic!("nothing is asked that cannot be looked up")
    };
    *outcome
}

#[test]
fn a_key_is_minted_although_keys_cannot_be_listed() {
    let outcome = unlisted_key(Ok(Reply::Key(key(2))));
    assert!(matches!(outcome, Outcome::Made { warnings, .. } if warnings.is_empty()));
}

#[test]
fn a_key_that_cannot_be_looked_up_is_not_asked_for_twice() {
    let outcome = unlisted_key(Err(error(LOST.0, LOST.1)));
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    let problem = failure.problem();
    assert!(problem.detail.contains("may have been made"), "{problem:?}");
    assert!(problem.hint.contains("revoke it by hand"), "{problem:?}");
    let outcome = unlisted_key(Err(error(Class::Retryable, Effect::None)));
    assert!(matches!(outcome, Outcome::Failed(Failure::Call { .. })), "{outcome:?}");
}

#[test]
fn a_key_that_may_still_come_up_beside_the_one_that_was_made_is_told() {
    let made = |fates: &[Fate]| {
        let mut server = Server::default();
        let new = NewKey { account: AccountId(5), name: "first".to_owned() };
        let Outcome::Made { warnings, .. } = run(&mut server, new, false, fates) else {
            panic!("{fates:?}")
        };
        (warnings, server.keys.len())
    };
    // It comes after the last look: the list, the key, the look for it, another key, another look.
    let (warnings, _) = made(&[Answered, LostBefore]);
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.detail.contains("may still appear"), "{warning:?}");
    // It was seen, and revoked: nothing is left to say.
    assert_eq!(made(&[Answered, LostAfter]), (Vec::new(), 1));
    assert_eq!(made(&[Answered, Fate::Late]), (Vec::new(), 1));
    // Two are lost and one of them was seen.
    assert_eq!(made(&[Answered, LostBefore, Answered, LostAfter]).0.len(), 1);
}

#[test]
fn after_the_servers_own_word_that_none_was_made_a_new_key_of_the_name_is_another_runs() {
    let mut server = Server::default();
    let new = || NewKey { account: AccountId(5), name: "first".to_owned() };
    let mut machine = Create::new(new(), false);
    machine.step(Event::Begin);
    machine.step(Event::Replied(server.handle(&new().list(), Answered)));
    machine.step(Event::Replied(Err(error(Class::Retryable, Effect::Unknown))));
    machine.step(Event::Replied(server.handle(&new().list(), Answered)));
    let made = server.handle(&new().post(), Answered);
    assert!(matches!(machine.step(Event::Replied(made)), Command::Finish(_)), "nothing is swept");
}
