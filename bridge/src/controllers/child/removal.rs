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

use super::{Kept, Listed, new_of};
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
                context.kube.drop_finalizer(child).await?;
                // Said when it is done: a pass that is made again must not say it again.
                tell(context, child, why).await;
                return Ok(());
            }
            // The record is in the object: it was looked at before.
            Deletion::LookForRecord => known.recorded = Some(false),
            Deletion::LookForParent => {
                let (parent, found) = parent(context, child, record.as_ref()).await?;
                (known.parent, above) = (Some(parent), found);
            }
            Deletion::CallFirst => {
                let above = above.ok_or_else(|| blocked_by(&Refused::TeamNotReady))?;
                if let Some(record) = record {
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
    let Some(of_team) = access::team_record(context, &team).await? else {
        // Nobody can say what became of the team on the server.
        return Ok((Parent::There, None));
    };
    let of_team = of_team.record;
    let same_server = of_team.server_uid == access::server_uid(context, &server).await?;
    if !same_server || record.is_none_or(|own| of_team.team != Some(own.team)) {
        // The team that it was made in went with all below it; a server that was made anew under
        // the name is another.
        return Ok((Parent::Gone, None));
    }
    Ok((Parent::There, Some(Above { team, server, record: of_team })))
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
    let access =
        access::child_removal(context, child, &above.server, &above.team, above.record).await;
    let access = access.map_err(|refused| blocked_by(&refused))?;
    let failed = |error: ApiError| {
        let namespace = child.namespace().unwrap_or_default();
        context.wake.team(&namespace, &child.team().name);
        blocked(error.class)
    };
    let there = ours::<K>(&access, record).await.map_err(failed)?;
    let Some(one) = only(there)? else { return Ok(()) };
    if !K::may_remove(child, context, record, &one.observed) {
        return Ok(());
    }
    let (ownership, policy) = (Ownership::Recorded, Policy::default());
    let plan = plan::<K::Model>(None, Some(&one.observed), ownership, policy);
    let order = Order { plan: &plan, wanted: false, ownership, policy };
    let progress = carry_out(&access.caller, access.link.claims(), order).await;
    if let Some(error) = progress.failed.as_ref().and_then(|failed| failed.error()) {
        return Err(failed(error.clone()));
    }
    let left = ours::<K>(&access, record).await.map_err(failed)?;
    if left.iter().any(|left| left.id == one.id) {
        return Err(blocked(Class::Retryable));
    }
    Ok(())
}

/// What the record stands for: the id, or all new ones of its name.
async fn ours<K: Kept>(
    access: &ChildAccess,
    record: &ChildRecord,
) -> Result<Vec<Listed<K::Model>>, ApiError> {
    let reply = access.caller.call_fresh(K::list(record.team)).await?;
    Ok(match record.id {
        Some(id) => K::listed(record.team, &reply, &|one, _| one == id),
        None => K::listed(record.team, &reply, &new_of(record)),
    })
}

/// Which of several is ours cannot be told: none is touched, and a person has to look.
fn only<M: Model>(mut there: Vec<Listed<M>>) -> Result<Option<Listed<M>>, Halt> {
    if there.len() > 1 {
        let missing =
            "An answer was lost, and more than one new object on the server has its name.";
        let message = with_way_out(missing);
        return Err(Halt::retry(Reason::DeletionBlocked, message, Class::Conflict));
    }
    Ok(there.pop())
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
