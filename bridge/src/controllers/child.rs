//! What is the same for the three kinds below a team.
//!
//! A pass asks `access` for the team's key, reads the record in the object's own annotation, looks at
//! what the server lists, and carries core's plan out. The record is written with the finalizer
//! before anything is made, and its id after. It counts only if it is of this object's UID and of
//! the team whose key is used, so that a copied or forged one is none; and it reaches only objects of
//! that team. What a kind does itself is in its own file.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use kube::ResourceExt;
use terdut_client::execute::{Failed, Order, Progress, carry_out, carry_out_durably};
use terdut_core::api::{Reply, Request};
use terdut_core::error::{ApiError, Class};
use terdut_core::ids::TeamId;
use terdut_core::model::Model;
use terdut_core::plan::{Action, Ownership, Plan, Policy, plan};
use terdut_core::record::ChildRecord;

use super::ending::{Reported, halted, paused};
use super::halt::{Halt, made_nothing};
use super::wishes::{is_held, is_paused, reference};
use crate::access::{self, ChildAccess};
use crate::context::Context;
use crate::crd::Child;
use crate::crd::names::annotation;
use crate::engine::{Next, Pass, Reason};
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;

mod claim;
mod removal;

pub(super) use removal::remove;

/// A kind below a team.
pub(super) trait Kept: Child + Reported {
    /// Core's model of it.
    type Model: Model;

    /// The name under which it is asked for; of a rule, which has none, empty.
    fn asked_name(&self) -> String;
    /// The request that lists what is there.
    fn list(team: TeamId) -> Request;
    /// What is there, of that answer, and wanted by its id and its name. Many objects read one
    /// list, so only what is wanted is copied.
    fn listed(team: TeamId, reply: &Reply, wanted: Wanted<'_>) -> Vec<Listed<Self::Model>>;
    /// Whether what the record stands for may be removed with this object.
    fn may_remove(
        &self,
        _: &Context,
        _: &ChildRecord,
        _: &<Self::Model as Model>::Observed,
    ) -> bool {
        true
    }
}

/// Whether one of that id and that name is looked for.
pub(super) type Wanted<'a> = &'a (dyn Fn(i64, &str) -> bool + Send + Sync);

/// One that is on the server.
#[derive(Debug)]
pub(super) struct Listed<M: Model> {
    /// Its id.
    pub(super) id: i64,
    /// Its name.
    pub(super) name: String,
    /// What it is.
    pub(super) observed: M::Observed,
}

/// One pass over one child.
#[derive(Debug)]
pub(super) struct Work<'a, K: Kept> {
    pub(super) context: &'a Context,
    /// The object, as the last write left it.
    object: Mutex<K>,
    pub(super) access: ChildAccess,
    pub(super) team: TeamId,
    /// The name that the pass works under: a person may change it meanwhile.
    pub(super) name: String,
    uid: String,
}

/// Begins a pass over a child that is wanted, or ends it.
pub(super) async fn begin<'a, K: Kept>(
    context: &'a Context,
    child: &K,
    pass: &Pass,
) -> Result<Work<'a, K>, Halt> {
    let access = access::child(context, child).await?;
    let Some(team) = access.record.team else { return Err(access::Refused::TeamNotReady.into()) };
    if pass.reason == Reason::Requested {
        access.caller.client().forget();
    }
    let (uid, name) = (child.uid().unwrap_or_default(), child.asked_name());
    let work = Work { context, object: Mutex::new(child.clone()), access, team, name, uid };
    work.hold().await?;
    Ok(work)
}

/// A pass over a paused child, if it is one.
pub(super) async fn pause<K: Kept>(context: &Context, child: &K) -> Option<Next> {
    if is_paused(child) { Some(paused(context, child).await) } else { None }
}

/// Ends a pass that stopped early.
pub(super) async fn stop<K: Kept>(context: &Context, child: &K, halt: Halt) -> Next {
    halted(context, child, halt).await
}

