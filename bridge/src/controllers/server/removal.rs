//! A server that is being deleted.
//!
//! It waits for nobody: neither for its teams nor for the server. Its objects go with it by their
//! owner references, or are let go and kept for the next one of its name. The key is revoked once,
//! as far as that works within a moment.

use std::time::Duration;

use kube::ResourceExt;
use terdut_client::execute::carry_out_order;
use terdut_core::api::AccountScope;
use terdut_core::credential::{Machine, Order, Warning};
use terdut_core::error::Class;
use terdut_core::render;
use terdut_core::retention::{Deleted, Deletion, Parent, Why, decide};

use super::credential::Records;
use super::wanted::owner;
use super::{apply, existing, report};
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::{is_abandoned, is_held, reference};
use crate::crd::names::annotation;
use crate::crd::{Kind, TerdutServer};
use crate::engine::{Next, Owned};
use crate::events::{EventReason, EventType};
use crate::kube::{KubeClass, KubeError};
use crate::status::Reason;

/// How long the server gets to revoke what it will not be asked for again.
const RELEASE_LIMIT: Duration = Duration::from_secs(5);

/// One pass over a server that is being deleted.
pub(super) async fn remove(context: &Context, server: &TerdutServer) -> Next {
    if !is_held(server) {
        return Next::Gone;
    }
    match finish(context, server).await {
        Ok(()) => {
            context.servers.forget(server);
            Next::Gone
        }
        Err(halt) => report::end(context, server, report::Seen::default(), Err(halt)).await,
    }
}

async fn finish(context: &Context, server: &TerdutServer) -> Result<(), Halt> {
    let mut records = Records::open(context, server).await?;
    let known = Deleted {
        policy: server.deletion_policy(),
        abandoned: is_abandoned(server),
        recorded: Some(records.own_record().is_some() || records.checkpoint().is_some()),
        parent: Some(Parent::There),
    };
    let decided = decide(known);
    let retained = decided == Deletion::DropNow { why: Why::Retained };
    match decided {
        _ if retained => {
            retain(context, server, &mut records).await?;
            records.leave_checkpoint().await?;
        }
        // Nothing to look for is left: all that decides is known.
        Deletion::DropNow { .. } | Deletion::LookForRecord | Deletion::LookForParent => {
            forget(context, server, &mut records).await?;
        }
        Deletion::CallFirst => {
            release(context, server, &records).await;
            forget(context, server, &mut records).await?;
        }
    }
    context.kube.drop_finalizer(server).await?;
    if retained {
        tell_retained(context, server).await;
    }
    Ok(())
}

/// Nothing stays: neither what is on record nor the objects.
async fn forget(
    context: &Context,
    server: &TerdutServer,
    records: &mut Records<'_>,
) -> Result<(), Halt> {
    for kind in Owned::RENDERED {
        attach(context, server, kind).await?;
    }
    records.drop_record().await?;
    records.drop_checkpoint().await?;
    Ok(())
}

/// An object that was to be retained until a moment ago goes with the server after all.
async fn attach(context: &Context, server: &TerdutServer, kind: Owned) -> Result<(), Halt> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let Some(known) = context.stores.namespaces().owned(kind, &namespace, &name) else {
        return Ok(());
    };
    let found = serde_json::to_value(known.as_ref()).unwrap_or_default();
    let Some(patch) = render::attach(&found, &owner(server)) else { return Ok(()) };
    match apply::merge(context, server, kind, &patch).await {
        Err(error) if error.class == KubeClass::NotFound => Ok(()),
        Err(error) if error.class == KubeClass::Forbidden && is_abandoned(server) => Ok(()),
        patched => Ok(patched.map(drop)?),
    }
}

/// Lets the server run on: its objects are let go, and its key is kept for the next of its name.
async fn retain(
    context: &Context,
    server: &TerdutServer,
    records: &mut Records<'_>,
) -> Result<(), Halt> {
    // The record first: without it nobody could take the objects up again.
    records.leave_record().await?;
    for kind in Owned::RENDERED {
        match let_go(context, server, kind).await {
            Err(error) if error.class == KubeClass::Forbidden && !is_abandoned(server) => {
                return Err(blocked());
            }
            Err(error) if error.class != KubeClass::Forbidden => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

async fn tell_retained(context: &Context, server: &TerdutServer) {
    let note = "The server runs on, as deletionPolicy says. A TerdutServer of this name takes it \
                up again.";
    let about = reference(server);
    let events = &context.events;
    events.publish(&about, EventType::Normal, EventReason::Retained, "Delete", note).await;
}

async fn let_go(context: &Context, server: &TerdutServer, kind: Owned) -> Result<(), KubeError> {
    if kind == Owned::HttpRoute && !existing::has_routes(context).await? {
        return Ok(());
    }
    let Some(found) = existing::live(context, server, kind).await? else { return Ok(()) };
    let owner = owner(server);
    if render::foreign(&found, &owner, None) != render::Standing::Ours {
        return Ok(());
    }
    let noted = format!("{}/{}", server.namespace().unwrap_or_default(), server.name_any());
    match render::release(&found, &owner, &noted) {
        Some(patch) => apply::merge(context, server, kind, &patch).await.map(drop),
        None => Ok(()),
    }
}

fn blocked() -> Halt {
    let message = format!(
        "The objects that shall stay cannot be let go: the bridge has no rights in this namespace. \
         Grant it its Role for tenants there (the chart's tenants.namespaces), or give them up with \
         the annotation {}: abandon; they are then removed with this object.",
        annotation::ON_DELETE
    );
    Halt::retry(Reason::DeletionBlocked, message, Class::Denied)
}

/// Revokes the keys of our account. Whatever comes of it, the deletion goes on.
async fn release(context: &Context, server: &TerdutServer, records: &Records<'_>) {
    let released = tokio::time::timeout(RELEASE_LIMIT, revoke(context, server, records)).await;
    if released == Ok(true) {
        return;
    }
    let note = "The bridge's key was not revoked: the server did not take that. Revoke it with an \
                admin session if the server is used on.";
    let about = reference(server);
    let events = &context.events;
    let reason = EventReason::KeyNotRevoked;
    events.publish(&about, EventType::Warning, reason, "Revoke", note).await;
}

/// Whether no key of ours is left.
async fn revoke(context: &Context, server: &TerdutServer, records: &Records<'_>) -> bool {
    let record = records.record();
    let facts = record.facts(records.checkpoint());
    if !facts.hold_anything() {
        return true;
    }
    let Ok(link) = context.servers.link(server) else { return false };
    let Ok(admitted) = link.admit() else { return false };
    let handed = facts.admin.iter().map(|admin| admin.token.clone()).collect();
    let account = Order::sole(record.account_name(), AccountScope::Instance).account;
    let mut machine = Machine::release_sole(facts, account, handed);
    let caller = link.keyless(&admitted);
    let outcome = carry_out_order(&caller, &mut machine, |_| std::future::ready(())).await;
    let left = outcome.warnings.iter().any(Warning::is_of_a_key_left);
    outcome.failure.is_none() && outcome.facts.token().is_none() && !left
}
