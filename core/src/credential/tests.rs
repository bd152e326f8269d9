//! The machine against a small server that loses answers, refuses and lets it crash, at each of
//! its commands in turn.

mod create;
mod durable;
mod fake;
mod release;
mod renew;
mod sole;

use fake::{Fake, Fault, Owner};

use super::*;
use crate::api::AccountScope;
use crate::ids::KeyId;

/// What a run left behind: the facts recorded last, and how it ended if it did.
struct Ran {
    facts: Facts,
    outcome: Option<Outcome>,
}

impl Ran {
    fn failure(&self) -> Option<&Failure> {
        self.outcome.as_ref()?.failure.as_ref()
    }

    fn warnings(&self) -> &[Warning] {
        self.outcome.as_ref().map_or(&[], |outcome| &outcome.warnings)
    }

    fn is_done(&self) -> bool {
        self.outcome.is_some() && self.failure().is_none()
    }
}

/// Steps a machine; before or after its command number `crash` the process is gone.
fn run(fake: &mut Fake, facts: Facts, mut machine: Machine, crash: Option<(usize, bool)>) -> Ran {
    let mut recorded = facts;
    let mut event = Event::Begin;
    for number in 0.. {
        let command = machine.step(event);
        if crash == Some((number, false)) {
            break;
        }
        event = match command {
            Command::Store(facts) => {
                recorded = facts;
                Event::Stored
            }
            Command::Call { key, request } => Event::Replied(fake.answer(key.as_ref(), &request)),
            Command::Finish(outcome) => {
                return Ran { facts: outcome.facts.clone(), outcome: Some(outcome) };
            }
        };
        if crash == Some((number, true)) {
            break;
        }
    }
    Ran { facts: recorded, outcome: None }
}

fn converge(fake: &mut Fake, facts: &Facts, order: &Order) -> Ran {
    let machine = Machine::converge(facts.clone(), order.clone());
    run(fake, facts.clone(), machine, None)
}

fn released(fake: &mut Fake, facts: &Facts, handed: &[SecretString]) -> Ran {
    let machine = Machine::release(facts.clone(), handed.to_vec());
    run(fake, facts.clone(), machine, None)
}

fn order() -> Order {
    Order::shared("terraform", false)
}

fn handed(key: &SecretString) -> Order {
    Order { handed: vec![key.clone()], ..order() }
}

fn bootstrapping() -> Order {
    let password = Some(SecretString::new("s3cret"));
    let (username, email) = ("root".into(), "root@example.org".into());
    Order { bootstrap: Some(FirstPerson { username, email, password }), ..order() }
}

fn created() -> (Fake, SecretString, Facts) {
    let (mut fake, admin) = Fake::with_admin();
    let facts = converge(&mut fake, &Facts::default(), &handed(&admin)).facts;
    fake.log.clear();
    (fake, admin, facts)
}

fn current(facts: &Facts) -> &HeldAccount {
    facts.current.as_ref().unwrap()
}

fn key_id(facts: &Facts) -> KeyId {
    current(facts).key.as_ref().unwrap().id.unwrap()
}

fn rotated(fake: &mut Fake, facts: &Facts) -> Facts {
    let ran = converge(fake, facts, &Order { rotate: Rotate::ByHeld, ..order() });
    assert!(ran.is_done(), "{:?}", ran.failure());
    ran.facts
}

/// One account of the name, a working key, and no other key of ours but those allowed.
fn assert_whole(fake: &Fake, facts: &Facts, allowed: &[KeyId], context: &str) {
    let named = fake.accounts.iter().filter(|account| account.name == "terraform").count();
    assert_eq!(named, 1, "{context}");
    assert!(facts.token().is_some_and(|token| fake.works(token)), "{context}: {facts:?}");
    assert!(!facts.unfinished, "{context}");
    let mut expected = allowed.to_vec();
    expected.push(key_id(facts));
    expected.sort_unstable();
    assert_eq!(fake.keys_of(current(facts).id), expected, "{context}: {:?}", fake.log);
}

fn assert_bootstrapped(fake: &Fake, facts: &Facts, context: &str) {
    let user = fake.users[0].id;
    assert_eq!(fake.users.len(), 1, "{context}");
    assert_eq!(fake.passwords.get(&user).map(String::as_str), Some("s3cret"), "{context}");
    assert!(facts.admin.is_none(), "{context}");
    assert!(fake.keys.values().all(|key| key.owner != Owner::User(user)), "{context}");
}
