//! Creating: from a handed key, from the bootstrap, through faults and crashes.

use super::fake::error;
use super::*;
use crate::api::{Account, ApiKey, Reply, Request};
use crate::error::{ApiError, Class, Effect};
use crate::ids::AccountId;

#[test]
fn a_handed_key_makes_the_account_and_its_first_key_is_used() {
    let (fake, _, facts) = created();
    assert_whole(&fake, &facts, &[], "create");
    assert!(current(&facts).made);
    assert_eq!(current(&facts).previous, None);
}

#[test]
fn a_name_that_is_taken_is_an_error_unless_adoption_is_allowed() {
    let (mut fake, admin) = Fake::with_admin();
    let other = fake.add_account("terraform", AccountScope::Instance);
    let ran = converge(&mut fake, &Facts::default(), &handed(&admin));
    let name = "terraform".to_owned();
    assert_eq!(ran.failure(), Some(&Failure::NameTaken { name, account: other.id }));
    assert!(!ran.facts.hold_anything());

    let mut adopting = handed(&admin);
    adopting.account.adopt_existing = true;
    let ran = converge(&mut fake, &Facts::default(), &adopting);
    assert_whole(&fake, &ran.facts, &[], "adopt");
    assert!(!current(&ran.facts).made);
}

const TAKEN: (Class, Effect, Option<u16>) = (Class::Conflict, Effect::None, Some(409));
const LOST: (Class, Effect, Option<u16>) = (Class::Unreachable, Effect::Unknown, None);
const BUSY: (Class, Effect, Option<u16>) = (Class::Retryable, Effect::None, Some(503));

fn fails((class, effect, status): (Class, Effect, Option<u16>)) -> Result<Reply, ApiError> {
    Err(error(class, effect, status))
}

/// A list with the account of our name on it, or without.
fn lists(there: bool) -> Reply {
    let (id, name, scope) = (AccountId(7), "terraform".to_owned(), AccountScope::Instance);
    let account = Account { id, name, scope, created_at: None };
    Reply::Accounts([account].into_iter().filter(|_| there).collect())
}

/// A create whose first requests are answered so; after that each is refused. Gives how it ended,
/// and how often an account or a key was asked for.
fn ended(facts: Facts, replies: Vec<Result<Reply, ApiError>>) -> (Outcome, usize) {
    let mut order = handed(&SecretString::new("admin"));
    // Who has a key minted on an account has found it.
    order.account.adopt_existing = replies.first().is_some_and(|reply| *reply == Ok(lists(true)));
    let mut machine = Machine::converge(facts, order);
    let (mut replies, mut posts) = (replies.into_iter(), 0);
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Finish(outcome) => return (outcome, posts),
            Command::Store(_) => Event::Stored,
            Command::Call { request, .. } => {
                posts += usize::from(matches!(
                    request,
                    Request::CreateAccount { .. } | Request::MintKey { .. }
                ));
                Event::Replied(replies.next().unwrap_or_else(|| fails(BUSY)))
            }
        };
    }
}

/// A bootstrap whose requests are answered so: how it ended, and how often it was asked for.
fn bootstrapped(replies: Vec<Result<Reply, ApiError>>) -> (Outcome, usize) {
    let mut machine = Machine::converge(Facts::default(), bootstrapping());
    let (mut replies, mut asked, mut event) = (replies.into_iter(), 0, Event::Begin);
    loop {
        event = match machine.step(event) {
            Command::Finish(outcome) => return (outcome, asked),
            Command::Store(_) => Event::Stored,
            Command::Call { request, .. } => {
                assert!(matches!(request, Request::Bootstrap { .. }), "{request:?}");
                asked += 1;
                Event::Replied(replies.next().expect("it is not asked again"))
            }
        };
    }
}

/// A create that fails: what is on record, and why.
fn answered(facts: Facts, replies: Vec<Result<Reply, ApiError>>) -> (Facts, Failure, usize) {
    let (outcome, posts) = ended(facts, replies);
    (outcome.facts, outcome.failure.expect("it fails"), posts)
}

