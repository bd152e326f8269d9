//! Drives core's create machine: claim, look, post, and look again after a lost answer.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{Ready, ready};

use terdut_core::create::{
    Command, Creatable, Create, Event, Failure, NewAccount, NewKey, NewSource, NewSwitch, NewTeam,
    NewUser, Outcome,
};
use terdut_core::plan::Step;

use super::pause;
use super::progress::{Found, Made, Progress, Why};
use crate::caller::Caller;
use crate::claims::Claims;

/// Makes one object. With `adopt`, one that had the name before is given back.
///
/// A stop ends it before the first request that makes something. Once that has left, what is
/// needed to know what came of it gets a moment; it is never posted again.
pub async fn create<K: Creatable>(
    caller: &Caller,
    claims: &Claims,
    new: K,
    adopt: bool,
) -> Outcome<K> {
    let unasked = |_| -> Ready<Result<(), Infallible>> { ready(Ok(())) };
    let Ok(outcome) = drive(caller, claims, Create::new(new, adopt), unasked).await;
    outcome
}

/// Makes one object so that a crash at any moment leaves a record to go on from.
///
/// Without `before`, `record` is given the ids that had the name, and nothing is posted until its
/// future is ready; if that fails, nothing was made. With the `before` of such a record, an earlier
/// process may have posted: the one new object of that name is ours.
pub async fn create_durable<K, F, E>(
    caller: &Caller,
    claims: &Claims,
    new: K,
    adopt: bool,
    before: Option<BTreeSet<i64>>,
    record: impl FnMut(BTreeSet<i64>) -> F,
) -> Result<Outcome<K>, E>
where
    K: Creatable,
    F: Future<Output = Result<(), E>>,
{
    drive(caller, claims, Create::durable(new, adopt, before), record).await
}

async fn drive<K, F, E>(
    caller: &Caller,
    claims: &Claims,
    mut machine: Create<K>,
    mut record: impl FnMut(BTreeSet<i64>) -> F,
) -> Result<Outcome<K>, E>
where
    K: Creatable,
    F: Future<Output = Result<(), E>>,
{
    let claim = machine.what().claim(&caller.client().server().to_string());
    let Some(_held) = caller.wait(claims.take(claim)).await else {
        let (kind, label) = (K::KIND, machine.what().label());
        let error = Caller::stopped(&machine.what().list());
        return Ok(Outcome::Failed(Failure::Call { kind, label, error }));
    };
    let mut posted = false;
    let mut event = Event::Begin;
    loop {
        let (request, fresh, attempt) = match machine.step(event) {
            Command::Finish(outcome) => return Ok(*outcome),
            Command::Call { request, fresh, attempt } => (request, fresh, attempt),
            Command::Record(before) => {
                record(before).await?;
                event = Event::Recorded;
                continue;
            }
        };
        let posts = request == machine.what().post();
        if posts && attempt > 0 {
            pause(caller, attempt).await;
        }
        event = Event::Replied(match (posted && !posts, fresh) {
            (true, _) => caller.call_closing(request).await,
            (false, true) => caller.call_fresh(request).await,
            (false, false) => caller.call_recent(request).await,
        });
        posted |= posts;
    }
}

/// How a plan's objects are made: remembered while it is carried out, or on record.
#[derive(Debug)]
pub(super) struct Making<R> {
    durable: bool,
    before: Option<BTreeSet<i64>>,
    record: R,
}

impl<R> Making<R> {
    pub(super) fn remembered(record: R) -> Self {
        Self { durable: false, before: None, record }
    }

    /// `before` is the record of an earlier process, for the first object that is made.
    pub(super) fn durable(before: Option<BTreeSet<i64>>, record: R) -> Self {
        Self { durable: true, before, record }
    }

    fn machine<K: Creatable>(&mut self, new: K, adopt: bool) -> Create<K> {
        if self.durable {
            Create::durable(new, adopt, self.before.take())
        } else {
            Create::new(new, adopt)
        }
    }
}

/// Why a step that makes something was not carried out.
#[derive(Debug)]
pub(super) enum Halt<E> {
    /// It failed.
    Failed(Why),
    /// What is about to be made could not be recorded, so it was not made.
    Unrecorded(E),
}

/// Carries out a step that makes something.
pub(super) async fn step<R, F, E>(
    caller: &Caller,
    claims: &Claims,
    step: &Step,
    adopt: bool,
    making: &mut Making<R>,
    progress: &mut Progress,
) -> Result<(), Halt<E>>
where
    R: FnMut(BTreeSet<i64>) -> F,
    F: Future<Output = Result<(), E>>,
{
    let by = By { caller, claims, adopt, making, progress };
    match step.clone() {
        Step::CreateTeam { name } => by.make(NewTeam { name }, Made::Team, Found::Team).await,
        Step::CreateUser { username, email } => {
            by.make(NewUser { username, email }, Made::User, Found::User).await
        }
        Step::CreateSwitch { team, switch } => {
            by.make(NewSwitch { team, switch }, Made::Switch, Found::Switch).await
        }
        Step::CreateSource { team, kind, name } => {
            by.make(NewSource { team, kind, name }, Made::Source, Found::Source).await
        }
        Step::CreateAccount { name, scope } => {
            by.make(NewAccount { name, scope }, Made::Account, Found::Account).await
        }
        Step::MintKey { account, name } => {
            by.make(NewKey { account, name }, Made::Key, Found::Key).await
        }
        _ => super::step::send(caller, step, by.progress).await.map_err(Halt::Failed),
    }
}

struct By<'a, R> {
    caller: &'a Caller,
    claims: &'a Claims,
    adopt: bool,
    making: &'a mut Making<R>,
    progress: &'a mut Progress,
}

impl<R> By<'_, R> {
    async fn make<K, F, E>(
        self,
        new: K,
        made_as: fn(K::Made) -> Made,
        found_as: fn(K::Fact) -> Found,
    ) -> Result<(), Halt<E>>
    where
        K: Creatable,
        R: FnMut(BTreeSet<i64>) -> F,
        F: Future<Output = Result<(), E>>,
    {
        let machine = self.making.machine(new, self.adopt);
        let ended = drive(self.caller, self.claims, machine, &mut self.making.record).await;
        match ended.map_err(Halt::Unrecorded)? {
            Outcome::Made { made, beside, warnings } => {
                self.progress.made = Some(made_as(made));
                self.progress.beside = beside;
                self.progress.warnings.extend(warnings);
                Ok(())
            }
            Outcome::Found(fact) => {
                self.progress.found = Some(found_as(fact));
                Ok(())
            }
            Outcome::Failed(failure) => Err(Halt::Failed(failure.into())),
        }
    }
}