impl<K: Kept> Work<'_, K> {
    /// The object, as the last write left it.
    pub(super) fn object(&self) -> K {
        self.object.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The record, if there is one of this object in this team.
    pub(super) fn record(&self) -> Option<ChildRecord> {
        record_of(&self.object(), self.team)
    }

    /// What is on record is held by the finalizer, whoever took that off.
    async fn hold(&self) -> Result<(), KubeError> {
        let object = self.object();
        if record_of(&object, self.team).is_some() && !is_held(&object) {
            self.keep(self.context.kube.start(&object, &[]).await?);
        }
        Ok(())
    }

    /// Writes the record of what is about to be made, with the finalizer.
    pub(super) async fn intend(&self, name: &str, before: BTreeSet<i64>) -> Result<(), KubeError> {
        self.write(self.new_record(name, before, None)).await
    }

    /// Writes the record of what was made or found. What people changed of the object meanwhile is
    /// no hindrance: without the record, what was made would be looked for, and a key made again.
    pub(super) async fn made(&self, name: &str, id: i64) -> Result<(), KubeError> {
        let before = self.record().map(|record| record.before).unwrap_or_default();
        let record = self.new_record(name, before, Some(id));
        let object = self.object();
        if !is_held(&object) {
            return self.write(record).await;
        }
        let (kube, text) = (&self.context.kube, Some(record.text()));
        self.keep(kube.annotate(&object, annotation::RECORD, text).await?);
        Ok(())
    }

    fn new_record(&self, name: &str, before: BTreeSet<i64>, id: Option<i64>) -> ChildRecord {
        let (uid, team, kind) = (self.uid.clone(), self.team, K::Model::KIND);
        ChildRecord { uid, team, kind, name: name.to_owned(), before, id }
    }

    async fn write(&self, record: ChildRecord) -> Result<(), KubeError> {
        let annotations = [(annotation::RECORD, record.text())];
        self.keep(self.context.kube.start(&self.object(), &annotations).await?);
        Ok(())
    }

    /// Takes back the record of what was not made.
    async fn retract(&self) -> Result<(), KubeError> {
        if self.record().is_some_and(|record| record.id.is_none()) {
            let kube = &self.context.kube;
            self.keep(kube.annotate(&self.object(), annotation::RECORD, None).await?);
        }
        Ok(())
    }

    fn keep(&self, written: K) {
        *self.object.lock().unwrap_or_else(PoisonError::into_inner) = written;
    }

    /// The one of that id. Only a list that is not a remembered one says that it is gone.
    pub(super) async fn find(&self, id: i64) -> Result<Option<Listed<K::Model>>, Halt> {
        let wanted = |one: i64, _: &str| one == id;
        if let Some(found) = self.list(false, &wanted).await?.pop() {
            return Ok(Some(found));
        }
        Ok(self.list(true, &wanted).await?.pop())
    }

    /// What the server lists. A proof is read past the remembered lists.
    async fn list(&self, proof: bool, wanted: Wanted<'_>) -> Result<Vec<Listed<K::Model>>, Halt> {
        let reply = self.ask(K::list(self.team), proof).await?;
        Ok(K::listed(self.team, &reply, wanted))
    }

    /// Asks the server with the team's key.
    pub(super) async fn ask(&self, request: Request, proof: bool) -> Result<Reply, Halt> {
        let caller = &self.access.caller;
        let answer =
            if proof { caller.call_fresh(request).await } else { caller.call(request).await };
        answer.map_err(|error| self.failed(&error))
    }

    /// A request failed. A key that is refused, and a team that is not there, are the team's to mend.
    pub(super) fn failed(&self, error: &ApiError) -> Halt {
        if matches!(error.class, Class::Denied | Class::NotFound) {
            let object = self.object();
            let namespace = object.namespace().unwrap_or_default();
            self.context.wake.team(&namespace, &object.team().name);
        }
        Halt::from(error)
    }

    /// Carries out a plan with a record before each POST.
    pub(super) async fn carry_out_durably(
        &self,
        plan: &Plan,
        (ownership, policy): (Ownership, Policy),
        before: Option<BTreeSet<i64>>,
        name: &str,
    ) -> Result<Progress, Halt> {
        let order = Order { plan, wanted: true, ownership, policy };
        let (caller, claims) = (&self.access.caller, self.access.link.claims());
        let record = |before| self.intend(name, before);
        let progress = carry_out_durably(caller, claims, order, before, record).await?;
        if progress.failed.as_ref().is_some_and(made_nothing) {
            self.retract().await?;
        }
        self.checked(progress)
    }

    /// Carries out a plan that makes nothing.
    pub(super) async fn carry_out(
        &self,
        plan: &Plan,
        ownership: Ownership,
        policy: Policy,
    ) -> Result<Progress, Halt> {
        let order = Order { plan, wanted: true, ownership, policy };
        let progress = carry_out(&self.access.caller, self.access.link.claims(), order).await;
        self.checked(progress)
    }

    fn checked(&self, progress: Progress) -> Result<Progress, Halt> {
        match &progress.failed {
            Some(failed) => Err(self.not_done(failed)),
            None => Ok(progress),
        }
    }

    fn not_done(&self, failed: &Failed) -> Halt {
        if let Some(error) = failed.error() {
            self.failed(error);
        }
        Halt::from(failed)
    }

    /// What an earlier pass was making when it ended: under another name than the one that is
    /// wanted now, it has to be looked for.
    pub(super) async fn left_behind(
        &self,
        record: &ChildRecord,
    ) -> Result<Option<Listed<K::Model>>, Halt> {
        let mut new = self.list(true, &new_of(record)).await?;
        match new.len() {
            0 | 1 => Ok(new.pop()),
            _ => Err(ambiguous()),
        }
    }

    /// Reports what was done.
    pub(super) async fn say(&self, reason: EventReason, action: &str, note: &str) {
        let about = reference(&self.object());
        self.context.events.publish(&about, EventType::Normal, reason, action, note).await;
    }
}

/// The record of an object in a team. One of another object or team, as in a copied manifest, is
/// none.
pub(super) fn record_of<K: Kept>(object: &K, team: TeamId) -> Option<ChildRecord> {
    let record = ChildRecord::parse(object.annotations().get(annotation::RECORD)?)?;
    let uid = object.uid().unwrap_or_default();
    record.valid_for(&uid, team, K::Model::KIND).then_some(record)
}

/// Those of the record's name that were not there before it.
fn new_of(record: &ChildRecord) -> impl Fn(i64, &str) -> bool + Send + Sync {
    |id, name| name.trim() == record.name.trim() && !record.before.contains(&id)
}

fn ambiguous() -> Halt {
    Halt::retry(
        crate::status::Reason::NameTaken,
        "The answer to making it was lost, and more than one new object has its name. Which is ours \
         cannot be told; none was touched. Remove those that nobody needs.",
        Class::Conflict,
    )
}

/// The server answered well and did not say what it made.
pub(super) fn nothing_made() -> Halt {
    let message = "The server did not say what it made.";
    Halt::retry(crate::status::Reason::Invalid, message, Class::Invalid)
}

/// The plan for something that is ours.
pub(super) fn ours<M: Model>(desired: &M::Desired, observed: Option<&M::Observed>) -> Plan {
    plan::<M>(Some(desired), observed, Ownership::Recorded, Policy::default())
}

/// Whether a plan leaves all as it is.
pub(super) fn is_idle(plan: &Plan) -> bool {
    plan.action == Action::NoOp
}
