//! TerdutAlertSource: an alert source of a team, and the Secret with its webhook.
//!
//! Its key is shown once. So the Secret is made between the POST and the record of the id, whatever
//! was made without its key being kept is removed and made again, and a Secret that is lost is not
//! healed: deleting and recreating the object is the way back. One that has the name already is never
//! taken over.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_client::execute::{Made, Progress};
use terdut_core::api::{Integration, Reply, Request};
use terdut_core::ids::TeamId;
use terdut_core::model::{AlertSource, DesiredAlertSource, ObservedAlertSource};
use terdut_core::plan::{Action, Ownership, Plan, Policy, plan};
use terdut_core::problem::Findings;
use terdut_core::record::ChildRecord;
use terdut_core::value::Input;

use super::child::{self, Kept, Listed, Wanted, Work, ours};
use super::ending::{settled, update_of};
use super::halt::Halt;
use super::wishes::is_deleting;
use crate::context::Context;
use crate::crd::{SecretName, TerdutAlertSource, TerdutAlertSourceStatus};
use crate::engine::{Controller, Next, Owned, Pass};
use crate::events::EventReason;
use crate::secrets::{Webhook, WebhookSecret, webhook_name};
use crate::status::Reason;

#[cfg(test)]
mod tests;

/// The controller of alert sources.
#[derive(Debug)]
pub struct AlertSourceController {
    context: Arc<Context>,
}

impl AlertSourceController {
    /// A controller.
    pub fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl Kept for TerdutAlertSource {
    type Model = AlertSource;

    fn asked_name(&self) -> String {
        self.spec.source.name.trim().to_owned()
    }

    fn list(team: TeamId) -> Request {
        Request::ListIntegrations { team }
    }

    fn listed(team: TeamId, reply: &Reply, wanted: Wanted<'_>) -> Vec<Listed<AlertSource>> {
        let Reply::Integrations(sources) = reply else { return Vec::new() };
        let wanted = sources.iter().filter(|source| wanted(source.id.0, &source.name));
        wanted.map(|source| listed(team, source)).collect()
    }
}

impl Controller for AlertSourceController {
    type Object = TerdutAlertSource;

