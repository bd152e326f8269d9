//! Renewing: rotation, rename, a key that is refused, a server that moved.

use super::*;

/// An order to go over to another account.
fn renaming(key: &SecretString) -> Order {
    let mut rename = handed(key);
    rename.account.name = "ops".into();
    rename
}

#[test]
fn the_previous_key_lives_until_the_next_rotation() {
    let (mut fake, _, first) = created();
    let second = rotated(&mut fake, &first);
    assert_whole(&fake, &second, &[key_id(&first)], "one rotation");
    assert_eq!(current(&second).previous, Some(key_id(&first)));
    let third = rotated(&mut fake, &second);
    assert_whole(&fake, &third, &[key_id(&second)], "two rotations");
    assert_eq!(current(&third).previous, Some(key_id(&second)));
}

#[test]
fn a_fault_in_a_rotation_leaves_a_stored_key_that_works_and_the_next_one_tidies_up() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..8 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, _, first) = created();
            let second = rotated(&mut fake, &first);
            fake.log.clear();
            fake.fault = Some((turn, fault));
            let by_held = Order { rotate: Rotate::ByHeld, ..order() };
            let third = converge(&mut fake, &second, &by_held).facts;
            assert!(fake.works(third.token().unwrap()), "{context}");
            assert!(fake.works(second.token().unwrap()), "{context}: what is stored must live");
            fake.fault = None;
            let last = rotated(&mut fake, &third);
            assert_whole(&fake, &last, &[key_id(&third)], &context);
        }
    }
}

#[test]
fn a_refused_rotation_leaves_the_key_in_use() {
    let (mut fake, admin, facts) = created();
    fake.no_self_service = true;
    let by_held = Order { rotate: Rotate::ByHeld, ..order() };
    let ran = converge(&mut fake, &facts, &by_held);
    assert_eq!(ran.failure().unwrap().reason(), "RotationDenied");
    assert_eq!(ran.facts.token(), facts.token());

    let ran = converge(&mut fake, &facts, &Order { handed: vec![admin], ..by_held });
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_ne!(ran.facts.token(), facts.token());
}

#[test]
fn a_key_that_is_refused_is_replaced_by_a_handed_one_and_a_lost_account_is_made_again() {
    let (mut fake, admin, facts) = created();
    fake.keys.remove(&key_id(&facts));
    let lost = Order { rotate: Rotate::Lost, ..handed(&admin) };
    let ran = converge(&mut fake, &facts, &lost);
    assert_whole(&fake, &ran.facts, &[], "key revoked outside");

    let account = current(&ran.facts).id;
    fake.accounts.clear();
    fake.keys.retain(|_, key| key.owner != Owner::Account(account));
    let ran = converge(&mut fake, &ran.facts, &lost);
    assert_whole(&fake, &ran.facts, &[], "account deleted outside");
    assert_ne!(current(&ran.facts).id, account);
}

#[test]
fn a_moved_server_must_know_the_stored_key_before_anything_is_done() {
    let (mut fake, _, facts) = created();
    let moved = Order { prove_held: true, ..order() };
    assert!(converge(&mut fake, &facts, &moved).is_done());
    assert_eq!(fake.log, ["Me"]);
    let mut other = Fake::default();
    let ran = converge(&mut other, &facts, &moved);
    assert_eq!(ran.failure().unwrap().reason(), "Denied");
    assert_eq!(other.log, ["Me"]);
    assert_eq!(ran.facts, facts);

    let (mut other, admin) = Fake::with_admin();
    for rotate in [Rotate::ByHeld, Rotate::ByHanded, Rotate::Lost] {
        other.log.clear();
        let handed_in = Order { rotate, prove_held: true, ..handed(&admin) };
        let ran = converge(&mut other, &facts, &handed_in);
        assert_eq!(ran.failure().unwrap().reason(), "Denied");
        assert_eq!(other.log, ["Me"], "{rotate:?}");
    }
}

#[test]
fn a_rename_makes_a_new_account_and_the_old_one_goes_at_the_next_rotation() {
    let (mut fake, admin, facts) = created();
    let rename = renaming(&admin);
    let renamed = converge(&mut fake, &facts, &rename).facts;
    assert!(fake.works(renamed.token().unwrap()) && fake.works(facts.token().unwrap()));
    assert_eq!(current(&renamed).name.as_deref(), Some("ops"));

    let rotate = Order { rotate: Rotate::ByHanded, ..rename };
    let ran = converge(&mut fake, &renamed, &rotate);
    assert!(ran.is_done() && ran.facts.retired.is_empty(), "{ran:?}", ran = ran.outcome);
    assert!(fake.account("terraform").is_none());
    assert!(!fake.works(facts.token().unwrap()) && fake.works(renamed.token().unwrap()));
}

#[test]
fn without_an_admin_key_the_old_account_loses_our_keys_and_stays() {
    let (mut fake, admin, facts) = created();
    let rename = renaming(&admin);
    let renamed = converge(&mut fake, &facts, &rename).facts;
    let rotate = Order { rotate: Rotate::ByHeld, handed: Vec::new(), ..rename };
    let ran = converge(&mut fake, &renamed, &rotate);
    assert!(fake.keys_of(current(&facts).id).is_empty());
    assert!(matches!(ran.warnings(), [Warning::AccountStays { error: None, .. }]));
}

#[test]
fn a_rename_back_takes_the_old_account_up_again() {
    let (mut fake, admin, facts) = created();
    let rename = renaming(&admin);
    let renamed = converge(&mut fake, &facts, &rename).facts;
    let ran = converge(&mut fake, &renamed, &handed(&admin));
    assert_eq!(current(&ran.facts).id, current(&facts).id);
    assert_whole(&fake, &ran.facts, &[key_id(&facts)], "renamed back");
}

