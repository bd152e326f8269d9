//! Releasing: our keys go, our account goes if it may, everything else stays.

use super::fake::error;
use super::*;
use crate::api::Request;
use crate::error::{Class, Effect};

#[test]
fn a_release_leaves_no_key_of_ours_and_takes_the_account_if_it_may() {
    let (mut fake, _, first) = created();
    let second = rotated(&mut fake, &first);
    let account = current(&second).id;
    let ran = released(&mut fake, &second, &[]);
    assert!(ran.is_done() && fake.keys_of(account).is_empty());
    assert_eq!(ran.warnings(), [Warning::AccountStays { account, error: None }]);

    let (mut fake, admin, facts) = created();
    let ran = released(&mut fake, &facts, &[admin]);
    assert!(ran.is_done() && ran.warnings().is_empty() && fake.accounts.is_empty());
}

#[test]
fn a_release_never_deletes_an_account_that_was_adopted() {
    let (mut fake, admin) = Fake::with_admin();
    fake.add_account("terraform", AccountScope::Instance);
    let mut adopting = handed(&admin);
    adopting.account.adopt_existing = true;
    let facts = converge(&mut fake, &Facts::default(), &adopting).facts;
    let ran = released(&mut fake, &facts, &[admin]);
    assert!(ran.is_done() && ran.warnings().is_empty());
    assert!(fake.keys_of(current(&facts).id).is_empty());
    assert!(fake.account("terraform").is_some());
}

#[test]
fn a_release_with_a_key_that_is_refused_names_what_is_left() {
    let (mut fake, _, first) = created();
    let second = rotated(&mut fake, &first);
    fake.keys.remove(&key_id(&second));
    let ran = released(&mut fake, &second, &[]);
    assert!(ran.is_done());
    let account = current(&second).id;
    let keys = vec![key_id(&first), key_id(&second)];
    assert!(ran.warnings().iter().any(|warning| matches!(
        warning, Warning::KeysLeft { account: id, keys: left, .. } if *id == account && *left == keys
    )));
}

#[test]
fn a_release_revokes_the_bootstrap_key_last() {
    let mut fake = Fake::default();
    let keep = Order { keep_bootstrap_key: true, ..bootstrapping() };
    let facts = converge(&mut fake, &Facts::default(), &keep).facts;
    let ran = released(&mut fake, &facts, &[]);
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
    assert!(fake.keys.is_empty() && fake.accounts.is_empty());
}

#[test]
fn a_server_without_the_delete_route_is_left_without_keys() {
    let (mut fake, admin, facts) = created();
    fake.no_account_delete = true;
    let ran = released(&mut fake, &facts, &[admin]);
    assert!(ran.is_done() && fake.keys_of(current(&facts).id).is_empty());
    assert!(matches!(ran.warnings(), [Warning::AccountStays { .. }]));
}

#[test]
fn a_release_that_cannot_reach_the_server_keeps_the_record_and_can_be_made_again() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..4 {
            let mut fake = Fake::default();
            let keep = Order { keep_bootstrap_key: true, ..bootstrapping() };
            let facts = converge(&mut fake, &Facts::default(), &keep).facts;
            fake.log.clear();
            fake.fault = Some((turn, fault));
            let first = released(&mut fake, &facts, &[]);
            fake.fault = None;
            let _ = released(&mut fake, &first.facts, &[]);
            assert!(fake.keys.is_empty() && fake.accounts.is_empty(), "{fault:?} at {turn}");
        }
    }
}

#[test]
fn a_release_of_nothing_calls_nothing() {
    let mut fake = Fake::default();
    let ran = released(&mut fake, &Facts::default(), &[]);
    assert_eq!(ran.warnings(), [Warning::NothingHeld]);
    assert!(fake.log.is_empty());
}

#[test]
fn after_a_new_database_nothing_of_somebody_elses_is_removed() {
    let (_, _, facts) = created();
    let (mut fake, admin) = Fake::with_admin();
    fake.next = current(&facts).id.0 - 1;
    let other = fake.add_account("somebody else's", AccountScope::Instance);
    let key = fake.add_key(Owner::Account(other.id), KEY_NAME);
    fake.keys.get_mut(&key.id).unwrap().token = "another".to_owned();
    assert_eq!((other.id, key.id), (current(&facts).id, key_id(&facts)));
    let ran = released(&mut fake, &facts, &[admin]);
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
    assert_eq!(fake.keys_of(other.id), [key.id]);
}

/// A server that answers some requests with its own word for "not found".
fn released_with_404s(
    fake: &mut Fake,
    facts: &Facts,
    admin: &SecretString,
    is_unknown: fn(&Request) -> bool,
) -> Ran {
    let mut machine = Machine::release(facts.clone(), vec![admin.clone()]);
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Finish(outcome) => {
                return Ran { facts: outcome.facts.clone(), outcome: Some(outcome) };
            }
            Command::Store(_) => Event::Stored,
            Command::Call { request, .. } if is_unknown(&request) => {
                Event::Replied(Err(error(Class::NotFound, Effect::None, Some(404))))
            }
            Command::Call { key, request } => Event::Replied(fake.answer(key.as_ref(), &request)),
        };
    }
}

#[test]
fn an_account_is_gone_only_if_a_list_of_all_lacks_it() {
    let by_name = |request: &Request| matches!(request, Request::ListAccounts { name: Some(_) });
    let (mut fake, admin, facts) = created();
    let ran = released_with_404s(&mut fake, &facts, &admin, by_name);
    assert!(ran.is_done() && ran.warnings().is_empty() && fake.accounts.is_empty());

    for is_unknown in [
        (|request| matches!(request, Request::ListAccounts { .. })) as fn(&Request) -> bool,
        |request| matches!(request, Request::DeleteAccount { .. }),
        |request| matches!(request, Request::ListAccounts { .. } | Request::DeleteAccount { .. }),
    ] {
        let (mut fake, admin, facts) = created();
        let ran = released_with_404s(&mut fake, &facts, &admin, is_unknown);
        assert!(ran.is_done() && !fake.accounts.is_empty(), "{:?}", ran.failure());
        let account = current(&facts).id;
        let stays = |warning: &Warning| matches!(warning, Warning::AccountStays { account: id, error: Some(_) } if *id == account);
        assert!(ran.warnings().iter().any(stays), "{:?}", ran.warnings());
    }
    // Somebody has deleted it: that is what was wanted.
    let (mut fake, admin, facts) = created();
    fake.accounts.clear();
    let ran = released(&mut fake, &facts, &[admin]);
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.warnings());
}
