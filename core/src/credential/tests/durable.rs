//! Whole flows of the bridge with its records, cut short before and after each outside call: the
//! bootstrap of a server, the creation of a team, a rotation.

use std::collections::BTreeSet;

use super::*;
use crate::create::{self, Create, NewTeam};
use crate::ids::TeamId;
use crate::record::{Checkpoint, CheckpointState, Data, InstanceRecord, TeamRecord};

/// Lets so many boundaries pass; then the process is gone.
struct Life {
    left: Option<usize>,
}

const ENDLESS: Life = Life { left: None };

impl Life {
    fn of(left: usize) -> Self {
        Self { left: Some(left) }
    }

    /// A boundary: before or after something outside the process.
    fn pass(&mut self) -> Option<()> {
        let Some(left) = &mut self.left else { return Some(()) };
        *left = left.checked_sub(1)?;
        Some(())
    }
}

/// The Secrets in the bridge's namespace.
#[derive(Debug, Clone, Default)]
struct Shelf {
    checkpoint: Option<Data>,
    instance: Option<Data>,
    team: Option<Data>,
    writes: usize,
}

impl Shelf {
    /// Writes one Secret, if it says something new.
    fn put(
        &mut self,
        slot: fn(&mut Self) -> &mut Option<Data>,
        data: Option<Data>,
        life: &mut Life,
    ) -> Option<()> {
        if *slot(self) == data {
            return Some(());
        }
        life.pass()?;
        *slot(self) = data;
        self.writes += 1;
        life.pass()
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        self.checkpoint.as_ref().map(|data| Checkpoint::parse(data).unwrap())
    }

    fn instance(&self) -> InstanceRecord {
        let parsed = self.instance.as_ref().map(|data| InstanceRecord::parse(data).unwrap());
        parsed.unwrap_or_else(|| InstanceRecord::new(UID))
    }

    fn team(&self) -> Option<TeamRecord> {
        self.team.as_ref().map(|data| TeamRecord::parse(data).unwrap())
    }
}

const UID: &str = "6f1c2d3e-0000";

fn ask(
    fake: &mut Fake,
    key: Option<&SecretString>,
    request: &crate::api::Request,
    life: &mut Life,
) -> Option<Result<crate::api::Reply, crate::error::ApiError>> {
    life.pass()?;
    let reply = fake.answer(key, request);
    life.pass()?;
    Some(reply)
}

/// One pass over a server: `None` where the process was gone before its end.
fn instance_pass(
    fake: &mut Fake,
    shelf: &mut Shelf,
    rotate: Rotate,
    life: &mut Life,
) -> Option<Outcome> {
    let mut record = shelf.instance();
    let resumed = shelf.checkpoint.is_some();
    if record.held.token.is_none() && !resumed {
        let empty = Checkpoint::empty(UID).data();
        shelf.put(|shelf| &mut shelf.checkpoint, Some(empty), life)?;
    }
    let mut checkpoint = shelf.checkpoint();
    let (username, email) = ("root".to_owned(), "root@localhost".to_owned());
    let person = FirstPerson { username, email, password: Some(SecretString::new("s3cret")) };
    let order = Order { rotate, ..record.order(person, resumed) };
    let mut machine = Machine::converge(record.facts(checkpoint.as_ref()), order);
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                Event::Replied(ask(fake, key.as_ref(), &request, life)?)
            }
            Command::Store(facts) => {
                if let Some(kept) = &mut checkpoint {
                    *kept = kept.storing(&facts);
                    shelf.put(|shelf| &mut shelf.checkpoint, Some(kept.data()), life)?;
                }
                if facts.token().is_some() {
                    record = record.storing(&facts, 1);
                    shelf.put(|shelf| &mut shelf.instance, Some(record.data()), life)?;
                }
                Event::Stored
            }
            Command::Finish(outcome) => {
                if outcome.failure.is_none() {
                    shelf.put(|shelf| &mut shelf.checkpoint, None, life)?;
                }
                return Some(outcome);
            }
        };
    }
}