    async fn reconcile(&self, source: Arc<TerdutAlertSource>, pass: &Pass) -> Next {
        let (context, source) = (self.context.as_ref(), source.as_ref());
        if is_deleting(source) {
            return child::remove(context, source).await;
        }
        if let Some(next) = child::pause(context, source).await {
            return next;
        }
        match reconcile(context, source, pass).await {
            Ok(id) => settled(context, source, |status| show(status, source, id)).await,
            Err(halt) => child::stop(context, source, halt).await,
        }
    }
}

/// One pass over an alert source that is wanted.
async fn reconcile(
    context: &Context,
    source: &TerdutAlertSource,
    pass: &Pass,
) -> Result<i64, Halt> {
    desired(source, Input::Unknown)?; // pure: what is wrong with the manifest comes first
    let work = child::begin(context, source, pass).await?; // consent, then the team's key
    let desired = desired(source, Input::Given(work.team.to_string()))?; // pure
    let record = work.record(); // pure
    let there = there(&work, record.as_ref()).await?; // what the server lists
    match there {
        Some(there) => keep(&work, &desired, there).await, // ours: renamed, or made again
        None => create(&work, &desired, record).await,     // made; never taken over
    }
}

/// What the manifest asks for, or all that is wrong with it.
fn desired(source: &TerdutAlertSource, team: Input<String>) -> Result<DesiredAlertSource, Halt> {
    let mut findings = Findings::default();
    let desired = source.spec.source.input(team).validate(&mut findings);
    desired.filter(|_| findings.is_valid()).ok_or_else(|| Halt::invalid(&findings))
}

/// The source on record, if it is still there.
async fn there(
    work: &Work<'_, TerdutAlertSource>,
    record: Option<&ChildRecord>,
) -> Result<Option<Listed<AlertSource>>, Halt> {
    match record.and_then(|record| record.id) {
        Some(id) => work.find(id).await,
        None => Ok(None),
    }
}

async fn keep(
    work: &Work<'_, TerdutAlertSource>,
    desired: &DesiredAlertSource,
    there: Listed<AlertSource>,
) -> Result<i64, Halt> {
    let plan = ours::<AlertSource>(desired, Some(&there.observed));
    if plan.action == Action::Replace {
        return replace(work, &plan).await;
    }
    if plan.action != Action::NoOp {
        work.carry_out(&plan, Ownership::Recorded, Policy::default()).await?;
        let (reason, note) = update_of(&work.object());
        work.say(reason, "Update", note).await;
    }
    has_secret(work).await?;
    Ok(there.id)
}

/// Another kind: the API cannot change it, so that it gets another key.
async fn replace(work: &Work<'_, TerdutAlertSource>, plan: &Plan) -> Result<i64, Halt> {
    not_foreign(work).await?;
    let name = work.name.clone();
    let rules = (Ownership::Recorded, Policy::default());
    let progress = work.carry_out_durably(plan, rules, None, &name).await?;
    let id = store(work, progress, &name).await?;
    let note = "The alert source was deleted and made again with another kind: its key and its URL \
                are new, and what sends to the old URL is refused.";
    work.say(EventReason::KeyRotated, "Replace", note).await;
    Ok(id)
}

async fn create(
    work: &Work<'_, TerdutAlertSource>,
    desired: &DesiredAlertSource,
    record: Option<ChildRecord>,
) -> Result<i64, Halt> {
    not_foreign(work).await?;
    let name = work.name.clone();
    let was_there = record.as_ref().is_some_and(|record| record.id.is_some());
    let before = match record.filter(|record| record.id.is_none()) {
        Some(record) if record.name == name => Some(record.before),
        Some(record) => {
            drop_left_behind(work, &record).await?;
            None
        }
        None => None,
    };
    let plan = ours::<AlertSource>(desired, None);
    let rules = (Ownership::Recorded, Policy::default());
    let progress = work.carry_out_durably(&plan, rules, before, &name).await?;
    let id = store(work, progress, &name).await?;
    if was_there {
        let note = "The alert source was gone on the server and was made again: its key and its \
                    URL are new.";
        work.say(EventReason::KeyRotated, "Create", note).await;
    }
    Ok(id)
}

/// An earlier pass made one under another name and ended before its key was kept: it is of no use.
async fn drop_left_behind(
    work: &Work<'_, TerdutAlertSource>,
    record: &ChildRecord,
) -> Result<(), Halt> {
    let Some(left) = work.left_behind(record).await? else { return Ok(()) };
    let (ownership, policy) = (Ownership::Recorded, Policy::default());
    let plan = plan::<AlertSource>(None, Some(&left.observed), ownership, policy);
    work.carry_out(&plan, ownership, policy).await.map(drop)
}

fn listed(team: TeamId, source: &Integration) -> Listed<AlertSource> {
    let observed = ObservedAlertSource::from_fact(team, source);
    Listed { id: source.id.0, name: source.name.clone(), observed }
}

/// Keeps the key: the Secret first, then the record that says that it is kept.
async fn store(
    work: &Work<'_, TerdutAlertSource>,
    progress: Progress,
    name: &str,
) -> Result<i64, Halt> {
    let Some(Made::Source(made)) = progress.made else { return Err(child::nothing_made()) };
    let (object, secrets) = (work.object(), &work.context.secrets);
    // What an earlier one left holds a key that is of no use any more.
    secrets.delete_webhook(&object).await?;
    secrets.create_webhook(&object, &Webhook { url: made.url, key: made.key }).await?;
    let id = made.integration.id.0;
    work.made(name, id).await?;
    Ok(id)
}

/// A Secret of the name that is somebody else's would leave no place for the key.
async fn not_foreign(work: &Work<'_, TerdutAlertSource>) -> Result<(), Halt> {
    match work.context.secrets.webhook(&work.object()).await? {
        WebhookSecret::Foreign => Err(foreign(&work.object())),
        WebhookSecret::Absent | WebhookSecret::Ours { .. } => Ok(()),
    }
}

/// Whether the Secret is still there: by the watch, and before it is called lost by a live look.
async fn has_secret(work: &Work<'_, TerdutAlertSource>) -> Result<(), Halt> {
    let object = work.object();
    let (namespace, name) =
        (object.namespace().unwrap_or_default(), webhook_name(&object.name_any()));
    let watched = work.context.stores.namespaces().owned(Owned::Secret, &namespace, &name);
    let uid = object.uid().unwrap_or_default();
    let is_ours = |owners: &[k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference]| {
        owners.iter().any(|owner| owner.uid == uid)
    };
    if watched.is_some_and(|secret| is_ours(secret.owner_references())) {
        return Ok(());
    }
    match work.context.secrets.webhook(&object).await? {
        WebhookSecret::Ours { labelled: true } => Ok(()),
        WebhookSecret::Ours { labelled: false } => {
            Ok(work.context.secrets.label_webhook(&object).await?)
        }
        WebhookSecret::Foreign => Err(foreign(&object)),
        WebhookSecret::Absent => Err(Halt::waiting(
            Reason::WebhookSecretLost,
            format!(
                "The Secret {name} with the webhook's key is gone, and the key is nowhere else. \
                 Delete this object and create it again to get a new one."
            ),
        )),
    }
}

fn foreign(source: &TerdutAlertSource) -> Halt {
    let name = webhook_name(&source.name_any());
    Halt::waiting(
        Reason::ForeignObject,
        format!(
            "A Secret {name} is there and was not made for this object. Remove it, or give this \
             object another name."
        ),
    )
}

/// What the status says beside its conditions.
fn show(status: &mut TerdutAlertSourceStatus, source: &TerdutAlertSource, id: i64) {
    status.integration_id = Some(id.to_string());
    status.webhook_url_secret_ref = Some(SecretName { name: webhook_name(&source.name_any()) });
}