#[test]
fn a_name_that_somebody_takes_at_the_last_moment_is_never_ours() {
    let name_taken = Failure::NameTaken { name: "terraform".to_owned(), account: AccountId(7) };
    let race = vec![Ok(lists(false)), fails(TAKEN), Ok(lists(true))];
    let (facts, failure, posts) = answered(Facts::default(), race);
    assert_eq!((facts, failure, posts), (Facts::default(), name_taken, 1));
    // Who has the name is not listed yet: what is listed after another 409 would prove nothing.
    let unseen =
        vec![Ok(lists(false)), fails(TAKEN), Ok(lists(false)), fails(TAKEN), Ok(lists(true))];
    let (facts, failure, posts) = answered(Facts::default(), unseen);
    assert_eq!((facts, posts), (Facts::default(), 1), "{failure}");
    assert_eq!(failure.reason(), "Conflict");
    // The next apply finds it, and no intent of ours.
    let unread = vec![Ok(lists(false)), fails(TAKEN), fails(BUSY)];
    let (facts, failure, _) = answered(Facts::default(), unread);
    assert_eq!(facts, Facts::default(), "{failure}");
}

#[test]
fn a_name_that_is_taken_after_an_answer_of_ours_was_lost_is_ours() {
    let late = vec![Ok(lists(false)), fails(LOST), Ok(lists(false)), fails(TAKEN), Ok(lists(true))];
    let (facts, _, posts) = answered(Facts::default(), late);
    assert_eq!((current(&facts).id, current(&facts).made, posts), (AccountId(7), true, 2));
    let resumed = Facts { intent: Some("terraform".to_owned()), ..Facts::default() };
    let (facts, ..) =
        answered(resumed.clone(), vec![Ok(lists(false)), fails(TAKEN), Ok(lists(true))]);
    assert!(current(&facts).made, "an earlier attempt may have posted it");
    let (facts, ..) = answered(Facts::default(), vec![Ok(lists(false)), fails(LOST), fails(BUSY)]);
    assert_eq!(facts, resumed, "what may have been made is kept on record");
}

#[test]
fn a_key_that_cannot_be_looked_up_is_not_asked_for_twice() {
    let unlisted = vec![Ok(lists(true)), fails((Class::TooOld, Effect::None, None)), fails(LOST)];
    let (outcome, posts) = ended(Facts::default(), unlisted);
    assert_eq!((posts, outcome.failure.unwrap().reason()), (1, "Unreachable"));
    assert_eq!(outcome.warnings, [Warning::KeyLost { account: AccountId(7) }]);
}

#[test]
fn the_first_key_of_an_account_whose_answer_was_lost_is_noted_or_told() {
    let key = |id| ApiKey { id: KeyId(id), name: "first".into(), key: None, created_at: None };
    let with = |keys: Result<Reply, ApiError>| {
        let replies = vec![Ok(lists(false)), fails(LOST), Ok(lists(true)), keys];
        let (outcome, _) = ended(Facts::default(), replies);
        (outcome.facts.current.unwrap().spare, outcome.warnings)
    };
    let account = AccountId(7);
    assert_eq!(with(Ok(Reply::Keys([key(1)].into()))), (vec![KeyId(1)], vec![]));
    let both = Warning::KeysNotHeld { account, keys: vec![KeyId(1), KeyId(2)] };
    assert_eq!(with(Ok(Reply::Keys([key(1), key(2)].into()))), (vec![], vec![both]));
    assert_eq!(with(fails(BUSY)), (vec![], vec![Warning::KeyLost { account }]));
}

#[test]
fn of_two_keys_that_are_refused_the_one_that_the_server_does_not_know_is_told() {
    let (mut fake, _, facts) = created();
    let mut rename = handed(&SecretString::new("of another server"));
    rename.account.name = "ops".into();
    let ran = converge(&mut fake, &facts, &rename);
    assert_eq!(ran.failure().unwrap().said().unwrap().status, Some(401), "{:?}", ran.failure());
}

