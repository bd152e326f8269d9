//! A site with a bridge, and one server that is declared by each test.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::Simulator;
use terdut_tests::cluster::{Bridge, Client, Cluster, Filter, Kind, Site, kind};
use terdut_tests::harness::wait_for;

/// The name of the server and of each object that is rendered for it.
pub(super) const NAME: &str = "main";
const SOON: Duration = Duration::from_mins(1);

pub(super) struct Scene<'a> {
    pub(super) bridge: Bridge,
    pub(super) simulator: Simulator,
    pub(super) client: Client,
    pub(super) site: Site<'a>,
}

impl<'a> Scene<'a> {
    /// On the shared cluster, with the database's Secret.
    pub(super) async fn shared() -> Option<Scene<'static>> {
        Some(Scene::on(Cluster::shared()?).await)
    }

    /// On that cluster.
    pub(super) async fn on(cluster: &'a Cluster) -> Self {
        let site = Site::new(cluster, 1).await;
        let simulator = site.serve(site.tenant(0), NAME);
        let bridge = site.start_with(site.options("bridge-a").flag("resync-interval", "1s")).await;
        let client = site.client();
        let scene = Self { bridge, simulator, client, site };
        scene.secret("postgres", &json!({ "password": "not for the logs at all" })).await;
        scene
    }

    pub(super) fn namespace(&self) -> &str {
        self.site.tenant(0)
    }

    /// A Secret beside the server.
    pub(super) async fn secret(&self, name: &str, data: &Json) -> Json {
        let metadata = json!({ "name": name, "namespace": self.namespace() });
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data,
        });
        self.client.apply(&secret).await
    }

    /// A key for the server in the bridge's namespace.
    pub(super) async fn hand_in(&self, token: &str) {
        let server = format!("{}/{NAME}", self.namespace());
        let metadata = json!({
            "name": "handed-in", "namespace": self.site.own,
            "labels": { "terdut.ryuvia.com/credential": "true" },
            "annotations": { "terdut.ryuvia.com/server": server },
        });
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": metadata,
            "stringData": { "token": token },
        });
        self.client.apply(&secret).await;
    }

    /// The manifest of a server, with more in its spec.
    pub(super) fn manifest(&self, more: &Json) -> Json {
        let mut spec = json!({
            "image": { "tag": "v1" },
            "database": {
                "dsn": "postgres://terdut@db:5432/terdut?sslmode=require",
                "passwordSecretRef": { "name": "postgres" },
            },
        });
        for (field, value) in more.as_object().into_iter().flatten() {
            spec[field] = value.clone();
        }
        json!({
            "apiVersion": kind::SERVER.api_version(), "kind": kind::SERVER.kind,
            "metadata": { "name": NAME, "namespace": self.namespace() },
            "spec": spec,
        })
    }

    /// Declares the server and waits until it is ready.
    pub(super) async fn ready(&self, more: &Json) -> Json {
        self.declare(more).await;
        self.client.wait_ready(kind::SERVER, self.namespace(), NAME).await
    }

    pub(super) async fn declare(&self, more: &Json) {
        self.client.apply(&self.manifest(more)).await;
    }

    /// Waits until Ready has that reason.
    pub(super) async fn waits(&self, reason: &str) -> Json {
        self.client.wait_reason(kind::SERVER, self.namespace(), NAME, "Ready", reason).await
    }

    pub(super) async fn annotate(&self, key: &str, value: Option<&str>) {
        let key = format!("terdut.ryuvia.com/{key}");
        self.client.annotate(kind::SERVER, self.namespace(), NAME, &key, value).await;
    }

    /// Deletes the server and waits until it is gone.
    pub(super) async fn delete(&self) {
        self.client.delete(kind::SERVER, self.namespace(), NAME).await;
        self.client.wait_gone(kind::SERVER, self.namespace(), NAME).await;
    }

    /// An object of the server's name.
    pub(super) async fn object(&self, kind: Kind) -> Json {
        self.client.get(kind, self.namespace(), NAME).await
    }

    /// Waits for an object of the server's name to be so.
    pub(super) async fn becomes(
        &self,
        kind: Kind,
        what: &str,
        holds: impl Fn(&Json) -> bool,
    ) -> Json {
        let holds = |found: Option<&Json>| found.is_some_and(&holds);
        self.client.wait(kind, self.namespace(), NAME, what, holds).await
    }

    /// The suffixes of the Secrets that the bridge holds for the server.
    pub(super) async fn records(&self) -> Vec<String> {
        let prefix = format!("{}.{NAME}-", self.namespace());
        let secrets = self.client.list(kind::SECRET, &self.site.own).await;
        let names = secrets.iter().filter_map(|secret| secret["metadata"]["name"].as_str());
        names.filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect()
    }

    /// The ids of the keys on the server.
    pub(super) fn keys(&self) -> Vec<i64> {
        self.simulator.state().keys().iter().map(|key| key.id).collect()
    }

    /// How often the server was asked for the bootstrap.
    pub(super) fn bootstraps(&self) -> usize {
        self.site.traffic.count(&Filter::terdut().verb("post").of("/api/bootstrap"))
    }

    /// Waits until the bridge has looked so many times more.
    pub(super) async fn passes(&self, count: f64) {
        let total = "controller_runtime_reconcile_total";
        let before = self.bridge.metric(total).await;
        let more = || async { self.bridge.metric(total).await >= before + count };
        wait_for("more passes are made", SOON, more).await;
    }

    /// How many Events have that reason.
    pub(super) async fn events(&self, reason: &str) -> usize {
        let events = self.client.list(kind::EVENT, self.namespace()).await;
        events.iter().filter(|event| event["reason"] == reason).count()
    }

    /// Waits until the terdut server is as a test expects it.
    pub(super) async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        wait_for(what, SOON, || async { holds() }).await;
    }
}
