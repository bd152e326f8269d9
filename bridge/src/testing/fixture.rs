//! Everything that a controller has at hand, over a made-up cluster and a simulated server.
//!
//! The watches are the engine's own; passes are made by the test, one at a time, so that what a
//! pass wrote and asked is known exactly.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::{Resource, ResourceExt};
use serde_json::{Value, json};
use terdut_core::ids::{AccountId, KeyId};
use terdut_core::record::{Held, InstanceRecord};
use terdut_core::secret::SecretString;
use terdut_simulator::{Options, Simulator};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::{Cluster, PATIENCE};
use crate::clock::Clock;
use crate::context::Context;
use crate::crd::names::API_VERSION;
use crate::crd::{
    TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer, TerdutTeam,
};
use crate::engine::{Controller, Engine, Next, Pass, Placed, Reason};
use crate::events::Events;
use crate::fence::Fence;
use crate::metrics::Metrics;
use crate::secrets::SecretStore;
use crate::servers::Servers;
use crate::settings::tests::check;

/// The namespace of the bridge in these tests.
pub(crate) const OWN: &str = "bridge";

/// The fixture; its watches end with it.
pub(crate) struct Fixture {
    pub(crate) cluster: Cluster,
    pub(crate) simulator: Simulator,
    pub(crate) context: Arc<Context>,
    following: AbortHandle,
    _engine: Engine,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Fixture {
    /// An empty cluster, and a server that was never bootstrapped.
    pub(crate) async fn start() -> Self {
        let cluster = Cluster::start().await;
        let simulator = Simulator::start(Options::default());
        let flags = [
            ["--namespace", OWN],
            ["--server-url", "http://127.0.0.1:{port}"],
            // A server that fell silent stays so for as long as a test lasts.
            ["--retry-base", "1m"],
        ];
        let settings = Arc::new(check(flags.as_flattened(), &[]).unwrap());
        let (fence, metrics, clock) = (Fence::open(), Metrics::new(), Clock::boot());
        let kube = cluster.kube(&fence);
        let stop = CancellationToken::new();
        let mut engine = Engine::new(
            kube.clone(),
            &settings,
            fence.clone(),
            clock.clone(),
            metrics.clone(),
            stop,
        );
        let wake = engine.wake();
        let secrets = SecretStore::new(kube.clone(), OWN);
        let following = tokio::spawn(secrets.clone().follow(wake.clone())).abort_handle();
        let context = Arc::new(Context {
            servers: Servers::new(
                &settings,
                fence.gate(),
                metrics.observer(),
                clock.clone(),
                wake.clone(),
            ),
            secrets,
            events: Events::new(kube.clone(), clock.clone(), &settings.identity),
            stores: engine.stores(),
            wake,
            kube,
            metrics,
            settings,
            fence,
            clock,
        });
        engine.watch();
        Self { cluster, simulator, context, following, _engine: engine }
    }

    /// The server `oncall/main` with a key of ours that works, and what it is in the cluster.
    pub(crate) async fn with_server(allowed: &Value) -> (Self, Value) {
        let fixture = Self::start().await;
        let server = fixture.cluster.put(&fixture.server("oncall", "main", allowed));
        let record = InstanceRecord {
            held: held(&fixture.simulator.seed_admin()),
            ..InstanceRecord::new(server["metadata"]["uid"].as_str().unwrap())
        };
        fixture.context.secrets.create("oncall", "main", &record).await.unwrap();
        (fixture, server)
    }

    /// A TerdutServer that leads to the simulator; `allowed` is its `allowedTeams.namespaces`.
    pub(crate) fn server(&self, namespace: &str, name: &str, allowed: &Value) -> Value {
        let port: u16 = self.simulator.url().rsplit(':').next().unwrap().parse().unwrap();
        json!({
            "apiVersion": API_VERSION, "kind": "TerdutServer",
            "metadata": { "namespace": namespace, "name": name },
            "spec": {
                "image": { "tag": "1.0.0" },
                "networking": { "servicePort": port },
                "database": {
                    "dsn": "postgres://terdut@db:5432/terdut",
                    "passwordSecretRef": { "name": "db", "key": "password" },
                },
                "allowedTeams": { "namespaces": allowed },
            },
        })
    }

    /// Waits until the watches have seen all that is in the cluster.
    pub(crate) async fn in_sync(&self) {
        let synced = async {
            while !self.is_in_sync() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(PATIENCE, synced).await.expect("the watches see what is there");
    }

    fn is_in_sync(&self) -> bool {
        let stores = &self.context.stores;
        stores.are_listed()
            && self.has_seen::<TerdutServer>()
            && self.has_seen::<TerdutTeam>()
            && self.has_seen::<TerdutEscalationRule>()
            && self.has_seen::<TerdutDeadmanSwitch>()
            && self.has_seen::<TerdutAlertSource>()
            && self.cluster.list("Namespace").iter().all(|namespace| {
                let labels = namespace["metadata"]["labels"].clone();
                let labels: BTreeMap<String, String> =
                    serde_json::from_value(labels).unwrap_or_default();
                let name = namespace["metadata"]["name"].as_str().unwrap();
                stores.namespaces().labels(name).as_deref() == Some(&labels)
            })
    }

    fn has_seen<K: Placed>(&self) -> bool {
        let (store, there) = (self.context.stores.of::<K>(), self.cluster.list(K::KIND));
        store.len() == there.len()
            && there.iter().all(|object| {
                let text = |field: &str| object["metadata"][field].as_str().unwrap();
                let seen = store.get(text("namespace"), text("name"));
                seen.and_then(|seen| seen.resource_version()).as_deref()
                    == Some(text("resourceVersion"))
            })
    }

    /// One pass over an object, as the engine makes it: with all that the watches have to tell.
    pub(crate) async fn pass<C>(&self, controller: &C, namespace: &str, name: &str) -> Next
    where
        C: Controller,
        C::Object: Placed,
    {
        self.in_sync().await;
        let object = self.context.stores.of::<C::Object>().get(namespace, name);
        let Some(object) = object else { return Next::Gone };
        let (uid, own) = (object.uid().unwrap(), self.context.kube.own_writes());
        own.begin(&uid, object.resource_version().as_deref());
        let generation = object.meta().generation.unwrap_or_default();
        let next =
            controller.reconcile(object, &Pass::new(Reason::Changed, generation, &uid)).await;
        own.end(&uid);
        next
    }
}

/// A key on some account of ours.
pub(crate) fn held(token: &str) -> Held {
    Held {
        account: Some(AccountId(5)),
        key: Some(KeyId(9)),
        token: Some(SecretString::new(token)),
        ..Held::default()
    }
}

/// A TerdutTeam on the server of that namespace and name.
pub(crate) fn team_on(namespace: &str, name: &str, server: (&str, &str)) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "TerdutTeam",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "serverRef": { "namespace": server.0, "name": server.1 }, "displayName": name },
    })
}

/// A namespace.
pub(crate) fn namespace(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Starts(Arc<Context>);

    impl Controller for Starts {
        type Object = TerdutTeam;

        async fn reconcile(&self, object: Arc<TerdutTeam>, pass: &Pass) -> Next {
            assert_eq!(pass.generation, 1);
            self.0.kube.start(object.as_ref(), &[]).await.unwrap();
            Next::Settled
        }
    }

    #[tokio::test]
    async fn a_pass_is_made_over_what_the_watches_know() {
        let fixture = Fixture::start().await;
        let starts = Starts(Arc::clone(&fixture.context));
        fixture.cluster.put(&team_on("tenant", "a", ("oncall", "main")));
        assert_eq!(fixture.pass(&starts, "tenant", "a").await, Next::Settled);
        assert_eq!(fixture.pass(&starts, "tenant", "a").await, Next::Settled);
        assert_eq!(fixture.pass(&starts, "tenant", "b").await, Next::Gone);
        let patch = "PATCH /apis/terdut.ryuvia.com/v1alpha1/namespaces/tenant/terdutteams/a";
        let lines = fixture.cluster.take_lines();
        assert_eq!(lines.iter().filter(|line| *line == patch).count(), 1);
    }
}