#[test]
fn an_instance_key_adopts_its_own_account_and_makes_none() {
    let (mut fake, _) = Fake::with_admin();
    let account = fake.add_account("ops", AccountScope::Instance);
    let instance = fake.add_key(Owner::Account(account.id), "by hand").key.unwrap();
    let ran = converge(&mut fake, &Facts::default(), &handed(&instance));
    assert!(matches!(ran.failure(), Some(Failure::NeedsAdminKey { .. })), "{:?}", ran.failure());

    let mut adopting = handed(&instance);
    adopting.account = Order::shared("ops", true).account;
    let ran = converge(&mut fake, &Facts::default(), &adopting);
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_eq!(fake.keys_of(account.id).len(), 2);
}

#[test]
fn an_account_of_another_scope_is_not_adopted() {
    let (mut fake, admin) = Fake::with_admin();
    fake.add_account("terraform", AccountScope::Team(crate::ids::TeamId(4)));
    let mut adopting = handed(&admin);
    adopting.account.adopt_existing = true;
    let ran = converge(&mut fake, &Facts::default(), &adopting);
    assert!(matches!(ran.failure(), Some(Failure::WrongScope { .. })), "{:?}", ran.failure());
}

#[test]
fn keys_that_nobody_here_holds_are_named_and_left_alone() {
    let (mut fake, admin) = Fake::with_admin();
    let other = fake.add_account("terraform", AccountScope::Instance);
    let foreign = fake.add_key(Owner::Account(other.id), KEY_NAME).id;
    let mut adopting = handed(&admin);
    adopting.account.adopt_existing = true;
    let ran = converge(&mut fake, &Facts::default(), &adopting);
    assert_whole(&fake, &ran.facts, &[foreign], "adopt");
    let warning = Warning::KeysNotHeld { account: other.id, keys: vec![foreign] };
    assert_eq!(ran.warnings(), [warning]);
}

#[test]
fn whoever_takes_over_an_account_is_told_of_every_key_on_it() {
    let (mut fake, admin) = Fake::with_admin();
    let other = fake.add_account("terraform", AccountScope::Instance);
    let first = fake.add_key(Owner::Account(other.id), "initial").id;
    let mut adopting = handed(&admin);
    adopting.account.adopt_existing = true;
    let ran = converge(&mut fake, &Facts::default(), &adopting);
    assert_whole(&fake, &ran.facts, &[first], "adopt");
    let warning = Warning::KeysNotHeld { account: other.id, keys: vec![first] };
    assert_eq!(ran.warnings(), [warning]);
}

#[test]
fn a_bootstrap_sets_the_password_and_gives_up_the_admin_key() {
    let mut fake = Fake::default();
    let ran = converge(&mut fake, &Facts::default(), &bootstrapping());
    assert!(ran.is_done(), "{:?}", ran.failure());
    assert_whole(&fake, &ran.facts, &[], "bootstrap");
    assert_bootstrapped(&fake, &ran.facts, "bootstrap");
}

#[test]
fn a_bootstrap_key_that_is_kept_is_revoked_when_it_no_longer_is() {
    let mut fake = Fake::default();
    let keep = Order { keep_bootstrap_key: true, ..bootstrapping() };
    let kept = converge(&mut fake, &Facts::default(), &keep).facts;
    assert!(fake.works(&kept.admin.as_ref().unwrap().token));
    let ran = converge(&mut fake, &kept, &order());
    assert!(ran.is_done() && ran.facts.admin.is_none());
    assert_bootstrapped(&fake, &ran.facts, "kept, then given up");
}

#[test]
fn a_spent_bootstrap_says_that_a_key_has_to_be_handed_in() {
    let (mut fake, _) = Fake::with_admin();
    let ran = converge(&mut fake, &Facts::default(), &bootstrapping());
    assert_eq!(ran.failure(), Some(&Failure::WaitingForCredential));
    assert!(!ran.facts.hold_anything());
    assert!(ran.failure().unwrap().advice(Audience::Terraform).contains("Mint an instance key"));
}

#[test]
fn a_bootstrap_whose_answer_is_lost_says_so() {
    let mut fake = Fake { fault: Some((0, Fault::LostAfter)), ..Fake::default() };
    let ran = converge(&mut fake, &Facts::default(), &bootstrapping());
    assert_eq!(ran.failure().unwrap().reason(), "BootstrapStateLost");
    assert_eq!(fake.users.len(), 1);
}

