//! Sole custody: what the name makes ours, what stays a stranger's, and how it is given up.

use super::*;
use crate::ids::{AccountId, TeamId};

const NAME: &str = "terdut-operator-6f1c2d3e-team-4";
const TEAM: AccountScope = AccountScope::Team(TeamId(4));

fn team_order(instance: &SecretString) -> Order {
    Order { handed: vec![instance.clone()], ..Order::sole(NAME, TEAM) }
}

fn made() -> (Fake, SecretString, Facts) {
    let (mut fake, _) = Fake::with_admin();
    let instance = fake.add_instance_key();
    let ran = converge(&mut fake, &Facts::default(), &team_order(&instance));
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
    fake.log.clear();
    (fake, instance, ran.facts)
}

fn assert_sole(fake: &Fake, facts: &Facts, context: &str) {
    let account = fake.account(NAME).unwrap();
    assert_eq!(current(facts).id, account.id, "{context}");
    assert_eq!(fake.keys_of(account.id), [key_id(facts)], "{context}: {:?}", fake.log);
    assert!(fake.works(facts.token().unwrap()) && !facts.unfinished, "{context}");
    assert_eq!((current(facts).previous, current(facts).spare.len()), (None, 0), "{context}");
}

fn released_sole(fake: &mut Fake, facts: &Facts, handed: &[SecretString]) -> Ran {
    let account = Order::sole(NAME, TEAM).account;
    let machine = Machine::release_sole(facts.clone(), account, handed.to_vec());
    run(fake, facts.clone(), machine, None)
}

#[test]
fn an_account_of_our_name_is_ours_and_keeps_only_the_new_key() {
    let (mut fake, _) = Fake::with_admin();
    let instance = fake.add_instance_key();
    let account = fake.add_account(NAME, TEAM);
    for name in [SOLE_KEY_NAME, "by hand"] {
        fake.add_key(Owner::Account(account.id), name);
    }
    let ran = converge(&mut fake, &Facts::default(), &team_order(&instance));
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
    assert_sole(&fake, &ran.facts, "taken up");
    assert_eq!(fake.keys[&key_id(&ran.facts)].name, SOLE_KEY_NAME);
}

#[test]
fn an_account_of_our_name_with_another_scope_is_left_alone() {
    let (mut fake, _) = Fake::with_admin();
    let instance = fake.add_instance_key();
    let account = fake.add_account(NAME, AccountScope::Team(TeamId(5)));
    fake.add_key(Owner::Account(account.id), "theirs");
    let ran = converge(&mut fake, &Facts::default(), &team_order(&instance));
    let text = ran.failure().unwrap().to_string();
    assert!(text.ends_with("has the scope team (5), not team (4)"), "{text}");
    assert_eq!(fake.keys_of(account.id).len(), 1);
}

#[test]
fn a_rotation_revokes_the_old_key_only_after_the_new_one_is_stored() {
    let (mut fake, instance, facts) = made();
    let order = Order { rotate: Rotate::ByHeld, ..team_order(&instance) };
    let mut machine = Machine::converge(facts.clone(), order);
    let (mut event, mut stored) = (Event::Begin, facts.clone());
    let last = loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                if let crate::api::Request::RevokeKey { key, .. } = &request {
                    assert_ne!(key_id(&stored), *key, "the stored key is revoked");
                }
                Event::Replied(fake.answer(key.as_ref(), &request))
            }
            Command::Store(facts) => {
                assert!(fake.works(facts.token().unwrap()));
                stored = facts;
                Event::Stored
            }
            Command::Finish(outcome) => break outcome,
        };
    };
    assert!(last.failure.is_none());
    assert_sole(&fake, &stored, "rotated");
    assert_ne!(stored.token(), facts.token());
}

#[test]
fn a_rotation_that_is_refused_leaves_the_key_and_nothing_to_do() {
    let mut fake = Fake { no_self_service: true, ..Fake::default() };
    let account = fake.add_account(NAME, AccountScope::Instance);
    let key = fake.add_key(Owner::Account(account.id), SOLE_KEY_NAME);
    let mut facts = made().2;
    let held = facts.current.as_mut().unwrap();
    held.id = account.id;
    held.key = Some(HeldKey { id: Some(key.id), token: key.key.unwrap() });
    let order = Order { rotate: Rotate::ByHeld, ..Order::sole(NAME, AccountScope::Instance) };
    let ran = converge(&mut fake, &facts, &order);
    assert_eq!(ran.failure().unwrap().reason(), "RotationDenied");
    assert_eq!(ran.facts, facts);
}

