//! TerdutDeadmanSwitch: a dead man's switch of a team.
//!
//! The API has no update, so a change deletes it and makes it again. One that has the name already
//! is taken over.

use std::sync::Arc;

use terdut_client::execute::{Found, Made, Progress};
use terdut_core::api::{Reply, Request, Switch};
use terdut_core::ids::TeamId;
use terdut_core::model::{DeadmanSwitch, DesiredDeadmanSwitch, ObservedDeadmanSwitch};
use terdut_core::plan::{Action, Ownership, Plan, Policy, plan};
use terdut_core::problem::Findings;
use terdut_core::record::ChildRecord;
use terdut_core::value::Input;

use super::child::{self, Kept, Listed, Wanted, Work, is_idle, ours};
use super::ending::settled;
use super::halt::Halt;
use super::wishes::is_deleting;
use crate::context::Context;
use crate::crd::{AppliedSwitch, TerdutDeadmanSwitch, TerdutDeadmanSwitchStatus};
use crate::engine::{Controller, Next, Pass};
use crate::events::EventReason;
use crate::status::Reason;

/// The controller of dead man's switches.
#[derive(Debug)]
pub struct DeadmanSwitchController {
    context: Arc<Context>,
}

impl DeadmanSwitchController {
    /// A controller.
    pub fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl Kept for TerdutDeadmanSwitch {
    type Model = DeadmanSwitch;

    fn asked_name(&self) -> String {
        self.spec.switch.name.trim().to_owned()
    }

    fn list(team: TeamId) -> Request {
        Request::ListSwitches { team }
    }

    fn listed(team: TeamId, reply: &Reply, wanted: Wanted<'_>) -> Vec<Listed<DeadmanSwitch>> {
        let Reply::Switches(switches) = reply else { return Vec::new() };
        let wanted = switches.iter().filter(|switch| wanted(switch.id.0, &switch.name));
        wanted.map(|switch| listed(team, switch)).collect()
    }
}

impl Controller for DeadmanSwitchController {
    type Object = TerdutDeadmanSwitch;

