//! Who may speak to which server, with which key.
//!
//! Asked at the start of every pass over a team or a child, and never remembered from one pass to
//! the next. It follows the reference, has core judge consent, and fetches the key from the record
//! that belongs to exactly this object; without its answer no caller can be had. It believes no
//! status, no annotation and no label of a tenant, and a stranger learns nothing: a server that is
//! not there and one that does not allow it answer alike.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_client::Caller;
use terdut_core::consent::{Asking, NotPermitted, Permit, ServerIdentity, judge, judge_removal};
use terdut_core::record::{InstanceRecord, TeamRecord};
use terdut_core::secret::SecretString;

use crate::context::Context;
use crate::crd::{TerdutServer, TerdutTeam};
use crate::engine::Grant;
use crate::kube::KubeError;
use crate::secrets::{HandedIn, Versioned};
use crate::servers::{Admitted, Link};

mod refused;

pub use refused::{Refused, kube_next, not_granted};

/// The instance key of a server.
#[derive(Debug, Clone)]
pub struct InstanceKey {
    /// The key.
    pub token: SecretString,
    /// The UID that our accounts on the server are named after.
    pub server_uid: String,
}

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
    /// The team, as its record has it.
    pub record: TeamRecord,
    /// The way to the server.
    pub link: Link,
    /// A caller with the team's key.
    pub caller: Caller,
}

/// The server that a reference leads to, and the leave to use it: what can be told from what the
/// watches know. The one place where consent is judged.
pub fn consent(
    context: &Context,
    namespace: &str,
    reference: (&str, &str),
    server_uid: impl FnOnce(&TerdutServer) -> String,
) -> Result<(Arc<TerdutServer>, Permit), Refused> {
    let own = reference.0 == namespace;
    let missing = || if own { Refused::NoServer } else { Refused::NotPermitted };
    let server = context.stores.servers().get(reference.0, reference.1).ok_or_else(missing)?;
    let labels = context.stores.namespaces().labels(namespace);
    let asking = Asking { namespace, labels: labels.as_deref() };
    let identity = identity(&server, server_uid(&server));
    let permit = judge(&server.spec.install.consent(), &identity, &asking)
        .map_err(|NotPermitted| Refused::NotPermitted)?;
    if server.metadata.deletion_timestamp.is_some() {
        return Err(Refused::ServerDeleting);
    }
    Ok((server, permit))
}

/// A team's way to its server, or why there is none now.
pub async fn team(context: &Context, team: &TerdutTeam) -> Result<TeamAccess, Refused> {
    let namespace = team.namespace().unwrap_or_default();
    let reference = &team.spec.server_ref;
    let place = (reference.namespace_from(&namespace), reference.name.as_str());
    // Whether it is allowed comes before anything is read for it.
    let (server, _) = consent(context, &namespace, place, uid)?;
    granted(context, &namespace)?;
    let instance = instance_key(context, &server).await?.ok_or(Refused::NoCredential)?;
    let server_uid = instance.server_uid.clone();
    let (server, permit) = consent(context, &namespace, place, |_| server_uid)?;
    let (link, admitted) = admit(context, &server)?;
    Ok(TeamAccess { server, permit, link, admitted, instance })
}

/// A child's way to its team, or why there is none now. A child judges consent through its team.
pub async fn child(
    context: &Context,
    namespace: &str,
    team_name: &str,
) -> Result<ChildAccess, Refused> {
    let team = context.stores.teams().get(namespace, team_name).ok_or(Refused::NoTeam)?;
    if team.metadata.deletion_timestamp.is_some() {
        return Err(Refused::TeamDeleting);
    }
    let reference = &team.spec.server_ref;
    let place = (reference.namespace_from(namespace), reference.name.as_str());
    consent(context, namespace, place, uid).map_err(Refused::seen_by_child)?;
    granted(context, namespace)?;
    let record = team_record(context, &team).await?.ok_or(Refused::TeamNotReady)?.record;
    let token = record.held.token.clone().ok_or(Refused::TeamNotReady)?;
    let server_uid = record.server_uid.clone();
    let (server, permit) =
        consent(context, namespace, place, |_| server_uid).map_err(Refused::seen_by_child)?;
    if record.server != (place.0.to_owned(), place.1.to_owned()) {
        return Err(Refused::TeamNotReady);
    }
    let (link, admitted) = admit(context, &server)?;
    let owner = team.uid().unwrap_or_default();
    let caller = link.team_caller(&admitted, &permit, &owner, &token).map_err(Refused::Down)?;
    Ok(ChildAccess { record, link, caller })
}