#[test]
fn only_the_servers_own_word_says_that_a_bootstrap_is_spent() {
    let spent = (Class::Denied, Effect::None, Some(403));
    let refused = (Class::Unreachable, Effect::None, None);
    for (answers, reason) in [
        (vec![LOST, spent], "BootstrapStateLost"),
        (vec![LOST, LOST, LOST, spent], "BootstrapStateLost"),
        (vec![spent], "WaitingForCredential"),
        (vec![refused], "Unreachable"),
        (vec![LOST, refused], "Unreachable"),
        (vec![LOST, BUSY], "Unreachable"),
        (vec![LOST, LOST, LOST, LOST], "Unreachable"),
    ] {
        let replies: Vec<_> = answers.iter().copied().map(fails).collect();
        let (outcome, asked) = bootstrapped(replies);
        let failure = outcome.failure.unwrap();
        assert_eq!((failure.reason(), asked), (reason, answers.len()), "{answers:?}");
        let doubt = answers[0] == LOST && reason == "Unreachable";
        assert_eq!(matches!(failure, Failure::BootstrapUnanswered(_)), doubt, "{failure}");
    }
}

#[test]
fn the_refusal_of_a_proxy_spends_no_bootstrap() {
    let foreign = || ApiError { own_word: false, ..error(Class::Denied, Effect::None, Some(403)) };
    let (outcome, _) = bootstrapped(vec![Err(foreign())]);
    assert!(matches!(outcome.failure, Some(Failure::Call { .. })), "{:?}", outcome.failure);
    let (outcome, _) = bootstrapped(vec![fails(LOST), Err(foreign())]);
    let failure = outcome.failure.unwrap();
    assert!(matches!(failure, Failure::BootstrapUnanswered(_)), "{failure}");
}

#[test]
fn any_fault_of_the_server_ends_in_one_account_and_one_key_after_the_next_order() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..12 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, admin) = Fake::with_admin();
            fake.fault = Some((turn, fault));
            let mut facts = converge(&mut fake, &Facts::default(), &handed(&admin)).facts;
            if facts.unfinished || facts.token().is_none() {
                fake.fault = None;
                facts = converge(&mut fake, &facts, &handed(&admin)).facts;
            }
            assert_whole(&fake, &facts, &[], &context);
        }
    }
}

#[test]
fn any_fault_after_the_bootstrap_is_repaired_by_the_next_order() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 1..12 {
            let context = format!("{fault:?} at {turn}");
            let mut fake = Fake { fault: Some((turn, fault)), ..Fake::default() };
            let mut facts = converge(&mut fake, &Facts::default(), &bootstrapping()).facts;
            if facts.unfinished {
                fake.fault = None;
                facts = converge(&mut fake, &facts, &bootstrapping()).facts;
            }
            assert_whole(&fake, &facts, &[], &context);
            assert_bootstrapped(&fake, &facts, &context);
        }
    }
}

#[test]
fn a_crash_at_any_command_is_resumed_from_what_was_recorded() {
    for after in [false, true] {
        for number in 0..20 {
            let context = format!("crash at command {number}, after it: {after}");
            let mut fake = Fake::default();
            let order = bootstrapping();
            let machine = Machine::converge(Facts::default(), order.clone());
            let ran = run(&mut fake, Facts::default(), machine, Some((number, after)));
            if fake.users.len() == 1 && !ran.facts.hold_anything() {
                // The one window that cannot be closed: between 201 and the record of it.
                let again = converge(&mut fake, &ran.facts, &order);
                assert_eq!(again.failure(), Some(&Failure::WaitingForCredential), "{context}");
                continue;
            }
            let ended = converge(&mut fake, &ran.facts, &order);
            assert!(ended.is_done(), "{context}: {:?}", ended.failure());
            assert_whole(&fake, &ended.facts, &[], &context);
            assert_bootstrapped(&fake, &ended.facts, &context);
        }
    }
}

#[test]
fn an_event_that_does_not_fit_gets_the_same_command_again() {
    let mut machine = Machine::converge(Facts::default(), bootstrapping());
    let first = format!("{:?}", machine.step(Event::Begin));
    assert_eq!(format!("{:?}", machine.step(Event::Stored)), first);
}
