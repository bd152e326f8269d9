//! A made-up cluster for unit tests: it keeps objects, as a Kubernetes API server does, in memory.
//!
//! For tests of what needs more than an answer or two: `access`, the Secret store, controllers. A
//! request can be refused. What a real API server makes of schemas and rights is for the cluster
//! suite.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::Request;
use kube::Config;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use self::objects::{Key, Objects, Patch, Refusal};
use super::Asked;
use crate::fence::Fence;
use crate::kube::Kube;
use crate::metrics::Metrics;

mod objects;
mod patch;
mod places;
mod request;
mod serve;

#[cfg(test)]
mod tests;

/// A request that is refused: method, a part of its path, and how often.
struct Refused {
    method: &'static str,
    path: String,
    refusal: Refusal,
    left: usize,
}

struct Shared {
    objects: Mutex<Objects>,
    refused: Mutex<Vec<Refused>>,
    asked: Mutex<Vec<Asked>>,
    /// Kinds that not every cluster has: group, version and kind.
    kinds: Mutex<BTreeSet<(String, String)>>,
    changed: watch::Sender<()>,
}

impl Shared {
    fn objects(&self) -> MutexGuard<'_, Objects> {
        lock(&self.objects)
    }

    /// Takes a request down; whether it is refused.
    fn hears(&self, asked: &Asked, watching: bool) -> Option<Refusal> {
        if !watching {
            lock(&self.asked).push(asked.clone());
        }
        let mut refused = lock(&self.refused);
        let fits = |one: &&mut Refused| {
            one.left > 0 && one.method == asked.method && asked.path.contains(&one.path)
        };
        let one = refused.iter_mut().find(fits)?;
        one.left -= 1;
        Some(one.refusal)
    }

    fn kinds(&self, group_version: &str) -> Option<Value> {
        let kinds = lock(&self.kinds);
        let resources: Vec<Value> = kinds
            .iter()
            .filter(|(of, _)| of == group_version)
            .map(|(_, kind)| {
                json!({ "name": plural(kind), "kind": kind, "namespaced": true, "verbs": ["get"] })
            })
            .collect();
        let list = json!({
            "kind": "APIResourceList", "groupVersion": group_version, "resources": resources,
        });
        (!resources.is_empty()).then_some(list)
    }
}

/// The cluster; it ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct Cluster {
    shared: Arc<Shared>,
    config: Config,
}

impl Cluster {
    /// An empty one.
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared {
            objects: Mutex::default(),
            refused: Mutex::default(),
            asked: Mutex::default(),
            kinds: Mutex::default(),
            changed: watch::Sender::new(()),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = Arc::clone(&shared);
        let routes = Router::new()
            .fallback(move |request: Request| serve::serve(Arc::clone(&serving), request));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { shared, config: Config::new(url.parse().unwrap()) }
    }

    /// A way to it.
    pub(crate) fn kube(&self, fence: &Fence) -> Kube {
        Kube::new(&self.config, fence, &Metrics::new()).unwrap()
    }

    /// Puts an object there as a person would: made if it is new, else its spec, metadata or data
    /// merged in. Returns it as it then is.
    pub(crate) fn put(&self, object: &Value) -> Value {
        let key = key_of(object);
        let mut objects = self.shared.objects();
        let done = match objects.get(&key) {
            Some(_) => objects.patch(&key, false, &Patch::Merge, object),
            None => objects.create(key, object.clone()),
        };
        drop(objects);
        self.shared.changed.send_replace(());
        done.unwrap()
    }

    /// Deletes an object as a person would.
    pub(crate) fn delete(&self, kind: &str, namespace: &str, name: &str) {
        let key = key(kind, namespace, name);
        self.shared.objects().delete(&key, &Value::Null).unwrap();
        self.shared.changed.send_replace(());
    }

    /// An object.
    pub(crate) fn get(&self, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        self.shared.objects().get(&key(kind, namespace, name)).cloned()
    }

    /// All of a kind.
    pub(crate) fn list(&self, kind: &str) -> Vec<Value> {
        let resource = key(kind, "", "").resource;
        self.shared.objects().list(&resource, None).cloned().collect()
    }

    /// From now on that many such requests are answered with this status and no more.
    pub(crate) fn refuse(&self, method: &'static str, path: &str, code: u16, times: usize) {
        let reason = match code {
            403 => "Forbidden",
            404 => "NotFound",
            409 => "Conflict",
            _ => "InternalError",
        };
        let refusal = Refusal { code, reason };
        let refused = Refused { method, path: path.to_owned(), refusal, left: times };
        lock(&self.shared.refused).push(refused);
    }

    /// A kind that this cluster has from now on.
    pub(crate) fn has_kind(&self, group_version: &str, kind: &str) {
        lock(&self.shared.kinds).insert((group_version.to_owned(), kind.to_owned()));
    }

    /// Method and path of everything that was asked since the last time, watches left out.
    pub(crate) fn take_lines(&self) -> Vec<String> {
        lock(&self.shared.asked).drain(..).map(|asked| asked.line()).collect()
    }
}

/// Where an object is, by what it says itself.
fn key_of(object: &Value) -> Key {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let resource = format!("{}/{}", text("/apiVersion"), plural(text("/kind")));
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    Key { resource, namespace: namespace.to_owned(), name: name.to_owned() }
}

fn key(kind: &str, namespace: &str, name: &str) -> Key {
    let group_version = match kind {
        "Deployment" => "apps/v1",
        "Event" => "events.k8s.io/v1",
        "HTTPRoute" => "gateway.networking.k8s.io/v1",
        "PodDisruptionBudget" => "policy/v1",
        "postgresql" => "acid.zalan.do/v1",
        kind if kind.starts_with("Terdut") => crate::crd::names::API_VERSION,
        _ => "v1",
    };
    let resource = format!("{group_version}/{}", plural(kind));
    Key { resource, namespace: namespace.to_owned(), name: name.to_owned() }
}

fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    if lower.ends_with("ch") { lower + "es" } else { lower + "s" }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
