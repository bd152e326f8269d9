//! Create, update and delete, as core's steps.
//!
//! Once the object has an id, its state is answered, whatever failed later: then the failure is a
//! warning, the state is as planned, and [`PENDING`] is remembered until the next read shows what
//! is there. An error would taint, and what is tainted would be deleted with all below it.

use std::collections::BTreeSet;

use terdut_client::execute::{Order, Progress, carry_out};
use terdut_client::{Caller, ClaimGuard};
use terdut_core::error::ApiError;
use terdut_core::explain::Doing;
use terdut_core::model::Model as CoreModel;
use terdut_core::plan::{self, Action, Ownership, Policy};
use terdut_core::problem::Findings;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::{Model, ToValue};
use terdut_plugin::resource::{Context, Create, Delete, Outcome, Private, Update};
use terdut_plugin::value::Value;

use super::names::{self, Begun};
use super::planning::{adopts, decide, own_id};
use super::{Desired, Object, Observed, kind, label};
use crate::context::{ProviderData, caller};
use crate::report;
use crate::timeouts::{self, Limit};

/// The private key of what a create could not finish.
pub(super) const PENDING: &str = "pending";

/// The private key of the ids that had the new object's name before. One of them may be its own
/// predecessor, which the host destroys after this create and of which it says nothing before: so
/// they are told by the next read, if they are still there.
pub(super) const BESIDE: &str = "beside";

/// What one operation works with.
struct Work<'a> {
    context: &'a Context<ProviderData>,
    caller: Caller,
    limit: Limit,
    doing: Doing,
}

impl<'a> Work<'a> {
    fn new(
        context: &'a Context<ProviderData>,
        limit: Limit,
        doing: Doing,
    ) -> Result<Self, Diagnostic> {
        Ok(Self { context, caller: caller(context, limit)?, limit, doing })
    }

    async fn carry_out(&self, order: Order<'_>) -> Progress {
        carry_out(&self.caller, self.context.data().claims(), order).await
    }

    /// What there is to tell of how it went, but for what failed.
    fn notes(&self, progress: &Progress) -> Diagnostics {
        let mut notes: Diagnostics = progress.warnings.iter().map(report::warning).collect();
        notes.extend(progress.failed.as_ref().and_then(|_| self.over()));
        notes
    }

    /// That the time is over, if that is what ended the work.
    fn over(&self) -> Option<Diagnostic> {
        let over = self.caller.is_stopped() && !self.context.stop().is_cancelled();
        over.then(|| self.limit.exceeded())
    }

    fn error(&self, error: &ApiError) -> Diagnostics {
        let mut told: Diagnostics = self.over().into_iter().collect();
        told.push(report::api(&self.doing, error));
        told
    }
}

/// Makes the object, or takes over what has its name if the configuration permits that.
pub(super) async fn create<O: Object>(
    context: &Context<ProviderData>,
    request: Create<O::Model>,
) -> Outcome<O::Model> {
    let Create { planned, private, .. } = request;
    match try_create::<O>(context, planned).await {
        Ok((state, told, left)) => {
            let mut private = private;
            remember(&mut private, &left);
            Outcome::state(state, private).tell(told)
        }
        Err(told) => Outcome::failed(told, private),
    }
}

/// The state, what to tell, and what is left to do.
type Created<M> = (M, Diagnostics, Left);

/// What the next read has to do.
#[derive(Debug, Default)]
struct Left {
    /// Whether it shows what the create could not finish.
    pending: bool,
    /// Others of the same name, if they are still there.
    beside: Vec<String>,
}

async fn try_create<O: Object>(
    context: &Context<ProviderData>,
    planned: O::Model,
) -> Result<Created<O::Model>, Diagnostics> {
    let limit = timeouts::create(&timeouts::of(&planned.to_value()));
    let work = Work::new(context, limit, Doing::creating(kind::<O>(), label(&planned).trim()))?;
    let desired = wanted::<O>(&planned)?;
    let (occupant, _held) = occupant::<O>(&work, &desired).await?;
    // Under the claim: of two that want the same place, the first one has the name.
    let begun = context.data().names().begin(names::of::<O>(&planned));
    let wish = Wish {
        desired: &desired,
        policy: Policy { adopt_existing: adopts(&planned), ..Policy::default() },
        begun: &begun,
    };
    let created = match occupant {
        Some(there) => adopt::<O>(&work, planned, &wish, there).await,
        None => make::<O>(&work, planned, &wish).await,
    };
    if created.is_ok() {
        begun.keep();
    }
    created
}