    async fn reconcile(&self, switch: Arc<TerdutDeadmanSwitch>, pass: &Pass) -> Next {
        let (context, switch) = (self.context.as_ref(), switch.as_ref());
        if is_deleting(switch) {
            return child::remove(context, switch).await;
        }
        if let Some(next) = child::pause(context, switch).await {
            return next;
        }
        match reconcile(context, switch, pass).await {
            Ok(there) => settled(context, switch, |status| show(status, &there)).await,
            Err(halt) => child::stop(context, switch, halt).await,
        }
    }
}

/// One pass over a switch that is wanted.
async fn reconcile(
    context: &Context,
    switch: &TerdutDeadmanSwitch,
    pass: &Pass,
) -> Result<Listed<DeadmanSwitch>, Halt> {
    desired(switch, Input::Unknown)?; // pure: what is wrong with the manifest comes first
    let work = child::begin(context, switch, pass).await?; // consent, then the team's key
    let desired = desired(switch, Input::Given(work.team.to_string()))?; // pure
    let record = work.record(); // pure
    match there(&work, record.as_ref()).await? {
        Some(there) => keep(&work, &desired, there).await, // ours: as it is, or made again
        None => create(&work, &desired, record).await,     // made, or taken over
    }
}

/// What the manifest asks for, or all that is wrong with it.
fn desired(
    switch: &TerdutDeadmanSwitch,
    team: Input<String>,
) -> Result<DesiredDeadmanSwitch, Halt> {
    let mut findings = Findings::default();
    let desired = switch.spec.switch.input(team).validate(&mut findings);
    desired.filter(|_| findings.is_valid()).ok_or_else(|| Halt::invalid(&findings))
}

/// The switch on record, if it is still there.
async fn there(
    work: &Work<'_, TerdutDeadmanSwitch>,
    record: Option<&ChildRecord>,
) -> Result<Option<Listed<DeadmanSwitch>>, Halt> {
    let Some(record) = record else { return Ok(None) };
    if let Some(id) = record.id {
        return work.find(id).await;
    }
    // The pass that wrote the record ended before it knew; the name may have changed since.
    let renamed = record.name != work.name;
    if renamed { work.left_behind(record).await } else { Ok(None) }
}

async fn keep(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    there: Listed<DeadmanSwitch>,
) -> Result<Listed<DeadmanSwitch>, Halt> {
    let plan = ours::<DeadmanSwitch>(desired, Some(&there.observed));
    if is_idle(&plan) {
        if work.record().and_then(|record| record.id).is_none() {
            work.made(&work.name, there.id).await?;
        }
        return Ok(there);
    }
    let made = replace(work, &plan, (Ownership::Recorded, Policy::default())).await?;
    if there.name != made.name {
        // The name that it had may be what another waits for.
        work.wake_heirs();
    }
    Ok(made)
}

async fn replace(
    work: &Work<'_, TerdutDeadmanSwitch>,
    plan: &Plan,
    rules: (Ownership, Policy),
) -> Result<Listed<DeadmanSwitch>, Halt> {
    let name = work.name.clone();
    let progress = work.carry_out_durably(plan, rules, None, &name).await?;
    let made = record_made(work, progress, &name).await?;
    let note = "The switch was deleted and made again with the new values; the first heartbeat is \
                waited for anew.";
    work.say(EventReason::Recreated, "Replace", note).await;
    Ok(made)
}

async fn create(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    record: Option<ChildRecord>,
) -> Result<Listed<DeadmanSwitch>, Halt> {
    let name = work.name.clone();
    let was_there = record.as_ref().is_some_and(|record| record.id.is_some());
    // An id that is not there any more, or another name, begins a new record.
    let unfinished = record.filter(|record| record.id.is_none() && record.name == name);
    let before = unfinished.map(|record| record.before);
    let plan = ours::<DeadmanSwitch>(desired, None);
    let policy = Policy { adopt_existing: true, ..Policy::default() };
    let rules = (Ownership::Recorded, policy);
    let progress = work.carry_out_durably(&plan, rules, before, &name).await?;
    if let Some(Found::Switch(found)) = &progress.found {
        return adopt(work, desired, listed(work.team, found)).await;
    }
    let made = record_made(work, progress, &name).await?;
    if was_there {
        let note = "The switch was gone on the server and was made again.";
        work.say(EventReason::DriftRepaired, "Create", note).await;
    }
    Ok(made)
}

/// A switch of the name was there: it is ours from now on, as the manifest says, unless it is
/// another object's.
async fn adopt(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    found: Listed<DeadmanSwitch>,
) -> Result<Listed<DeadmanSwitch>, Halt> {
    {
        // Two objects must not both find that nobody has it.
        let _claim = work.claim(found.id).await;
        if let Some(other) = work.holder(found.id, &found.name).await? {
            return Err(Halt::waiting(
                Reason::NameTaken,
                format!("The TerdutDeadmanSwitch {other} has the switch of that name."),
            ));
        }
        work.made(&work.name, found.id).await?;
    }
    let note =
        format!("The switch {} was on the server already and is managed from now on.", found.id);
    work.say(EventReason::Adopted, "Adopt", &note).await;
    let policy = Policy { adopt_existing: true, ..Policy::default() };
    let plan =
        plan::<DeadmanSwitch>(Some(desired), Some(&found.observed), Ownership::Found, policy);
    if plan.action == Action::Replace {
        return replace(work, &plan, (Ownership::Found, policy)).await;
    }
    Ok(found)
}

async fn record_made(
    work: &Work<'_, TerdutDeadmanSwitch>,
    progress: Progress,
    name: &str,
) -> Result<Listed<DeadmanSwitch>, Halt> {
    let Some(Made::Switch(made)) = progress.made else { return Err(child::nothing_made()) };
    work.made(name, made.id.0).await?;
    Ok(listed(work.team, &made))
}

fn listed(team: TeamId, switch: &Switch) -> Listed<DeadmanSwitch> {
    let observed = ObservedDeadmanSwitch::from_fact(team, switch);
    Listed { id: switch.id.0, name: switch.name.clone(), observed }
}

/// What the status says beside its conditions: what the server has.
fn show(status: &mut TerdutDeadmanSwitchStatus, there: &Listed<DeadmanSwitch>) {
    let ObservedDeadmanSwitch { name, matcher, timeout, severity, .. } = there.observed.clone();
    status.switch_id = Some(there.id.to_string());
    status.applied = Some(AppliedSwitch { name, matcher, timeout, severity });
}
