//! Who may speak to which server, with which key.
//!
//! Asked at the start of every pass over a team or a child, and never remembered from one pass to
//! the next. It follows the reference, has core judge consent, and fetches the key from the record
//! that belongs to exactly this object; without its answer no caller can be had. It believes no
//! status, no annotation and no label of a tenant, and a stranger learns nothing: a server that is
//! not there and one that does not allow it answer alike.

use std::sync::Arc;
use std::time::Duration;

use kube::ResourceExt;
use terdut_client::Caller;
use terdut_core::consent::{Asking, NotPermitted, Permit, ServerIdentity, judge_removal};
use terdut_core::record::TeamRecord;

use self::decide::{ServerFacts, decide};
use self::keys::{place, uid};
use crate::context::Context;
use crate::crd::{Child, TerdutServer, TerdutTeam};
use crate::engine::KindKey;
use crate::servers::{Admitted, Link};

mod decide;
mod keys;
mod refused;

#[cfg(test)]
mod tests;

pub use keys::{InstanceKey, handed_in, instance_key, server_uid, team_record};
pub use refused::{Refused, kube_next, not_granted};

/// How long a pass waits until all records are known, which is but a moment after the start.
const LISTING: Duration = Duration::from_secs(5);

/// A team's way to its server.
#[derive(Debug)]
pub struct TeamAccess {
    /// The server.
    pub server: Arc<TerdutServer>,
    /// The leave to use it.
    pub permit: Permit,
    /// The way to it.
    pub link: Link,
    /// The breaker's leave.
    pub admitted: Admitted,
    /// The key with which teams and their accounts are made.
    pub instance: InstanceKey,
}

impl TeamAccess {
    /// A caller with the instance key.
    pub fn caller(&self) -> Caller {
        self.link.instance_caller(&self.admitted, &self.instance.token)
    }
}

/// A child's way to its team on the server.
#[derive(Debug)]
pub struct ChildAccess {
    /// The team, as its record has it; its id and its token are known.
    pub record: TeamRecord,
    /// The way to the server.
    pub link: Link,
    /// A caller with the team's key.
    pub caller: Caller,
}

/// A team's way to its server, or why there is none now.
pub async fn team(context: &Context, team: &TerdutTeam) -> Result<TeamAccess, Refused> {
    let server = leave(context, team, None)?.0; // before anything is read for it
    all_known(context).await?;
    let instance = instance_key(context, &server).await?.ok_or(Refused::NoCredential)?;
    let permit = still(context, team, &server, &instance.server_uid)?;
    let (link, admitted) = admit(context, &server, KindKey::of(team))?;
    Ok(TeamAccess { server, permit, link, admitted, instance })
}

/// A child's way to its team, or why there is none now. A child judges consent through its team.
pub async fn child<K: Child>(context: &Context, child: &K) -> Result<ChildAccess, Refused> {
    let (namespace, _) = place(child);
    let team = context.stores.teams().get(&namespace, &child.team().name);
    let team = team.ok_or(Refused::NoTeam)?;
    if team.metadata.deletion_timestamp.is_some() {
        return Err(Refused::TeamDeleting);
    }
    let server = leave(context, &team, None).map_err(Refused::seen_by_child)?.0;
    all_known(context).await?;
    let record = team_record(context, &team).await?.ok_or(Refused::TeamNotReady)?.record;
    let identity = server_uid(context, &server).await?;
    let permit = still(context, &team, &server, &identity).map_err(Refused::seen_by_child)?;
    by_team(context, KindKey::of(child), &server, &team, &permit, record)
}

/// A team's way to remove what its record says that it made. Revoked consent does not keep it from
/// that.
pub async fn team_removal(
    context: &Context,
    team: &TerdutTeam,
    server: Arc<TerdutServer>,
    record: &TeamRecord,
) -> Result<TeamAccess, Refused> {
    let instance = instance_key(context, &server).await?.ok_or(Refused::NoCredential)?;
    let permit = leave_to_remove(&server, &instance.server_uid, record)?;
    let (link, admitted) = admit(context, &server, KindKey::of(team))?;
    Ok(TeamAccess { server, permit, link, admitted, instance })
}