/// What a create is to come to, and what it may do for it.
struct Wish<'a, O: Object> {
    desired: &'a Desired<O>,
    policy: Policy,
    begun: &'a Begun<'a>,
}

async fn make<O: Object>(
    work: &Work<'_>,
    planned: O::Model,
    wish: &Wish<'_, O>,
) -> Result<Created<O::Model>, Diagnostics> {
    let (policy, ownership) = (wish.policy, OURS);
    let plan = plan::plan::<O::Core>(Some(wish.desired), None, ownership, policy);
    let mut progress = work.carry_out(Order { plan: &plan, wanted: true, ownership, policy }).await;
    let found = progress.found.take().and_then(|found| O::found(found, &planned));
    if let Some(there) = found {
        return adopt::<O>(work, planned, wish, there).await;
    }
    let others = std::mem::take(&mut progress.beside);
    let mut created = made::<O>(work, planned, progress, None)?;
    created.2.beside = beside::<O>(work, &created.0, &others);
    Ok(created)
}

/// Others of the same name, but for those that are known to be held.
fn beside<O: Object>(work: &Work<'_>, made: &O::Model, others: &BTreeSet<i64>) -> Vec<String> {
    let Some(made) = O::stored(made).filter(|_| O::NAMES_REPEAT) else { return Vec::new() };
    let names = work.context.data().names();
    names.hold(names::identity::<O>(&made));
    let is_held = |id: &String| names.is_held(&names::sibling::<O>(&made, id));
    others.iter().map(ToString::to_string).filter(|id| !is_held(id)).collect()
}

const OURS: Ownership = Ownership::Recorded;

async fn adopt<O: Object>(
    work: &Work<'_>,
    planned: O::Model,
    wish: &Wish<'_, O>,
    there: Observed<O>,
) -> Result<Created<O::Model>, Diagnostics> {
    let ownership = if wish.begun.is_first() { Ownership::Found } else { Ownership::Shared };
    let policy = wish.policy;
    let plan = plan::plan::<O::Core>(Some(wish.desired), Some(&there), ownership, policy);
    if let Some(refusal) = &plan.refusal {
        return Err(report::error(&refusal.problem()).into());
    }
    let mut progress = work.carry_out(Order { plan: &plan, wanted: true, ownership, policy }).await;
    progress.warnings.extend(plan.warnings);
    // What is replaced has no id until it is made again.
    let id = (plan.action != Action::Replace).then(|| own_id::<O>(&there));
    let mut created = made::<O>(work, planned, progress, id)?;
    if plan.action != Action::Replace {
        work.context.data().names().adopted(names::identity::<O>(&there));
        created.1.extend(O::came_along(&work.caller, &there).await);
    }
    Ok(created)
}

/// The state of what was made or taken over, or why there is none.
fn made<O: Object>(
    work: &Work<'_>,
    planned: O::Model,
    progress: Progress,
    id: Option<String>,
) -> Result<Created<O::Model>, Diagnostics> {
    let mut told = work.notes(&progress);
    let id = progress.made_id().map(|id| id.to_string()).or(id);
    if let Some(failed) = &progress.failed {
        if id.is_none() {
            told.extend(report::failed(&work.doing, failed));
            return Err(told);
        }
        told.extend(report::unfinished(&work.doing, failed));
    }
    let mut state = completed(planned, id);
    O::settle(&mut state, progress.made);
    Ok((state, told, Left { pending: progress.failed.is_some(), beside: Vec::new() }))
}

/// The plan with the id, and null wherever the apply tells nothing.
fn completed<M: Model>(planned: M, id: Option<String>) -> M {
    let mut value = planned.to_value();
    if let (Some(id), Some(place)) = (id, value.attribute_mut("id")) {
        *place = Value::from(id);
    }
    value.null_unknowns();
    M::from_value(value).unwrap_or(planned)
}

/// What stands where the object is to be made, and the claim that keeps others away meanwhile.
async fn occupant<O: Object>(
    work: &Work<'_>,
    desired: &Desired<O>,
) -> Result<(Option<Observed<O>>, Option<ClaimGuard>), Diagnostics> {
    let Some(known) = <O::Core as CoreModel>::known(desired) else { return Ok((None, None)) };
    let server = work.caller.client().server().to_string();
    let Some(claim) = O::claim(&known, &server) else { return Ok((None, None)) };
    let held = work.caller.wait(work.context.data().claims().take(claim)).await;
    let there = O::occupant(&work.caller, &known).await.map_err(|error| work.error(&error))?;
    Ok((there, held))
}