/// One pass over a team of the name "Platform".
fn team_pass(
    fake: &mut Fake,
    shelf: &mut Shelf,
    instance: &SecretString,
    rotate: Rotate,
    life: &mut Life,
) -> Option<Outcome> {
    let record = match shelf.team() {
        Some(record) if record.team.is_some() => record,
        known => {
            let team = made_team(fake, shelf, instance, known.map(|it| it.before), life)?;
            shelf.team()?.of_team(team)
        }
    };
    let order = Order { rotate, ..record.order(instance)? };
    let mut machine = Machine::converge(record.facts(), order);
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                Event::Replied(ask(fake, key.as_ref(), &request, life)?)
            }
            Command::Store(facts) => {
                let data = record.storing(&facts, 1).data();
                shelf.put(|shelf| &mut shelf.team, Some(data), life)?;
                Event::Stored
            }
            Command::Finish(outcome) => return Some(outcome),
        };
    }
}

fn made_team(
    fake: &mut Fake,
    shelf: &mut Shelf,
    instance: &SecretString,
    before: Option<BTreeSet<i64>>,
    life: &mut Life,
) -> Option<TeamId> {
    let mut machine = Create::durable(NewTeam { name: "Platform".to_owned() }, false, before);
    let mut event = create::Event::Begin;
    loop {
        event = match machine.step(event) {
            create::Command::Call { request, .. } => {
                create::Event::Replied(ask(fake, Some(instance), &request, life)?)
            }
            create::Command::Record(before) => {
                let intent = intent(before).data();
                shelf.put(|shelf| &mut shelf.team, Some(intent), life)?;
                create::Event::Recorded
            }
            create::Command::Finish(outcome) => match *outcome {
                create::Outcome::Made { made, .. } => return Some(made.id),
                create::Outcome::Found(_) | create::Outcome::Failed(_) => return None,
            },
        };
    }
}

fn intent(before: BTreeSet<i64>) -> TeamRecord {
    TeamRecord {
        owner_uid: "team-uid".to_owned(),
        server_uid: UID.to_owned(),
        server: ("oncall".to_owned(), "terdut".to_owned()),
        name: "Platform".to_owned(),
        before,
        team: None,
        held: crate::record::Held::default(),
    }
}

/// One account of ours with one key, which is the one that is stored and works; the person's
/// password is set, and nobody holds an admin key.
fn assert_instance_whole(fake: &Fake, shelf: &Shelf, context: &str) {
    let record = shelf.instance();
    assert_eq!(fake.accounts.len(), 1, "{context}");
    assert_eq!(fake.accounts[0].name, "terdut-operator-6f1c2d3e", "{context}");
    assert_eq!(fake.keys.keys().copied().collect::<Vec<_>>(), [record.held.key.unwrap()]);
    assert!(fake.works(record.held.token.as_ref().unwrap()), "{context}");
    assert_eq!(fake.users.len(), 1, "{context}");
    assert_eq!(fake.passwords.len(), 1, "{context}");
    assert!(shelf.checkpoint.is_none() && !record.held.unfinished, "{context}");
}

/// Passes until one ends well; a team's or a server's further passes change nothing.
fn finish(context: &str, mut pass: impl FnMut() -> Option<Outcome>) {
    let mut last = None;
    for _ in 0..4 {
        last = pass();
        let is_done = |it: &Outcome| it.failure.is_none() && !it.facts.unfinished;
        if last.as_ref().is_some_and(is_done) {
            return;
        }
    }
    panic!("{context}: {last:?}");
}

