//! What is there of a server's objects, and what else decides what may be done with them.

use std::collections::BTreeMap;

use kube::ResourceExt;
use serde_json::Value;
use terdut_core::model::install::Install;
use terdut_core::record::InstanceRecord;

use super::database::Facts;
use crate::context::Context;
use crate::crd::TerdutServer;
use crate::engine::Owned;
use crate::kube::KubeError;

/// What is there.
#[derive(Debug, Clone, Default)]
pub(super) struct Existing {
    /// The objects of the server's name, by kind.
    pub(super) objects: BTreeMap<Owned, Value>,
    /// Whether a route is wanted and the cluster has the kind.
    pub(super) has_routes: bool,
    /// Whether the credential of a retained server of this name is there, or was taken up by this
    /// one: then its objects may be taken up, too.
    pub(super) is_heir: bool,
    /// Secrets that the spec names and that are not there.
    pub(super) missing: Vec<String>,
}

impl Existing {
    /// The Deployment.
    pub(super) fn deployment(&self) -> Option<&Value> {
        self.objects.get(&Owned::Deployment)
    }
}

/// Looks at all of it: what the watches know, and else a GET.
pub(super) async fn look(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    facts: &Facts,
) -> Result<Existing, KubeError> {
    // Whether there is such a kind is a question only where one is wanted.
    let has_routes = is_wanted(install, Owned::HttpRoute) && has_routes(context).await?;
    let mut existing = Existing { has_routes, ..Existing::default() };
    for kind in Owned::RENDERED {
        // A GET for what may not be wanted at all would be one request more in each pass.
        let wanted = is_wanted(install, kind) && (kind != Owned::HttpRoute || existing.has_routes);
        let found = find(context, server, kind, wanted).await?;
        existing.objects.extend(found.map(|found| (kind, found)));
    }
    existing.is_heir = is_heir(context, server).await?;
    existing.missing = missing(context, server, install, facts).await?;
    Ok(existing)
}

/// Whether the cluster has the kind of routes.
pub(super) async fn has_routes(context: &Context) -> Result<bool, KubeError> {
    let (group, version, kind) = Owned::HttpRoute.names();
    Ok(context.kube.discover(group, version, kind).await?.is_some())
}

fn is_wanted(install: &Install, kind: Owned) -> bool {
    match kind {
        Owned::Deployment | Owned::Service | Owned::ServiceAccount => true,
        Owned::PodDisruptionBudget => install.replicas.is_some_and(|replicas| replicas > 1),
        Owned::HttpRoute => {
            install.networking.hostname.is_some() && install.networking.listener.is_some()
        }
        Owned::Secret => false,
    }
}

async fn find(
    context: &Context,
    server: &TerdutServer,
    kind: Owned,
    wanted: bool,
) -> Result<Option<Value>, KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    match context.stores.namespaces().owned(kind, &namespace, &name) {
        Some(found) => Ok(serde_json::to_value(found.as_ref()).ok()),
        None if wanted => live(context, server, kind).await,
        None => Ok(None),
    }
}

/// An object of the server's name, as it is now.
pub(super) async fn live(
    context: &Context,
    server: &TerdutServer,
    kind: Owned,
) -> Result<Option<Value>, KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let found = context.kube.find(&kind.resource(), &namespace, &name).await?;
    Ok(found.and_then(|found| serde_json::to_value(found).ok()))
}

async fn is_heir(context: &Context, server: &TerdutServer) -> Result<bool, KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let record = context.secrets.known::<InstanceRecord>(&namespace, &name).await?;
    let uid = server.uid().unwrap_or_default();
    Ok(record.is_some_and(|it| it.record.retained || it.record.is_of(&uid)))
}

/// Those of the Secrets that the server's Pods need and that are not there. The database's is
/// judged by itself.
async fn missing(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    facts: &Facts,
) -> Result<Vec<String>, KubeError> {
    let namespace = server.namespace().unwrap_or_default();
    let oidc = install.oidc.as_ref().map(|oidc| &oidc.client_secret);
    let named = oidc.into_iter().chain(&install.notify.token);
    let mut missing = Vec::new();
    for secret in named.filter(|secret| secret.name != facts.database.password.name) {
        if context.secrets.foreign(&namespace, &secret.name).await?.is_none() {
            missing.push(secret.name.clone());
        }
    }
    Ok(missing)
}