/// The validated wish. At apply all of it is known, and what was unknown before is checked here.
fn wanted<O: Object>(planned: &O::Model) -> Result<Desired<O>, Diagnostics> {
    let mut findings = Findings::default();
    let desired = O::desired(planned, &mut findings);
    let errors = || findings.errors.iter().map(report::error).collect::<Diagnostics>();
    desired.ok_or_else(errors)
}

/// Changes the object in place. Without a step there is no call.
pub(super) async fn update<O: Object>(
    context: &Context<ProviderData>,
    request: Update<O::Model>,
) -> Outcome<O::Model> {
    let Update { prior, planned, private, .. } = request;
    match try_update::<O>(context, &prior, &planned).await {
        Ok(told) => Outcome::state(completed(planned, None), private).tell(told),
        Err(told) => Outcome::failed(told, private),
    }
}

async fn try_update<O: Object>(
    context: &Context<ProviderData>,
    prior: &O::Model,
    planned: &O::Model,
) -> Result<Diagnostics, Diagnostics> {
    wanted::<O>(planned)?;
    let stored = O::stored(prior).ok_or_else(|| without_id::<O>())?;
    let policy = Policy::default();
    let Some(plan) = decide::<O>(planned, &stored, policy) else { return Ok(Diagnostics::new()) };
    if plan.steps.is_empty() {
        return Ok(Diagnostics::new());
    }
    let limit = timeouts::update(&timeouts::of(&planned.to_value()));
    let name = <O::Core as CoreModel>::label(&stored);
    let work = Work::new(context, limit, Doing::updating(kind::<O>(), &name))?;
    let order = Order { plan: &plan, wanted: true, ownership: OURS, policy };
    finished(&work, &work.carry_out(order).await)
}

fn finished(work: &Work<'_>, progress: &Progress) -> Result<Diagnostics, Diagnostics> {
    let mut told = work.notes(progress);
    match &progress.failed {
        None => Ok(told),
        Some(failed) => {
            told.extend(report::failed(&work.doing, failed));
            Err(told)
        }
    }
}

/// Removes the object. What is not there is removed.
pub(super) async fn delete<O: Object>(
    context: &Context<ProviderData>,
    request: Delete<O::Model>,
) -> Outcome<O::Model> {
    let Delete { prior, private } = request;
    match try_delete::<O>(context, &prior).await {
        Ok(told) => {
            context.data().names().free(&names::of::<O>(&prior));
            Outcome::gone().tell(told)
        }
        Err(told) => Outcome::failed(told, private),
    }
}

async fn try_delete<O: Object>(
    context: &Context<ProviderData>,
    prior: &O::Model,
) -> Result<Diagnostics, Diagnostics> {
    let stored = O::stored(prior).ok_or_else(|| without_id::<O>())?;
    let is_shared = context.data().names().is_adopted(&names::identity::<O>(&stored));
    let ownership = if is_shared { Ownership::Shared } else { OURS };
    let policy = Policy::default();
    let plan = plan::plan::<O::Core>(None, Some(&stored), ownership, policy);
    if plan.action == Action::NoOp {
        return Ok(plan.warnings.iter().map(report::warning).collect());
    }
    let limit = timeouts::delete(&timeouts::of(&prior.to_value()));
    let name = <O::Core as CoreModel>::label(&stored);
    let work = Work::new(context, limit, Doing::deleting(kind::<O>(), &name))?;
    let order = Order { plan: &plan, wanted: false, ownership, policy };
    finished(&work, &work.carry_out(order).await)
}

/// The state's ids are not terdut's.
pub(super) fn without_id<O: Object>() -> Diagnostics {
    Diagnostic::error(
        "The state has no usable id",
        format!(
            "The state of this {} has no id that terdut could have given. Remove it from the state \
             and import the object.",
            kind::<O>().noun()
        ),
    )
    .into()
}

fn remember(private: &mut Private, left: &Left) {
    if left.pending {
        private.set(PENDING, &true);
    } else {
        private.remove(PENDING);
    }
    if left.beside.is_empty() {
        private.remove(BESIDE);
    } else {
        private.set(BESIDE, &left.beside);
    }
}
