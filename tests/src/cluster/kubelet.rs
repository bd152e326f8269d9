//! Stands in for the deployment controller, the scheduler and the kubelet: Deployments become
//! available.
//!
//! It looks at the namespaces that it was given, on a thread of its own, and writes what the real
//! ones would: the status, and the annotation that the deployment controller leaves behind.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::Notify;

use super::client::{Client, kind};
use super::process::lock;

const PAUSE: Duration = Duration::from_millis(100);
const REVISION: &str = "deployment.kubernetes.io/revision";

/// A running stand-in; it ends when it is dropped.
#[derive(Debug)]
pub struct Kubelet {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    namespaces: Mutex<BTreeSet<String>>,
    /// Deployments whose pods do not start.
    broken: Mutex<BTreeSet<(String, String)>>,
    stop: Notify,
}

impl Kubelet {
    /// Starts one that acts as this user.
    pub(super) fn start(client: impl Fn() -> Client + Send + 'static) -> Self {
        let shared = Arc::new(Shared {
            namespaces: Mutex::default(),
            broken: Mutex::default(),
            stop: Notify::new(),
        });
        let own = Arc::clone(&shared);
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let client = client();
            runtime.expect("a runtime can be made").block_on(async {
                tokio::select! {
                    () = work(&own, &client) => {}
                    () = own.stop.notified() => {}
                }
            });
        };
        Self { shared, thread: Some(std::thread::spawn(run)) }
    }

    /// Looks after one more namespace.
    pub fn look_after(&self, namespace: &str) {
        lock(&self.shared.namespaces).insert(namespace.to_owned());
    }

    /// Lets a Deployment's pods fail from now on.
    pub fn break_pods(&self, namespace: &str, name: &str) {
        lock(&self.shared.broken).insert((namespace.to_owned(), name.to_owned()));
    }

    /// Lets them run again.
    pub fn mend_pods(&self, namespace: &str, name: &str) {
        lock(&self.shared.broken).remove(&(namespace.to_owned(), name.to_owned()));
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn work(shared: &Shared, client: &Client) {
    loop {
        let namespaces = lock(&shared.namespaces).clone();
        for namespace in &namespaces {
            for deployment in client.list(kind::DEPLOYMENT, namespace).await {
                settle(shared, client, namespace, &deployment).await;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Makes a Deployment's status what it should be. It may be gone or changed meanwhile.
async fn settle(shared: &Shared, client: &Client, namespace: &str, deployment: &Json) {
    let name = deployment["metadata"]["name"].as_str().unwrap_or_default();
    let broken = lock(&shared.broken).contains(&(namespace.to_owned(), name.to_owned()));
    let wanted = status_of(deployment, !broken);
    if holds(&deployment["status"], &wanted) {
        return;
    }
    if deployment["metadata"]["annotations"][REVISION].is_null() {
        let patch = json!({ "metadata": { "annotations": { REVISION: "1" } } });
        client.try_patch(kind::DEPLOYMENT, namespace, name, &patch).await;
    }
    let patch = json!({ "status": wanted });
    client.try_patch_status(kind::DEPLOYMENT, namespace, name, &patch).await;
}

/// The status that the real controllers would write.
fn status_of(deployment: &Json, available: bool) -> Json {
    let replicas = deployment["spec"]["replicas"].as_i64().unwrap_or(1);
    let ready = if available { replicas } else { 0 };
    let condition = |kind: &str, good: &str, bad: &str| {
        json!({
            "type": kind,
            "status": if available { "True" } else { "False" },
            "reason": if available { good } else { bad },
        })
    };
    json!({
        "observedGeneration": deployment["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": replicas - ready,
        "conditions": [
            condition("Available", "MinimumReplicasAvailable", "MinimumReplicasUnavailable"),
            condition("Progressing", "NewReplicaSetAvailable", "ProgressDeadlineExceeded"),
        ],
    })
}

/// Whether a status says what is wanted. A zero is written as absence by the API server.
fn holds(found: &Json, wanted: &Json) -> bool {
    match wanted {
        Json::Object(fields) => fields.iter().all(|(name, value)| holds(&found[name], value)),
        Json::Array(items) => items.iter().enumerate().all(|(at, item)| holds(&found[at], item)),
        zero if zero.as_i64() == Some(0) => found.is_null() || found == zero,
        value => found == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_written_once() {
        let deployment = json!({ "metadata": { "generation": 3 }, "spec": { "replicas": 2 } });
        let mut wanted = status_of(&deployment, true);
        assert_eq!(wanted["availableReplicas"], 2);
        assert!(!holds(&Json::Null, &wanted));
        let fields = wanted.as_object_mut().unwrap();
        fields.remove("unavailableReplicas");
        fields["conditions"][0]["lastUpdateTime"] = "x".into();
        assert!(holds(&wanted, &status_of(&deployment, true)));
        assert!(!holds(&wanted, &status_of(&deployment, false)));
    }
}
