//! A team that is being deleted.
//!
//! What has to be done is decided by core from the object, then its record, then its server, the
//! cheapest first. The finalizer goes when the team is gone on the server, is kept on purpose, was
//! never made, or was given up by a person.

use std::sync::Arc;
use std::time::Duration;

use kube::ResourceExt;
use terdut_client::Caller;
use terdut_client::execute::{Order, carry_out, carry_out_order_durably};
use terdut_core::api::{AccountScope, Reply, Request};
use terdut_core::credential::{Machine, WantedAccount};
use terdut_core::error::{ApiError, Class};
use terdut_core::ids::TeamId;
use terdut_core::model::{ObservedTeam, Team};
use terdut_core::plan::{Ownership, Policy, plan};
use terdut_core::record::TeamRecord;
use terdut_core::retention::{Deleted, Deletion, Parent, Why, decide};

use super::record::{place, wake_rivals};
use crate::access::{self, Refused, TeamAccess};
use crate::context::Context;
use crate::controllers::ending::halted;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::{is_abandoned, is_deleting, is_held, reference};
use crate::crd::{Kind, TerdutServer, TerdutTeam};
use crate::engine::Next;
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;
use crate::secrets::Versioned;
use crate::status::Reason;

/// How long a key is tried to be revoked that nobody needs to be revoked.
const BEST_EFFORT: Duration = Duration::from_secs(3);

/// One pass over a team that is being deleted.
pub(super) async fn remove(context: &Context, team: &TerdutTeam) -> Next {
    if !is_held(team) {
        return Next::Gone;
    }
    match finish(context, team).await {
        Ok(()) => Next::Gone,
        Err(halt) => halted(context, team, halt).await,
    }
}

async fn finish(context: &Context, team: &TerdutTeam) -> Result<(), Halt> {
    let mut known = Deleted {
        policy: team.deletion_policy(),
        abandoned: is_abandoned(team),
        recorded: None,
        parent: None,
    };
    let mut record = None;
    let mut server = None;
    loop {
        match decide(known) {
            Deletion::DropNow { why } => {
                return drop_now(context, team, why, record, server).await;
            }
            Deletion::LookForRecord => {
                record = find(context, team).await?;
                known.recorded = Some(record.is_some());
            }
            Deletion::LookForParent => {
                let (parent, found) = parent(context, team, record.as_ref()).await?;
                known.parent = Some(parent);
                server = found;
            }
            Deletion::CallFirst => {
                let (Some(record), Some(server)) = (record, server) else { return Ok(()) };
                delete(context, team, server, record).await?;
                return release(context, team).await;
            }
        }
    }
}

/// The record of this very object, as it is now.
async fn find(
    context: &Context,
    team: &TerdutTeam,
) -> Result<Option<Versioned<TeamRecord>>, KubeError> {
    let (namespace, name) = place(team);
    let found = context.secrets.live::<TeamRecord>(&namespace, &name).await?;
    let uid = team.uid().unwrap_or_default();
    Ok(found.filter(|found| found.record.is_of(&uid)))
}

/// What became of the server. Another one of its name knows nothing of this team.
async fn parent(
    context: &Context,
    team: &TerdutTeam,
    record: Option<&Versioned<TeamRecord>>,
) -> Result<(Parent, Option<Arc<TerdutServer>>), KubeError> {
    let own = team.namespace().unwrap_or_default();
    let reference = &team.spec.server_ref;
    let (namespace, name) = (reference.namespace_from(&own), reference.name.as_str());
    let server = match context.stores.servers().get(namespace, name) {
        Some(server) => Some(server),
        // Only a 404 says that it is gone.
        None => context.kube.read::<TerdutServer>(namespace, name).await?.map(Arc::new),
    };
    let Some(server) = server else { return Ok((Parent::Gone, None)) };
    if is_deleting(server.as_ref()) {
        return Ok((Parent::Going, Some(server)));
    }
    let identity = access::server_uid(context, &server).await?;
    let same = record.is_some_and(|kept| kept.record.server_uid == identity);
    Ok((if same { Parent::There } else { Parent::Gone }, Some(server)))
}

/// Nothing has to be deleted on the server. A key is given up if that is quick, and its Secret goes.
async fn drop_now(
    context: &Context,
    team: &TerdutTeam,
    why: Why,
    record: Option<Versioned<TeamRecord>>,
    server: Option<Arc<TerdutServer>>,
) -> Result<(), Halt> {
    let record = match record {
        None if why != Why::NeverMade => find(context, team).await.unwrap_or_default(),
        known => known,
    };
    if let Some(record) = record {
        let revoking = revoke(context, team, server, record);
        // It blocks nothing: what stays is named by the account on the server.
        let _ = tokio::time::timeout(BEST_EFFORT, revoking).await;
    }
    release(context, team).await?;
    // Said when it is done: a pass that is made again must not say it again.
    tell(context, team, why).await;
    Ok(())
}

async fn revoke(
    context: &Context,
    team: &TerdutTeam,
    server: Option<Arc<TerdutServer>>,
    record: Versioned<TeamRecord>,
) -> Result<(), Halt> {
    let server = match server {
        Some(server) => Some(server),
        None => parent(context, team, Some(&record)).await?.1,
    };
    let Some(server) = server else { return Ok(()) };
    let access = access::team_removal(context, team, server, &record.record).await?;
    give_up_account(&access, &record.record).await
}

