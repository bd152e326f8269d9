//! The Kubernetes objects that run a terdut server, as JSON values.
//!
//! The bridge applies them server-side, `render` prints them, and Terraform's data source
//! `terdut_server_manifests` hands them on. Everything is a function of a validated [`Install`], of the [`Place`] and of the facts
//! about the [`Database`]: nothing here can fail or looks at a cluster. No object holds a secret,
//! only the names of Secrets. All objects are named as the server.

mod comparison;
mod database;
mod environment;
mod network;
mod ownership;
mod plain;
mod rollout;
mod workload;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub use comparison::holds;
pub use database::{Database, DatabaseProblem};
pub use environment::{Source, TABLE, Variable, environment};
pub use ownership::{Standing, adopt, attach, foreign, release, seize, selector_conflict};
pub use plain::{PlainEnvironment, plain_environment};
pub use rollout::{Started, started};

use crate::model::install::{Install, InvalidValue, Listener};

/// On an object that outlives its server: `<namespace>/<name>` of that server.
pub const RETAINED_BY: &str = "terdut.ryuvia.com/retained-by";
/// On such an object while its server is there: the server's UID. An owner reference would let a
/// deletion in the foreground take the object along before anybody is asked.
pub const OWNER_UID: &str = "terdut.ryuvia.com/owner-uid";
/// On the Deployment, never on its Pods: which version of the database's Secret its Pods started
/// with, as far as is known. A new one must not restart them.
pub const DATABASE_SECRET_VERSION: &str = "terdut.ryuvia.com/database-secret-version";
/// Who manages the bridge's objects.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "terdut-bridge");

/// Who manages objects, as their label says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Manager {
    /// The bridge.
    #[default]
    Bridge,
    /// A Terraform configuration: whatever applies the objects there.
    Terraform,
}

impl Manager {
    fn label(self) -> &'static str {
        match self {
            Self::Bridge => MANAGED_BY.1,
            Self::Terraform => "terraform",
        }
    }
}

/// Where the objects are, and whose they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The namespace.
    pub namespace: String,
    /// The name of the server and of each object.
    pub name: String,
    /// Whom they go with; nobody outside a cluster.
    pub owner: Option<Owner>,
    /// Whether they outlive it.
    pub retained: bool,
    /// Annotations that every object gets.
    pub annotations: BTreeMap<String, String>,
    /// Who manages them.
    pub manager: Manager,
}

/// The resource that the objects belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// Its API version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
}

/// The objects, each complete for a server-side apply.
#[derive(Debug, Clone, PartialEq)]
pub struct Objects {
    /// As whom the server runs; it has no rights.
    pub service_account: Value,
    /// The server's port in the cluster.
    pub service: Value,
    /// The server.
    pub deployment: Value,
    /// The way to it from outside, if there is one.
    pub route: Option<Value>,
    /// Keeps one of several servers running during a drain.
    pub disruption_budget: Option<Value>,
}

impl Objects {
    /// All of them, in the order in which they are applied.
    pub fn all(&self) -> Vec<&Value> {
        self.named().into_iter().map(|(_, object)| object).collect()
    }

    /// The same, each with a name that only its kind decides.
    pub fn named(&self) -> Vec<(&'static str, &Value)> {
        let always = [
            ("service_account", &self.service_account),
            ("service", &self.service),
            ("deployment", &self.deployment),
        ];
        let route = self.route.iter().map(|object| ("http_route", object));
        let budget = self.disruption_budget.iter();
        let budget = budget.map(|object| ("pod_disruption_budget", object));
        always.into_iter().chain(route).chain(budget).collect()
    }
}

/// The objects of a server.
pub fn objects(install: &Install, place: &Place, database: &Database) -> Objects {
    Objects {
        service_account: service_account(place),
        service: network::service(install, place),
        deployment: workload::deployment(install, place, database),
        route: network::route(install, place),
        disruption_budget: workload::disruption_budget(install, place),
    }
}

/// A Gateway's listener, as `gateway`, `namespace/gateway` or `namespace/gateway/listener`.
pub fn listener(text: &str) -> Result<Listener, InvalidValue> {
    text.parse()
}

/// The labels by which a server's Pods are found. They never change: a Deployment's selector is
/// immutable, and another one would be another Deployment.
pub fn selector(name: &str) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("app.kubernetes.io/instance", name.to_owned()),
        ("app.kubernetes.io/name", "terdut-server".to_owned()),
    ])
}

fn service_account(place: &Place) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(place),
        "automountServiceAccountToken": false,
    })
}

/// The metadata that all objects share.
fn metadata(place: &Place) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(place.name));
    metadata.insert("namespace".to_owned(), json!(place.namespace));
    let mut labels = selector(&place.name);
    labels.insert(MANAGED_BY.0, place.manager.label().to_owned());
    labels.insert("app.kubernetes.io/part-of", "terdut".to_owned());
    metadata.insert("labels".to_owned(), json!(labels));
    let mut annotations = place.annotations.clone();
    match &place.owner {
        Some(owner) if place.retained => {
            let noted = format!("{}/{}", place.namespace, place.name);
            annotations.insert(RETAINED_BY.to_owned(), noted);
            annotations.insert(OWNER_UID.to_owned(), owner.uid.clone());
        }
        Some(owner) => {
            metadata.insert("ownerReferences".to_owned(), json!([owner.reference()]));
        }
        None => {}
    }
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), json!(annotations));
    }
    metadata
}

impl Owner {
    /// As the objects refer to it.
    pub(crate) fn reference(&self) -> Value {
        json!({
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
            "controller": true,
        })
    }
}