#[test]
fn a_key_that_the_server_does_not_know_is_minted_again_by_the_key_above_it() {
    let (mut fake, instance, facts) = made();
    fake.keys.remove(&key_id(&facts));
    let lost = Order { rotate: Rotate::Lost, ..team_order(&instance) };
    let ran = converge(&mut fake, &facts, &lost);
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_sole(&fake, &ran.facts, "minted again");

    let alone = Order { handed: Vec::new(), ..lost };
    let ran = converge(&mut fake, &facts, &alone);
    assert_eq!(ran.failure().unwrap().reason(), "WaitingForCredential");
}

#[test]
fn a_key_that_failed_its_proof_is_revoked_and_the_stored_one_stays() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..8 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, instance, facts) = made();
            fake.fault = Some((turn, fault));
            let order = Order { rotate: Rotate::ByHeld, ..team_order(&instance) };
            let ran = converge(&mut fake, &facts, &order);
            assert!(fake.works(ran.facts.token().unwrap()), "{context}");
            fake.fault = None;
            let ran = converge(&mut fake, &ran.facts, &team_order(&instance));
            assert!(ran.is_done(), "{context}: {:?}", ran.failure());
            assert_sole(&fake, &ran.facts, &context);
        }
    }
}

#[test]
fn a_key_that_comes_up_late_is_revoked_by_the_next_pass() {
    let (mut fake, instance, facts) = made();
    fake.fault = Some((1, Fault::LostBefore));
    let order = Order { rotate: Rotate::ByHeld, ..team_order(&instance) };
    let ran = converge(&mut fake, &facts, &order);
    assert!(ran.is_done() && ran.facts.unfinished, "{:?}", fake.log);
    fake.add_key(Owner::Account(current(&facts).id), SOLE_KEY_NAME);
    fake.fault = None;
    let ran = converge(&mut fake, &ran.facts, &team_order(&instance));
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_sole(&fake, &ran.facts, "looked for once more");
}

#[test]
fn after_a_new_database_a_renewal_that_fails_touches_no_key_of_another_account() {
    let (_, _, facts) = made();
    for rotate in [Rotate::ByHeld, Rotate::ByHanded, Rotate::Lost] {
        for turn in 0..6 {
            let (mut fake, _) = Fake::with_admin();
            fake.next = current(&facts).id.0 - 1;
            let other = fake.add_account("somebody else's", TEAM);
            fake.next += 10;
            let theirs = [1, 2].map(|_| fake.add_key(Owner::Account(other.id), "theirs").id);
            let instance = fake.add_instance_key();
            fake.log.clear();
            fake.fault = Some((turn, Fault::Refused));
            let order = Order { rotate, ..team_order(&instance) };
            converge(&mut fake, &facts, &order);
            assert_eq!(fake.keys_of(other.id), theirs, "{rotate:?} at {turn}: {:?}", fake.log);
        }
    }
}

#[test]
fn after_a_new_database_no_key_is_minted_on_another_account_of_that_id() {
    let (_, _, facts) = made();
    for rotate in [Rotate::ByHeld, Rotate::ByHanded, Rotate::Lost] {
        let (mut fake, _) = Fake::with_admin();
        fake.next = current(&facts).id.0 - 1;
        let other = fake.add_account("somebody else's", TEAM);
        assert_eq!(other.id, current(&facts).id);
        fake.next += 10;
        let theirs = fake.add_key(Owner::Account(other.id), "theirs").id;
        let instance = fake.add_instance_key();
        let ran = converge(&mut fake, &facts, &Order { rotate, ..team_order(&instance) });
        assert!(ran.is_done(), "{rotate:?}: {:?}", ran.failure());
        assert_sole(&fake, &ran.facts, "made anew");
        assert_eq!(fake.keys_of(other.id), [theirs], "{rotate:?}");
    }
}