/// Deletes the team on the server, then its account.
async fn delete(
    context: &Context,
    team: &TerdutTeam,
    server: Arc<TerdutServer>,
    record: Versioned<TeamRecord>,
) -> Result<(), Halt> {
    let access = access::team_removal(context, team, server, &record.record).await;
    let access = access.map_err(|refused| blocked_by(&refused))?;
    let deleted = delete_team(context, team, &access, &record.record).await;
    let deleted = deleted.map_err(|error| blocked(&error))?;
    let record = deleted.map_or(record.record.clone(), |team| record.record.of_team(team));
    if record.team.is_some() {
        give_up_account(&access, &record).await?;
    }
    let note = "The team was deleted on the server, with all that belonged to it.";
    say(context, team, EventReason::Deleted, note).await;
    Ok(())
}

/// The team's id, if there was one. It is done when a complete list lacks it.
async fn delete_team(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    record: &TeamRecord,
) -> Result<Option<TeamId>, ApiError> {
    let (caller, asking) = (access.caller(), place(team));
    let there = ours(context, &caller, record, &asking).await?;
    let Some(there) = there else { return Ok(record.team) };
    let plan = plan::<Team>(None, Some(&there), Ownership::Recorded, Policy::default());
    let order = Order {
        plan: &plan,
        wanted: false,
        ownership: Ownership::Recorded,
        policy: Policy::default(),
    };
    let progress = carry_out(&caller, access.link.claims(), order).await;
    if let Some(error) = progress.failed.as_ref().and_then(|failed| failed.error()) {
        return Err(error.clone());
    }
    match ours(context, &caller, record, &asking).await? {
        None => Ok(Some(there.id)),
        Some(_) => Err(still_there()),
    }
}

/// The team on record; of a record without an id, the new team of its name, unless another object
/// has made that one, or may have.
async fn ours(
    context: &Context,
    caller: &Caller,
    record: &TeamRecord,
    asking: &(String, String),
) -> Result<Option<ObservedTeam>, ApiError> {
    let Reply::Teams(teams) = caller.call_fresh(Request::ListTeams).await? else {
        return Ok(None);
    };
    let claimed = |team| context.secrets.claimant(&record.server_uid, team, asking).is_some();
    let mut ours = teams.iter().filter(|team| match record.team {
        Some(id) => team.id == id,
        None => record.may_have_made(team) && !claimed(team),
    });
    // Names are unique: there is no second one.
    Ok(ours.next().map(ObservedTeam::from))
}

/// Revokes the team's keys and deletes its account.
async fn give_up_account(access: &TeamAccess, record: &TeamRecord) -> Result<(), Halt> {
    access.link.forget_team(&record.owner_uid);
    let (Some(team), Some(name)) = (record.team, record.account_name()) else { return Ok(()) };
    let scope = AccountScope::Team(team);
    let account = WantedAccount { name, scope, adopt_existing: false };
    let handed = vec![access.instance.token.clone()];
    let mut machine = Machine::release_sole(record.facts(), account, handed);
    // Nothing is recorded: until the Secret goes, a further pass finds the account by its name.
    let store = |_| std::future::ready(Ok::<(), KubeError>(()));
    let outcome = carry_out_order_durably(&access.caller(), &mut machine, store).await?;
    match outcome.failure.as_ref().and_then(|failure| failure.said()) {
        Some(error) if error.class != Class::NotFound => Err(blocked(error)),
        _ => Ok(()),
    }
}

/// The Secret goes first: without the object nobody would look for it.
async fn release(context: &Context, team: &TerdutTeam) -> Result<(), Halt> {
    let (namespace, name) = place(team);
    if let Some(found) = find(context, team).await? {
        let version = Some(found.version.as_str());
        context.secrets.delete::<TeamRecord>(&namespace, &name, version).await?;
    }
    context.kube.drop_finalizer(team).await?;
    wake_rivals(context, team);
    Ok(())
}

fn blocked(error: &ApiError) -> Halt {
    let missing = match error.class {
        Class::Denied => "The server refuses the key with which the team would be deleted.",
        Class::Unreachable | Class::Retryable => "The server does not answer.",
        Class::TooOld => "The server lacks the route by which a team is deleted.",
        Class::Conflict | Class::Invalid | Class::NotFound => {
            "The server does not delete the team."
        }
    };
    Halt::retry(Reason::DeletionBlocked, with_way_out(missing), error.class)
}

fn blocked_by(refused: &Refused) -> Halt {
    let next = refused.next();
    let missing = match refused {
        Refused::Down(_) => "The server does not answer.",
        Refused::NoCredential => "There is no key to the server.",
        Refused::Kube(_) => return Halt::Again(next),
        _ => "The server cannot be used.",
    };
    let class = if let Next::Retry(why) = &next { why.class } else { Class::Denied };
    Halt::retry(Reason::DeletionBlocked, with_way_out(missing), class)
}

/// What a person can do about a deletion that waits.
pub(in crate::controllers) fn with_way_out(missing: &str) -> String {
    format!(
        "{missing} It is tried again. The annotation terdut.ryuvia.com/on-delete: abandon ends it and \
         leaves on the server what is there."
    )
}

fn still_there() -> ApiError {
    ApiError {
        class: Class::Retryable,
        effect: terdut_core::error::Effect::None,
        method: "DELETE",
        route: "/api/teams/{id}",
        status: None,
        own_word: false,
        said: "the team is still listed".to_owned(),
    }
}

async fn tell(context: &Context, team: &TerdutTeam, why: Why) {
    let (reason, note) = match why {
        Why::Retained => {
            (EventReason::Retained, "The team stays on the server, as deletionPolicy says.")
        }
        Why::Abandoned => {
            (EventReason::Abandoned, "The team was given up; what is on the server stays.")
        }
        Why::NeverMade | Why::ParentGone => return,
    };
    say(context, team, reason, note).await;
}

async fn say(context: &Context, team: &TerdutTeam, reason: EventReason, note: &str) {
    let about = reference(team);
    context.events.publish(&about, EventType::Normal, reason, "Delete", note).await;
}
