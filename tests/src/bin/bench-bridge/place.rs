//! Where it is measured: namespaces, rights as `deploy/kustomize` gives them, and a terdut server
//! that answers as slowly as one in the next room.

use std::time::Duration;

use futures::StreamExt;
use futures::stream;
use http::Method;
use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{Bridge, BridgeOptions, Client, Cluster, Kind, Kubelet, kind};

use crate::mix::{self, SERVER, TEAMS};

/// How long the terdut server takes for an answer.
pub(crate) const LATENCY: Duration = Duration::from_millis(5);
/// Passes of one kind at once: the bridge's default.
pub(crate) const CONCURRENCY: usize = 8;
/// The namespace that `deploy/kustomize` puts the bridge into.
pub(crate) const OWN: &str = "terdut-bridge";
/// How many requests the bench itself has under way when it makes or clears objects.
const AT_ONCE: usize = 32;
const KINDS: [Kind; 4] = [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE];

/// A cluster in which a bridge can be started and stopped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// The cluster.
    pub(crate) cluster: &'a Cluster,
    /// Who may do everything.
    pub(crate) admin: Client,
    /// The terdut server.
    pub(crate) simulator: Simulator,
    /// The token of the bridge's own account.
    pub(crate) token: String,
    _kubelet: Kubelet,
}

impl<'a> Place<'a> {
    /// Installs everything up to a server that is ready; no bridge runs then.
    pub(crate) async fn prepare(cluster: &'a Cluster) -> Self {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/kustomize/cluster-wide");
        cluster.kubectl().run(&["apply", "--server-side", "-k", root]).await.expect_ok();
        let admin = cluster.admin();
        let names = (0..TEAMS).map(mix::namespace).chain([SERVER.0.to_owned()]);
        for name in names {
            let metadata = json!({ "name": name, "labels": { "bench": "true" } });
            let namespace =
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
            admin.create(&namespace).await;
        }
        let kubelet = cluster.kubelet();
        kubelet.look_after(SERVER.0);
        let simulator = Simulator::start(Options { latency: LATENCY, ..Options::default() });
        let token = cluster.service_account(OWN, "terdut-bridge").await;
        let place = Self { cluster, admin, simulator, token, _kubelet: kubelet };
        place.serve().await;
        place
    }

    async fn serve(&self) {
        let bridge = self.start("10m").await;
        self.create(server()).await;
        self.admin.wait_ready(kind::SERVER, SERVER.0, SERVER.1).await;
        bridge.stop_well().await;
    }

    /// Starts a bridge as it ships, which re-reads everything that often.
    pub(crate) async fn start(&self, resync_interval: &str) -> Bridge {
        let options = BridgeOptions::new("bench")
            .without("lease-duration")
            .without("lease-deadline")
            .without("lease-retry")
            .without("retry-base")
            .without("retry-cap")
            .flag("log-level", "info")
            .flag("namespace", OWN)
            .flag("server-url", self.simulator.url())
            .flag("resync-interval", resync_interval);
        self.cluster.start_bridge(&options, &self.token).await
    }

    /// Makes objects, many at once; what the API server says they are.
    pub(crate) async fn create(&self, objects: Vec<Json>) -> Vec<Json> {
        let made =
            stream::iter(objects).map(|object| async move { self.admin.create(&object).await });
        made.buffered(AT_ONCE).collect().await
    }

    /// Takes all objects of the teams away without asking any bridge, and what was made for them.
    pub(crate) async fn empty(&self) {
        for kind in KINDS {
            let objects = self.admin.list(kind, "").await;
            stream::iter(objects)
                .for_each_concurrent(AT_ONCE, |object| async move {
                    let place = |field: &str| {
                        object["metadata"][field].as_str().unwrap_or_default().to_owned()
                    };
                    let free = json!({ "metadata": { "finalizers": null } });
                    self.admin.patch(kind, &place("namespace"), &place("name"), &free).await;
                })
                .await;
        }
        for team in 0..TEAMS {
            let namespace = mix::namespace(team);
            for kind in KINDS.into_iter().chain([kind::SECRET]) {
                self.delete_all(&kind.list(&namespace)).await;
            }
        }
        let ours = "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dterdut-bridge-bench";
        self.delete_all(&format!("{}?{ours}", kind::SECRET.list(OWN))).await;
    }

    async fn delete_all(&self, path: &str) {
        self.admin.send(Method::DELETE, path, "application/json", None).await.expect();
    }
}

fn server() -> Vec<Json> {
    let (namespace, name) = SERVER;
    let password = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "namespace": namespace, "name": "database" },
        "stringData": { "password": "for the bench only" },
    });
    let spec = json!({
        "image": { "tag": "v0.9.3" },
        "database": {
            "dsn": "postgres://terdut@postgres:5432/terdut",
            "passwordSecretRef": { "name": "database", "key": "password" },
        },
        "allowedTeams": { "namespaces": {
            "from": "Selector", "selector": { "matchLabels": { "bench": "true" } },
        }},
    });
    let server = json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1", "kind": "TerdutServer",
        "metadata": { "namespace": namespace, "name": name }, "spec": spec,
    });
    vec![password, server]
}
