//! A child that is being deleted.
//!
//! Decided by core from the object, its record, then its team and server. It is removed with its
//! team's key, and gone when a complete list lacks it.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_client::execute::{Order, carry_out};
use terdut_core::error::{ApiError, Class};
use terdut_core::model::Model;
use terdut_core::plan::{Ownership, Policy, plan};
use terdut_core::record::{ChildRecord, TeamRecord};
use terdut_core::retention::{Deleted, Deletion, DeletionPolicy, Parent, Why, decide};

use super::{Kept, Listed, new_ones};
use crate::access::{self, ChildAccess, Refused};
use crate::context::Context;
use crate::controllers::ending::halted;
use crate::controllers::halt::Halt;
use crate::controllers::team::with_way_out;
use crate::controllers::wishes::{is_abandoned, is_deleting, is_held, reference};
use crate::crd::names::annotation;
use crate::crd::{Kind, TerdutServer, TerdutTeam};
use crate::engine::Next;
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;
use crate::status::Reason;

/// One pass over a child that is being deleted.
pub(in crate::controllers) async fn remove<K: Kept>(context: &Context, child: &K) -> Next {
    if !is_held(child) {
        return Next::Gone;
    }
    match finish(context, child).await {
        Ok(()) => Next::Gone,
        Err(halt) => halted(context, child, halt).await,
    }
}

/// The team and the server that a child is below.
struct Above {
    team: Arc<TerdutTeam>,
    server: Arc<TerdutServer>,
    record: TeamRecord,
}

async fn finish<K: Kept>(context: &Context, child: &K) -> Result<(), Halt> {
    let record = recorded(child);
    let mut known = Deleted {
        policy: child.deletion_policy(),
        abandoned: is_abandoned(child),
        recorded: Some(record.is_some()),
        parent: None,
    };
    let mut above = None;
    loop {
        match decide(known) {
            Deletion::DropNow { why } => {
                tell(context, child, why).await;
                context.kube.drop_finalizer(child).await?;
                return Ok(());
            }
            // The record is in the object: it was looked at before.
            Deletion::LookForRecord => known.recorded = Some(false),
            Deletion::LookForParent => {
                let (parent, found) = parent(context, child, record.as_ref()).await?;
                (known.parent, above) = (Some(parent), found);
            }
            Deletion::CallFirst => {
                if let (Some(record), Some(above)) = (record, above) {
                    delete(context, child, &record, above).await?;
                }
                context.kube.drop_finalizer(child).await?;
                return Ok(());
            }
        }
    }
}

/// The record, if it is this very object's. Of which team it may be is told by the team's record.
fn recorded<K: Kept>(child: &K) -> Option<ChildRecord> {
    let record = ChildRecord::parse(child.annotations().get(annotation::RECORD)?)?;
    let uid = child.uid().unwrap_or_default();
    record.valid_for(&uid, record.team, K::Model::KIND).then_some(record)
}

/// What became of the team, and of the server above it.
async fn parent<K: Kept>(
    context: &Context,
    child: &K,
    record: Option<&ChildRecord>,
) -> Result<(Parent, Option<Above>), KubeError> {
    let namespace = child.namespace().unwrap_or_default();
    let name = &child.team().name;
    let team = match context.stores.teams().get(&namespace, name) {
        Some(team) => Some(team),
        None => context.kube.read::<TerdutTeam>(&namespace, name).await?.map(Arc::new),
    };
    let Some(team) = team else { return Ok((Parent::Gone, None)) };
    // A team that is deleted on the server takes all below it along.
    if is_deleting(team.as_ref()) && team.deletion_policy() == DeletionPolicy::Delete {
        return Ok((Parent::Going, None));
    }
    let Some(server) = server(context, &namespace, &team).await? else {
        return Ok((Parent::Gone, None));
    };
    if is_deleting(server.as_ref()) {
        return Ok((Parent::Going, None));
    }
    let of_team = access::team_record(context, &team).await?.map(|kept| kept.record);
    let identity = access::server_uid(context, &server).await?;
    let same = of_team.filter(|of_team| {
        of_team.server_uid == identity && record.is_some_and(|own| of_team.team == Some(own.team))
    });
    // Without its team's record there is no key, and no team of ours on this server: one that was
    // made anew under the name is another.
    let Some(record) = same else { return Ok((Parent::Gone, None)) };
    Ok((Parent::There, Some(Above { team, server, record })))
}