/// A child's way to remove what it made, with its team's key. Revoked consent does not keep it from
/// that. The record is the team's own ([`team_record`]).
pub async fn child_removal<K: Child>(
    context: &Context,
    child: &K,
    server: &TerdutServer,
    team: &TerdutTeam,
    record: TeamRecord,
) -> Result<ChildAccess, Refused> {
    let identity = server_uid(context, server).await?;
    let permit = leave_to_remove(server, &identity, &record)?;
    by_team(context, KindKey::of(child), server, team, &permit, record)
}

/// The server that a team refers to, and the leave to use it: what can be told from what the
/// watches know. The one place where consent is judged. `server_uid` is the one that its accounts
/// are named after, once that is known.
fn leave(
    context: &Context,
    team: &TerdutTeam,
    server_uid: Option<&str>,
) -> Result<(Arc<TerdutServer>, Permit), Refused> {
    let (own, _) = place(team);
    let reference = &team.spec.server_ref;
    let namespace = reference.namespace_from(&own);
    let server = context.stores.servers().get(namespace, &reference.name);
    let facts = server.as_ref().map(|server| ServerFacts {
        identity: identity(server, server_uid.map_or_else(|| uid(server.as_ref()), str::to_owned)),
        allowed: server.spec.install.consent(),
        deleting: server.metadata.deletion_timestamp.is_some(),
    });
    let namespaces = context.stores.namespaces();
    let labels = namespaces.labels(&own);
    let asking = Asking { namespace: &own, labels: labels.as_deref() };
    let permit = decide(namespace, facts.as_ref(), &asking, namespaces.granted(&own))?;
    server.map(|server| (server, permit)).ok_or(Refused::NotPermitted)
}

/// The leave, asked for again after something was read: it may have been taken back meanwhile, and
/// the name may lead to another server, to which the key that was read must not go.
fn still(
    context: &Context,
    team: &TerdutTeam,
    server: &TerdutServer,
    server_uid: &str,
) -> Result<Permit, Refused> {
    let (now, permit) = leave(context, team, Some(server_uid))?;
    if now.uid() == server.uid() { Ok(permit) } else { Err(Refused::NoCredential) }
}

/// The leave to remove what that record says was made on this server.
fn leave_to_remove(
    server: &TerdutServer,
    server_uid: &str,
    record: &TeamRecord,
) -> Result<Permit, Refused> {
    let identity = identity(server, server_uid.to_owned());
    judge_removal(&identity, &record.server_uid).map_err(|NotPermitted| Refused::NotPermitted)
}

/// The way with a team's key, which goes only to the server that it was minted on.
fn by_team(
    context: &Context,
    asker: KindKey,
    server: &TerdutServer,
    team: &TerdutTeam,
    permit: &Permit,
    record: TeamRecord,
) -> Result<ChildAccess, Refused> {
    let minted_here = record.server_uid == permit.server().uid && record.server == place(server);
    let token = record.held.token.clone().filter(|_| minted_here && record.team.is_some());
    let token = token.ok_or(Refused::TeamNotReady)?;
    let (link, admitted) = admit(context, server, asker)?;
    let caller = link.team_caller(&admitted, permit, &uid(team), &token).map_err(Refused::Down)?;
    Ok(ChildAccess { record, link, caller })
}

async fn all_known(context: &Context) -> Result<(), Refused> {
    let listed = tokio::time::timeout(LISTING, context.secrets.listed()).await;
    listed.map_err(|_| Refused::NotListed)
}

fn admit(
    context: &Context,
    server: &TerdutServer,
    asker: KindKey,
) -> Result<(Link, Admitted), Refused> {
    let link = context.servers.link(server).map_err(|_| Refused::NoServer)?;
    let admitted = link.admit_of(asker).map_err(Refused::Down)?;
    Ok((link, admitted))
}

fn identity(server: &TerdutServer, uid: String) -> ServerIdentity {
    let (namespace, name) = place(server);
    ServerIdentity { namespace, name, uid }
}