#[test]
fn a_bootstrap_that_is_cut_short_anywhere_ends_whole_or_says_that_its_state_is_lost() {
    let mut lost = Vec::new();
    for left in 0.. {
        let context = format!("cut short at boundary {left}");
        let (mut fake, mut shelf) = (Fake::default(), Shelf::default());
        let ended = instance_pass(&mut fake, &mut shelf, Rotate::No, &mut Life::of(left));
        let held = shelf.checkpoint().map(|checkpoint| checkpoint.state);
        if fake.users.len() == 1 && held == Some(CheckpointState::Empty) {
            let again = instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS });
            let failure = again.unwrap().failure;
            assert_eq!(failure, Some(Failure::BootstrapStateLost(None)), "{context}");
            assert!(fake.accounts.is_empty() && fake.users.len() == 1, "{context}");
            lost.push(left);
            continue;
        }
        finish(&context, || instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS }));
        assert_instance_whole(&fake, &shelf, &context);
        if ended.is_some() {
            assert!(left >= 18, "{left} boundaries are all");
            break;
        }
    }
    // The server has answered, and the checkpoint is about to be written: the one window.
    assert_eq!(lost, [3, 4]);
}

#[test]
fn a_bootstrap_that_is_cut_short_can_be_given_up() {
    for left in 0..=18 {
        let context = format!("cut short at boundary {left}");
        let (mut fake, mut shelf) = (Fake::default(), Shelf::default());
        instance_pass(&mut fake, &mut shelf, Rotate::No, &mut Life::of(left));
        let checkpoint = shelf.checkpoint();
        if fake.users.len() == 1 && checkpoint == Some(Checkpoint::empty(UID)) {
            continue;
        }
        let facts = shelf.instance().facts(checkpoint.as_ref());
        let name = shelf.instance().account_name();
        let account = Order::sole(name, AccountScope::Instance).account;
        let machine = Machine::release_sole(facts.clone(), account, Vec::new());
        let ran = run(&mut fake, facts, machine, None);
        assert!(ran.is_done(), "{context}: {:?}", ran.failure());
        assert!(fake.keys.is_empty(), "{context}: {:?}", fake.keys);
        assert!(ran.facts.current.is_none() && ran.facts.admin.is_none(), "{context}");
    }
}

#[test]
fn a_bootstrap_with_a_fault_anywhere_is_finished_by_later_passes() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..10 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, mut shelf) = (Fake::default(), Shelf::default());
            fake.fault = Some((turn, fault));
            if (turn, fault) == (0, Fault::LostAfter) {
                let ran = instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS });
                let failure = ran.unwrap().failure.unwrap();
                assert_eq!(failure.reason(), "BootstrapStateLost", "{context}");
                continue;
            }
            finish(&context, || instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS }));
            assert_instance_whole(&fake, &shelf, &context);
        }
    }
}

#[test]
fn two_crashes_in_a_row_end_whole_too() {
    for first in 5..18 {
        for second in 0..18 {
            let context = format!("cut short at {first}, then at {second}");
            let (mut fake, mut shelf) = (Fake::default(), Shelf::default());
            instance_pass(&mut fake, &mut shelf, Rotate::No, &mut Life::of(first));
            instance_pass(&mut fake, &mut shelf, Rotate::No, &mut Life::of(second));
            finish(&context, || instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS }));
            assert_instance_whole(&fake, &shelf, &context);
        }
    }
}

#[test]
fn a_server_with_people_waits_and_a_second_attempt_is_not_told_from_a_lost_one() {
    let (mut fake, _) = Fake::with_admin();
    let mut shelf = Shelf::default();
    let mut reason = || {
        let ran = instance_pass(&mut fake, &mut shelf, Rotate::No, &mut { ENDLESS });
        ran.unwrap().failure.unwrap().reason()
    };
    assert_eq!((reason(), reason()), ("WaitingForCredential", "BootstrapStateLost"));
    assert_eq!(fake.log.len(), 2, "nothing but the bootstrap was asked: {:?}", fake.log);
}