#[test]
fn a_fault_in_a_rename_leaves_the_old_key_in_use_and_the_next_attempt_gets_through() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..8 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, admin, facts) = created();
            fake.fault = Some((turn, fault));
            let rename = renaming(&admin);
            let first = converge(&mut fake, &facts, &rename).facts;
            assert!(fake.works(first.token().unwrap()), "{context}");
            fake.fault = None;
            let ran = converge(&mut fake, &first, &rename);
            assert!(ran.is_done(), "{context}: {:?}", ran.failure());
            let mut recorded = current(&ran.facts).keys();
            recorded.sort_unstable();
            assert_eq!(fake.keys_of(current(&ran.facts).id), recorded, "{context}");
        }
    }
}

#[test]
fn a_rename_to_an_account_whose_key_cannot_be_proved_leaves_nothing_of_it() {
    let (mut fake, admin, facts) = created();
    let rename = renaming(&admin);
    let renamed = |fake: &mut Fake| {
        fake.log.clear();
        fake.fault = Some((2, Fault::Refused));
        let ran = converge(fake, &facts, &rename);
        assert_eq!((ran.failure().unwrap().reason(), &*fake.log[2]), ("Retryable", "Me"));
        assert_eq!((&ran.facts.current, &ran.facts.intent), (&facts.current, &None));
        ran
    };
    let ran = renamed(&mut fake);
    assert_eq!((fake.account("ops"), ran.warnings(), &ran.facts), (None, &[][..], &facts));
    fake.no_account_delete = true;
    let ran = renamed(&mut fake);
    let account = fake.account("ops").unwrap().id;
    assert!(fake.keys_of(account).is_empty());
    let [Warning::AccountStays { account: told, .. }] = ran.warnings() else { panic!() };
    assert_eq!(*told, account);
    // It is on record, and the next attempt takes it up.
    fake.fault = None;
    let ran = converge(&mut fake, &ran.facts, &rename);
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_eq!(fake.keys_of(account), [key_id(&ran.facts)]);
}

#[test]
fn a_rename_back_to_an_account_that_was_removed_meanwhile_makes_it_anew() {
    let (mut fake, admin, facts) = created();
    let rename = renaming(&admin);
    let renamed = converge(&mut fake, &facts, &rename).facts;
    let gone = current(&facts).id;
    fake.accounts.retain(|account| account.id != gone);
    fake.keys.retain(|_, key| key.owner != Owner::Account(gone));
    let ran = converge(&mut fake, &renamed, &handed(&admin));
    assert_whole(&fake, &ran.facts, &[], "made anew");
    assert_ne!(current(&ran.facts).id, gone);
}

#[test]
fn an_account_on_record_is_found_behind_one_of_its_name_that_is_gone() {
    let (mut fake, admin, facts) = created();
    let there = fake.add_account("ops", AccountScope::Instance).id;
    let record = |id| HeldAccount::new(id, "ops", true);
    let gone = crate::ids::AccountId(9_999);
    let facts = Facts { retired: vec![record(gone), record(there)], ..facts };
    let rename = renaming(&admin);
    let ran = converge(&mut fake, &facts, &rename);
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_eq!((current(&ran.facts).id, current(&ran.facts).made), (there, true));
    assert!(ran.facts.retired.iter().all(|retired| retired.id != there));
    assert!(fake.works(ran.facts.token().unwrap()));
}

#[test]
fn an_account_that_others_use_is_not_removed_with_a_failed_attempt() {
    let (mut fake, admin, facts) = created();
    // An earlier attempt may have made it; since then others have.
    let facts = Facts { intent: Some("ops".into()), ..facts };
    let theirs = fake.add_account("ops", AccountScope::Instance).id;
    let keys = [1, 2].map(|_| fake.add_key(Owner::Account(theirs), "theirs").id);
    let rename = renaming(&admin);
    // The look-up, the keys twice, the new key, its proof.
    fake.fault = Some((4, Fault::Refused));
    let ran = converge(&mut fake, &facts, &rename);
    assert_eq!(fake.log[4], "Me", "{:?}", fake.log);
    assert_eq!(fake.keys_of(theirs), keys, "{:?}", fake.log);
    assert!(ran.warnings().iter().any(|it| matches!(it, Warning::KeysNotHeld { .. })));
}

#[test]
fn a_key_that_may_still_come_up_is_told_and_one_that_has_is_revoked() {
    let by_held = Order { rotate: Rotate::ByHeld, ..order() };
    for (fault, told) in [(Fault::LostBefore, true), (Fault::LostAfter, false)] {
        let (mut fake, _, first) = created();
        fake.fault = Some((1, fault));
        let ran = converge(&mut fake, &first, &by_held);
        assert!(fake.log[1].starts_with("MintKey") && ran.is_done(), "{:?}", fake.log);
        assert_whole(&fake, &ran.facts, &[key_id(&first)], "rotated");
        let lost = Warning::KeyLost { account: current(&first).id };
        assert_eq!(ran.warnings().contains(&lost), told, "{fault:?}: {:?}", ran.warnings());
    }
}

#[test]
fn after_a_new_database_the_id_of_another_account_is_never_taken_for_ours() {
    let (_, _, facts) = created();
    let (mut fake, admin) = Fake::with_admin();
    fake.next = current(&facts).id.0 - 1;
    let other = fake.add_account("somebody else's", AccountScope::Instance);
    assert_eq!(other.id, current(&facts).id);
    fake.next += 10;
    let lost = Order { rotate: Rotate::Lost, ..handed(&admin) };
    let ran = converge(&mut fake, &facts, &lost);
    assert!(fake.keys_of(other.id).is_empty());
    assert_whole(&fake, &ran.facts, &[], "made anew");
}