#[test]
fn keys_that_cannot_be_listed_are_told_and_not_looked_for_again() {
    let (mut fake, _, facts) = made();
    fake.no_self_service = true;
    let unfinished = Facts { unfinished: true, ..facts.clone() };
    let ran = converge(&mut fake, &unfinished, &Order::sole(NAME, TEAM));
    assert!(matches!(ran.warnings(), [Warning::KeysUnlisted { .. }]), "{:?}", ran.outcome);
    assert!(ran.is_done() && ran.facts == facts);
}

#[test]
fn a_pass_with_nothing_to_do_asks_and_stores_nothing() {
    let (_, instance, facts) = made();
    let mut machine = Machine::converge(facts, team_order(&instance));
    assert!(matches!(machine.step(Event::Begin), Command::Finish(outcome)
        if outcome.failure.is_none()));
}

#[test]
fn an_admin_key_that_may_not_be_revoked_is_told_and_given_up() {
    let mut fake = Fake::default();
    let order = Order { handed: Vec::new(), ..bootstrapping() };
    let order = Order {
        bootstrap: order.bootstrap,
        ..Order::sole("terdut-operator-6f1c2d3e", AccountScope::Instance)
    };
    let mut machine = Machine::converge(Facts::default(), order);
    let mut event = Event::Begin;
    let ended = loop {
        event = match machine.step(event) {
            Command::Call { request: crate::api::Request::RevokeUserKey { .. }, .. } => {
                Event::Replied(Err(fake::refusal(403)))
            }
            Command::Call { key, request } => Event::Replied(fake.answer(key.as_ref(), &request)),
            Command::Store(_) => Event::Stored,
            Command::Finish(outcome) => break outcome,
        };
    };
    assert!(ended.failure.is_none() && ended.facts.admin.is_none());
    assert!(matches!(ended.warnings.as_slice(), [Warning::AdminKeyLeft { .. }]));
}

#[test]
fn a_release_takes_the_account_also_where_a_crash_left_no_record() {
    for recorded in [true, false] {
        let (mut fake, instance, facts) = made();
        let account = current(&facts).id;
        fake.add_key(Owner::Account(account), "left by a crash");
        let facts = if recorded { facts } else { Facts::default() };
        let ran = released_sole(&mut fake, &facts, &[instance]);
        assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
        assert!(fake.account(NAME).is_none() && fake.keys_of(account).is_empty());
        assert!(ran.facts.current.is_none());
        assert!(fake.account("the bridge").is_some(), "only ours goes");
    }
}

#[test]
fn a_release_with_its_own_key_leaves_no_key_of_the_account() {
    let (mut fake, _, facts) = made();
    let account = current(&facts).id;
    fake.add_key(Owner::Account(account), "left by a crash");
    let ran = released_sole(&mut fake, &facts, &[]);
    assert!(ran.is_done() && fake.keys_of(account).is_empty(), "{:?}", ran.outcome);
    assert_eq!(ran.warnings(), [Warning::AccountStays { account, error: None }]);
}

#[test]
fn a_release_that_is_cut_short_is_finished_by_the_next() {
    for number in 0..10 {
        for after in [false, true] {
            let (mut fake, instance, facts) = made();
            fake.add_key(Owner::Account(current(&facts).id), "left by a crash");
            let account = Order::sole(NAME, TEAM).account;
            let machine = Machine::release_sole(facts.clone(), account, vec![instance.clone()]);
            let ran = run(&mut fake, facts, machine, Some((number, after)));
            let ended = released_sole(&mut fake, &ran.facts, &[instance]);
            assert!(ended.is_done(), "crash at {number}: {:?}", ended.failure());
            assert!(fake.account(NAME).is_none(), "crash at {number}");
        }
    }
}

#[test]
fn a_release_after_a_new_database_touches_no_other_account() {
    let (_, _, facts) = made();
    let (mut fake, _) = Fake::with_admin();
    fake.next = current(&facts).id.0 - 1;
    let other = fake.add_account("somebody else's", TEAM);
    fake.next += 10;
    let theirs = fake.add_key(Owner::Account(other.id), "theirs").id;
    let instance = fake.add_instance_key();
    assert_eq!(AccountId(other.id.0), current(&facts).id);
    let ran = released_sole(&mut fake, &facts, &[instance]);
    assert!(ran.is_done() && ran.warnings().is_empty(), "{:?}", ran.outcome);
    assert_eq!(fake.keys_of(other.id), [theirs]);
}