/// A server with the bridge's instance key, and a team, an account and keys of others.
fn shared_server() -> (Fake, SecretString) {
    let (mut fake, _) = Fake::with_admin();
    let instance = fake.add_instance_key();
    fake.add_team("Others");
    let other = fake.add_account("terdut-operator-other-team-1", AccountScope::Team(TeamId(1)));
    fake.add_key(Owner::Account(other.id), SOLE_KEY_NAME);
    fake.log.clear();
    (fake, instance)
}

fn assert_team_whole(fake: &Fake, shelf: &Shelf, context: &str) {
    let record = shelf.team().unwrap();
    let team = record.team.unwrap();
    let named: Vec<_> = fake.teams.iter().filter(|team| team.name == "Platform").collect();
    assert!(named.len() == 1 && named[0].id == team, "{context}: {named:?}");
    let account = fake.account(&format!("terdut-operator-6f1c2d3e-team-{team}")).unwrap();
    assert_eq!(account.scope, AccountScope::Team(team), "{context}");
    assert_eq!(record.held.account, Some(account.id), "{context}");
    assert_eq!(fake.keys_of(account.id), [record.held.key.unwrap()], "{context}: {:?}", fake.log);
    assert!(fake.works(record.held.token.as_ref().unwrap()), "{context}");
    assert!(!record.held.unfinished, "{context}");
    let others = fake.account("terdut-operator-other-team-1").unwrap();
    assert_eq!((fake.teams.len(), fake.accounts.len()), (2, 3), "{context}");
    assert_eq!(fake.keys_of(others.id).len(), 1, "{context}: a foreign key is gone");
}

#[test]
fn a_team_is_made_with_two_writes_of_its_secret() {
    let (mut fake, instance) = shared_server();
    let mut shelf = Shelf::default();
    team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS }).unwrap();
    assert_team_whole(&fake, &shelf, "one pass");
    assert_eq!(shelf.writes, 2, "the intent, and all that was made");

    fake.log.clear();
    team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS }).unwrap();
    assert_eq!((fake.log.len(), shelf.writes), (0, 2), "a second pass has nothing to do");
}

#[test]
fn a_team_that_is_cut_short_anywhere_ends_with_one_account_and_one_key() {
    for left in 0.. {
        let context = format!("cut short at boundary {left}");
        let (mut fake, instance) = shared_server();
        let mut shelf = Shelf::default();
        let ended = team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut Life::of(left));
        finish(&context, || {
            team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS })
        });
        assert_team_whole(&fake, &shelf, &context);
        if ended.is_some() {
            assert!(left >= 12, "{left} boundaries are all");
            return;
        }
    }
}

#[test]
fn a_team_with_a_fault_anywhere_is_finished_by_later_passes() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Refused] {
        for turn in 0..8 {
            let context = format!("{fault:?} at {turn}");
            let (mut fake, instance) = shared_server();
            let mut shelf = Shelf::default();
            fake.fault = Some((turn, fault));
            finish(&context, || {
                team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS })
            });
            assert_team_whole(&fake, &shelf, &context);
        }
    }
}

#[test]
fn a_rotation_that_is_cut_short_anywhere_leaves_a_stored_key_that_works() {
    for rotate in [Rotate::ByHeld, Rotate::ByHanded] {
        for left in 0.. {
            let context = format!("{rotate:?}, cut short at boundary {left}");
            let (mut fake, instance) = shared_server();
            let mut shelf = Shelf::default();
            team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS }).unwrap();
            let first = shelf.team().unwrap().held.token;
            let ended = team_pass(&mut fake, &mut shelf, &instance, rotate, &mut Life::of(left));
            let stored = shelf.team().unwrap().held.token.unwrap();
            assert!(fake.works(&stored), "{context}: what is stored must live");
            // The request to rotate may be taken back: what the crash left goes all the same.
            finish(&context, || {
                team_pass(&mut fake, &mut shelf, &instance, Rotate::No, &mut { ENDLESS })
            });
            assert_team_whole(&fake, &shelf, &context);
            if ended.is_some() {
                assert_ne!(shelf.team().unwrap().held.token, first, "{context}");
                break;
            }
        }
    }
}
