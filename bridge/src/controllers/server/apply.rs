//! Carries out what was decided for a server's objects.

use std::error::Error;

use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::Value;
use terdut_core::error::Class;
use terdut_core::render::{self, Standing};

use super::existing::{self, Existing};
use super::objects::Step;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::reference;
use crate::crd::TerdutServer;
use crate::crd::names::MANAGER;
use crate::engine::Owned;
use crate::events::{EventReason, EventType};
use crate::kube::{KubeClass, KubeError};
use crate::status::Reason;

/// Applies and deletes. The Deployment as it is then.
pub(super) async fn carry_out(
    context: &Context,
    server: &TerdutServer,
    steps: Vec<Step>,
    existing: &Existing,
) -> Result<Option<Value>, Halt> {
    let mut deployment = existing.deployment().cloned();
    let mut taken_over = Vec::new();
    for step in steps {
        match step {
            Step::Apply { kind, object, standing } => {
                if standing == Some(Standing::TakenOver) {
                    taken_over.push(kind.names().2);
                    seize(context, server, kind).await?;
                }
                let applied = apply(context, server, kind, &object, standing).await;
                let applied = applied.map_err(refused)?;
                if kind == Owned::Deployment {
                    deployment = Some(applied);
                }
            }
            Step::Delete { kind, uid } => delete(context, server, kind, uid).await?,
        }
    }
    if !taken_over.is_empty() {
        let note = format!("Taken over from whoever made them: {}.", taken_over.join(", "));
        let (events, about) = (&context.events, reference(server));
        events.publish(&about, EventType::Normal, EventReason::TakenOver, "TakeOver", &note).await;
    }
    Ok(deployment)
}

/// The API server refuses what is rendered: no later pass will do better, so people have to see it.
fn refused(error: KubeError) -> Halt {
    if error.class != KubeClass::Invalid {
        return error.into();
    }
    tracing::warn!(%error, cause = error.source().map(ToString::to_string), "an object is refused");
    let message = format!(
        "The API server refuses the {} that is rendered; the bridge's log has its words.",
        error.object
    );
    Halt::retry(Reason::Invalid, message, Class::Invalid)
}

/// Lets all that people and tools set in an object count as ours, so that the next apply leaves
/// nothing of it that is not wanted.
async fn seize(context: &Context, server: &TerdutServer, kind: Owned) -> Result<(), KubeError> {
    let Some(now) = existing::live(context, server, kind).await? else { return Ok(()) };
    merge(context, server, kind, &render::seize(&now)).await.map(drop)
}

async fn apply(
    context: &Context,
    server: &TerdutServer,
    kind: Owned,
    object: &Value,
    standing: Option<Standing>,
) -> Result<Value, KubeError> {
    // The watch may be behind our own last write: a second look costs less than a write.
    if standing == Some(Standing::Ours)
        && let Some(now) = existing::live(context, server, kind).await?
        && render::holds(&now, object)
        && render::adopt(&now, object).is_none()
    {
        return Ok(now);
    }
    let applied = match context.kube.apply(object).await {
        // What others set in it may not go together with what is wanted.
        Err(error) if error.class == KubeClass::Invalid && standing.is_some() => {
            seize(context, server, kind).await?;
            context.kube.apply(object).await?
        }
        applied => applied?,
    };
    let applied = serde_json::to_value(applied).unwrap_or_default();
    match render::adopt(&applied, object) {
        Some(patch) => merge(context, server, kind, &patch).await,
        None => Ok(applied),
    }
}

/// A merge patch of one of the server's objects.
pub(super) async fn merge(
    context: &Context,
    server: &TerdutServer,
    kind: Owned,
    patch: &Value,
) -> Result<Value, KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let parameters =
        PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    let api = context.kube.dynamic(&kind.resource(), &namespace);
    let patched = api.patch(&name, &parameters, &Patch::Merge(patch)).await;
    let described = format!("{} {namespace}/{name}", kind.names().2);
    let patched = patched.map_err(KubeError::doing("patch", &described))?;
    Ok(serde_json::to_value(patched).unwrap_or_default())
}

async fn delete(
    context: &Context,
    server: &TerdutServer,
    kind: Owned,
    uid: String,
) -> Result<(), KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let preconditions = Some(Preconditions { uid: Some(uid), resource_version: None });
    let parameters = DeleteParams { preconditions, ..DeleteParams::default() };
    let api = context.kube.dynamic(&kind.resource(), &namespace);
    let described = format!("{} {namespace}/{name}", kind.names().2);
    match api.delete(&name, &parameters).await.map_err(KubeError::doing("delete", &described)) {
        Err(error) if error.class != KubeClass::NotFound => Err(error),
        _ => Ok(()),
    }
}
