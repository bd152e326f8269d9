//! Which record and which key belong to an object.
//!
//! A Secret is found by the object's own namespace and name and counts only with the object's UID in
//! it; the one exception is a credential that a person handed in, which names its server itself.

use kube::ResourceExt;
use terdut_core::record::{InstanceRecord, TeamRecord};
use terdut_core::secret::SecretString;

use crate::context::Context;
use crate::crd::{TerdutServer, TerdutTeam};
use crate::kube::KubeError;
use crate::secrets::{HandedIn, Versioned};

/// The instance key of a server.
#[derive(Debug, Clone)]
pub struct InstanceKey {
    /// The key.
    pub token: SecretString,
    /// The UID that our accounts on the server are named after.
    pub server_uid: String,
}

/// The key to a server: the one that was handed in, else the one that we made.
pub async fn instance_key(
    context: &Context,
    server: &TerdutServer,
) -> Result<Option<InstanceKey>, KubeError> {
    let own = instance_record(context, server).await?;
    let server_uid = uid_by(server, own.as_ref());
    let token = match handed_in(server) {
        Some((secret, key)) => {
            let (namespace, name) = place(server);
            match context.secrets.handed_in(secret, key, (&namespace, &name)).await? {
                HandedIn::Token(token) => Some(token),
                HandedIn::Missing | HandedIn::NotPermitted => None,
            }
        }
        None => own.and_then(|record| record.held.token),
    };
    Ok(token.map(|token| InstanceKey { token, server_uid }))
}

/// The UID that our accounts on the server are named after, and its teams' records speak of.
pub async fn server_uid(context: &Context, server: &TerdutServer) -> Result<String, KubeError> {
    Ok(uid_by(server, instance_record(context, server).await?.as_ref()))
}

/// The Secret that a person handed a credential in with, and the key in it.
pub fn handed_in(server: &TerdutServer) -> Option<(&str, &str)> {
    let reference = server.spec.install.credentials_secret_ref.as_ref()?;
    let name = Some(reference.name.as_str()).filter(|name| !name.is_empty())?;
    let key = reference.key.as_deref().filter(|key| !key.is_empty()).unwrap_or("token");
    Some((name, key))
}

/// The record of a team, if it is this very team's.
pub async fn team_record(
    context: &Context,
    team: &TerdutTeam,
) -> Result<Option<Versioned<TeamRecord>>, KubeError> {
    let (namespace, name) = place(team);
    let found = context.secrets.known::<TeamRecord>(&namespace, &name).await?;
    let uid = uid(team);
    Ok(found.filter(|found| found.record.is_of(&uid)))
}

/// The record of a server, if it is this very server's. One whose key was handed in may have none:
/// that is not asked for each time.
async fn instance_record(
    context: &Context,
    server: &TerdutServer,
) -> Result<Option<InstanceRecord>, KubeError> {
    let (namespace, name) = place(server);
    let found = match handed_in(server) {
        Some(_) if context.secrets.is_listed() => context.secrets.kept(&namespace, &name),
        _ => context.secrets.known::<InstanceRecord>(&namespace, &name).await?,
    };
    let uid = uid(server);
    Ok(found.map(|found| found.record).filter(|record| record.is_of(&uid)))
}

fn uid_by(server: &TerdutServer, record: Option<&InstanceRecord>) -> String {
    record.map_or_else(|| uid(server), |record| record.server_uid.clone())
}

pub(super) fn place<K: ResourceExt>(object: &K) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}

pub(super) fn uid<K: ResourceExt>(object: &K) -> String {
    object.uid().unwrap_or_default()
}