async fn server(
    context: &Context,
    namespace: &str,
    team: &TerdutTeam,
) -> Result<Option<Arc<TerdutServer>>, KubeError> {
    let reference = &team.spec.server_ref;
    let (namespace, name) = (reference.namespace_from(namespace), reference.name.as_str());
    match context.stores.servers().get(namespace, name) {
        Some(server) => Ok(Some(server)),
        // Only a 404 says that it is gone.
        None => Ok(context.kube.read::<TerdutServer>(namespace, name).await?.map(Arc::new)),
    }
}

async fn delete<K: Kept>(
    context: &Context,
    child: &K,
    record: &ChildRecord,
    above: Above,
) -> Result<(), Halt> {
    let access = access::child_removal(context, &above.server, &above.team, above.record).await;
    let access = access.map_err(|refused| blocked_by(&refused))?;
    let failed = |error: ApiError| {
        access.link.failed(&error);
        let namespace = child.namespace().unwrap_or_default();
        context.wake.team(&namespace, &child.team().name);
        blocked(error.class)
    };
    for one in ours::<K>(&access, record).await.map_err(failed)? {
        if !K::may_remove(child, context, record, &one.observed) {
            continue;
        }
        let plan =
            plan::<K::Model>(None, Some(&one.observed), Ownership::Recorded, Policy::default());
        let (ownership, policy) = (Ownership::Recorded, Policy::default());
        let order = Order { plan: &plan, wanted: false, ownership, policy };
        let progress = carry_out(&access.caller, access.link.claims(), order).await;
        if let Some(error) = progress.failed.as_ref().and_then(|failed| failed.error()) {
            return Err(failed(error.clone()));
        }
        let left = ours::<K>(&access, record).await.map_err(failed)?;
        if left.iter().any(|left| left.id == one.id) {
            return Err(blocked(Class::Retryable));
        }
        say(context, child, EventReason::Deleted, "It was deleted on the server.").await;
    }
    Ok(())
}

/// What the record stands for: the id, or all new ones of its name.
async fn ours<K: Kept>(
    access: &ChildAccess,
    record: &ChildRecord,
) -> Result<Vec<Listed<K::Model>>, ApiError> {
    let reply = access.caller.call_fresh(K::list(record.team)).await?;
    let listed = K::listed(record.team, reply);
    let Some(id) = record.id else {
        let new = new_ones(record, listed);
        // Which of several is ours cannot be told: none is touched.
        return Ok(if new.len() > 1 { Vec::new() } else { new });
    };
    Ok(listed.into_iter().filter(|one| one.id == id).collect())
}

fn blocked(class: Class) -> Halt {
    let missing = match class {
        Class::Denied => "The server refuses the team's key.",
        Class::Unreachable | Class::Retryable => "The server does not answer.",
        Class::TooOld => "The server lacks the route by which it is deleted.",
        Class::Conflict | Class::Invalid | Class::NotFound => "The server does not delete it.",
    };
    Halt::retry(Reason::DeletionBlocked, with_way_out(missing), class)
}

fn blocked_by(refused: &Refused) -> Halt {
    let next = refused.next();
    let missing = match refused {
        Refused::Down(_) => "The server does not answer.",
        Refused::TeamNotReady => "The team has no key.",
        Refused::Kube(_) => return Halt::Again(next),
        _ => "The server cannot be used.",
    };
    let class = if let Next::Retry(why) = &next { why.class } else { Class::Denied };
    Halt::retry(Reason::DeletionBlocked, with_way_out(missing), class)
}

async fn tell<K: Kind>(context: &Context, child: &K, why: Why) {
    let (reason, note) = match why {
        Why::Retained => (EventReason::Retained, "It stays on the server, as deletionPolicy says."),
        Why::Abandoned => (EventReason::Abandoned, "It was given up; what is on the server stays."),
        Why::NeverMade | Why::ParentGone => return,
    };
    say(context, child, reason, note).await;
}

async fn say<K: Kind>(context: &Context, child: &K, reason: EventReason, note: &str) {
    let about = reference(child);
    context.events.publish(&about, EventType::Normal, reason, "Delete", note).await;
}
