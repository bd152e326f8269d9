//! TerdutDeadmanSwitch: a dead man's switch of a team.
//!
//! The API has no update, so a change deletes it and makes it again. One that has the name already
//! is taken over.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_client::execute::{Found, Progress};
use terdut_core::api::{Reply, Request};
use terdut_core::ids::TeamId;
use terdut_core::model::{DeadmanSwitch, DesiredDeadmanSwitch, ObservedDeadmanSwitch};
use terdut_core::plan::{Action, Ownership, Policy, plan};
use terdut_core::problem::Findings;
use terdut_core::record::ChildRecord;
use terdut_core::value::Input;

use super::child::{self, Kept, Listed, Work, is_idle, ours};
use super::ending::settled;
use super::halt::Halt;
use super::wishes::is_deleting;
use crate::context::Context;
use crate::crd::{AppliedSwitch, Child, TerdutDeadmanSwitch, TerdutDeadmanSwitchStatus};
use crate::engine::{Controller, Next, ObjectKey, Pass};
use crate::events::EventReason;
use crate::status::Reason;

#[cfg(test)]
mod tests;

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

    fn listed(team: TeamId, reply: Reply) -> Vec<Listed<DeadmanSwitch>> {
        let Reply::Switches(switches) = reply else { return Vec::new() };
        let listed = |switch| {
            let observed = ObservedDeadmanSwitch::from_fact(team, switch);
            Listed { id: switch.id.0, name: switch.name.clone(), observed }
        };
        switches.iter().map(listed).collect()
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
            Ok((id, desired)) => {
                settled(context, switch, |status| show(status, id, &desired)).await
            }
            Err(halt) => child::stop(context, switch, halt).await,
        }
    }
}

/// One pass over a switch that is wanted.
async fn reconcile(
    context: &Context,
    switch: &TerdutDeadmanSwitch,
    pass: &Pass,
) -> Result<(i64, DesiredDeadmanSwitch), Halt> {
    desired(switch, Input::Unknown)?; // pure: what is wrong with the manifest comes first
    let work = child::begin(context, switch, pass).await?; // consent, then the team's key
    let desired = desired(switch, Input::Given(work.team.to_string()))?; // pure
    let record = work.record(); // pure
    let there = there(&work, record.as_ref()).await?; // what the server lists
    let id = match there {
        Some(there) => keep(&work, &desired, there).await?, // ours: as it is, or made again
        None => create(&work, &desired, record).await?,     // made, or taken over
    };
    Ok((id, desired))
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
        return Ok(work.list(false).await?.into_iter().find(|one| one.id == id));
    }
    // The pass that wrote the record ended before it knew; the name may have changed since.
    let renamed = record.name != work.object().asked_name();
    if renamed { work.left_behind(record).await } else { Ok(None) }
}

async fn keep(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    there: Listed<DeadmanSwitch>,
) -> Result<i64, Halt> {
    let plan = ours::<DeadmanSwitch>(desired, Some(&there.observed));
    let name = work.object().asked_name();
    if is_idle(&plan) {
        if work.record().and_then(|record| record.id).is_none() {
            work.made(&name, there.id).await?;
        }
        return Ok(there.id);
    }
    let rules = (Ownership::Recorded, Policy::default());
    let progress = work.carry_out_durably(&plan, rules, None, &name).await?;
    let id = record_made(work, &progress, &name).await?;
    let note = "The switch was deleted and made again with the new values; the first heartbeat is \
                waited for anew.";
    work.say(EventReason::Recreated, "Replace", note).await;
    Ok(id)
}

async fn create(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    record: Option<ChildRecord>,
) -> Result<i64, Halt> {
    let name = work.object().asked_name();
    // An id that is not there any more, or another name, begins a new record.
    let unfinished = record.filter(|record| record.id.is_none() && record.name == name);
    let before = unfinished.map(|record| record.before);
    let plan = ours::<DeadmanSwitch>(desired, None);
    let policy = Policy { adopt_existing: true, ..Policy::default() };
    let rules = (Ownership::Recorded, policy);
    let progress = work.carry_out_durably(&plan, rules, before, &name).await?;
    match progress.found {
        Some(Found::Switch(found)) => {
            let observed = ObservedDeadmanSwitch::from_fact(work.team, &found);
            adopt(work, desired, Listed { id: found.id.0, name: found.name, observed }).await
        }
        _ => record_made(work, &progress, &name).await,
    }
}

/// A switch of the name was there: it is ours from now on, as the manifest says.
async fn adopt(
    work: &Work<'_, TerdutDeadmanSwitch>,
    desired: &DesiredDeadmanSwitch,
    found: Listed<DeadmanSwitch>,
) -> Result<i64, Halt> {
    unclaimed(work, &found)?; // pure: git has two words for it
    let name = work.object().asked_name();
    let policy = Policy { adopt_existing: true, ..Policy::default() };
    let plan =
        plan::<DeadmanSwitch>(Some(desired), Some(&found.observed), Ownership::Found, policy);
    work.made(&name, found.id).await?;
    let note =
        format!("The switch {} was on the server already and is managed from now on.", found.id);
    work.say(EventReason::Adopted, "Adopt", &note).await;
    if plan.action != Action::Replace {
        return Ok(found.id);
    }
    let rules = (Ownership::Found, policy);
    let progress = work.carry_out_durably(&plan, rules, None, &name).await?;
    record_made(work, &progress, &name).await
}

/// Refuses a switch that another object of the team has on record: both would make it anew for ever.
fn unclaimed(
    work: &Work<'_, TerdutDeadmanSwitch>,
    found: &Listed<DeadmanSwitch>,
) -> Result<(), Halt> {
    let object = work.object();
    let team = ObjectKey::new(&object.namespace().unwrap_or_default(), &object.team().name);
    let siblings = work.context.stores.deadman_switches().children_of(&team);
    let owner = siblings.into_iter().find(|other| {
        other.uid() != object.uid() && child::may_own(other.as_ref(), work.team, found)
    });
    match owner {
        None => Ok(()),
        Some(owner) => Err(Halt::waiting(
            Reason::NameTaken,
            format!(
                "The TerdutDeadmanSwitch {} owns the switch of that name. Give this object another \
                 name, or delete one of the two.",
                owner.name_any()
            ),
        )),
    }
}

async fn record_made(
    work: &Work<'_, TerdutDeadmanSwitch>,
    progress: &Progress,
    name: &str,
) -> Result<i64, Halt> {
    let id = progress.made_id().ok_or_else(child::nothing_made)?;
    work.made(name, id).await?;
    Ok(id)
}

/// What the status says beside its conditions.
fn show(status: &mut TerdutDeadmanSwitchStatus, id: i64, desired: &DesiredDeadmanSwitch) {
    let text = |value: Option<String>| value.unwrap_or_default();
    status.switch_id = Some(id.to_string());
    status.applied = Some(AppliedSwitch {
        name: text(desired.name.known().map(ToString::to_string)),
        matcher: text(desired.matcher.known().map(ToString::to_string)),
        timeout: text(desired.timeout.known().map(ToString::to_string)),
        severity: text(desired.severity.known().map(ToString::to_string)),
    });
}