/// A team's way to remove what its record says that it made. Revoked consent does not keep it from
/// that.
pub async fn team_removal(
    context: &Context,
    server: Arc<TerdutServer>,
    record: &TeamRecord,
) -> Result<TeamAccess, Refused> {
    let instance = instance_key(context, &server).await?.ok_or(Refused::NoCredential)?;
    let identity = identity(&server, instance.server_uid.clone());
    let permit = judge_removal(&identity, &record.server_uid)
        .map_err(|NotPermitted| Refused::NotPermitted)?;
    let (link, admitted) = admit(context, &server)?;
    Ok(TeamAccess { server, permit, link, admitted, instance })
}

/// A child's way to remove what it made, with its team's key.
pub fn child_removal(
    context: &Context,
    server: &TerdutServer,
    team: &TerdutTeam,
    record: TeamRecord,
) -> Result<ChildAccess, Refused> {
    let token = record.held.token.clone().ok_or(Refused::TeamNotReady)?;
    let identity = identity(server, record.server_uid.clone());
    let permit = judge_removal(&identity, &record.server_uid)
        .map_err(|NotPermitted| Refused::NotPermitted)?;
    let (link, admitted) = admit(context, server)?;
    let owner = team.uid().unwrap_or_default();
    let caller = link.team_caller(&admitted, &permit, &owner, &token).map_err(Refused::Down)?;
    Ok(ChildAccess { record, link, caller })
}

/// The record of a team, if it is this very team's.
pub async fn team_record(
    context: &Context,
    team: &TerdutTeam,
) -> Result<Option<Versioned<TeamRecord>>, KubeError> {
    let (namespace, name) = (team.namespace().unwrap_or_default(), team.name_any());
    let found = context.secrets.known::<TeamRecord>(&namespace, &name).await?;
    let uid = uid(team);
    Ok(found.filter(|found| found.record.is_of(&uid)))
}

/// The key to a server: the one that was handed in, else the one that we made.
pub async fn instance_key(
    context: &Context,
    server: &TerdutServer,
) -> Result<Option<InstanceKey>, KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let uid = uid(server);
    let own = context.secrets.known::<InstanceRecord>(&namespace, &name).await?;
    let own = own.map(|found| found.record).filter(|record| record.is_of(&uid));
    let server_uid = own.as_ref().map_or_else(|| uid.clone(), |record| record.server_uid.clone());
    let token = match handed_in(server) {
        Some((secret, key)) => {
            match context.secrets.handed_in(secret, key, (&namespace, &name)).await? {
                HandedIn::Token(token) => Some(token),
                HandedIn::Missing | HandedIn::NotPermitted => None,
            }
        }
        None => own.and_then(|record| record.held.token),
    };
    Ok(token.map(|token| InstanceKey { token, server_uid }))
}

/// The Secret that a person handed a credential in with, and the key in it.
pub fn handed_in(server: &TerdutServer) -> Option<(&str, &str)> {
    let reference = server.spec.install.credentials_secret_ref.as_ref()?;
    let name = Some(reference.name.as_str()).filter(|name| !name.is_empty())?;
    let key = reference.key.as_deref().filter(|key| !key.is_empty()).unwrap_or("token");
    Some((name, key))
}

fn granted(context: &Context, namespace: &str) -> Result<(), Refused> {
    match context.stores.namespaces().granted(namespace) {
        Grant::Refused => Err(Refused::NotGranted),
        Grant::Granted | Grant::Unknown => Ok(()),
    }
}

fn admit(context: &Context, server: &TerdutServer) -> Result<(Link, Admitted), Refused> {
    let link = context.servers.link(server).map_err(|_| Refused::NoServer)?;
    let admitted = link.admit().map_err(Refused::Down)?;
    Ok((link, admitted))
}

fn identity(server: &TerdutServer, uid: String) -> ServerIdentity {
    let namespace = server.namespace().unwrap_or_default();
    ServerIdentity { namespace, name: server.name_any(), uid }
}

fn uid<K: ResourceExt>(object: &K) -> String {
    object.uid().unwrap_or_default()
}
