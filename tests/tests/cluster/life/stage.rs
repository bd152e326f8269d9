//! A bridge with one server that is ready, and a team on it if a test wants one.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::Simulator;
use terdut_tests::cluster::{Bridge, Client, Cluster, Kind, Kubectl, Site, kind};
use terdut_tests::harness::wait_for;

pub(super) const SERVER: &str = "terdut";
pub(super) const TEAM: &str = "platform-team";
const SOON: Duration = Duration::from_mins(1);

pub(super) struct Stage {
    pub(super) bridge: Bridge,
    pub(super) simulator: Simulator,
    pub(super) client: Client,
    pub(super) kubectl: Kubectl,
    pub(super) site: Site<'static>,
}

impl Stage {
    /// A bridge; nothing is declared yet.
    pub(super) async fn empty() -> Option<Self> {
        let cluster = Cluster::shared()?;
        let site = Site::new(cluster, 2).await;
        let simulator = site.serve(site.tenant(0), SERVER);
        let bridge = site.start_with(site.options("bridge-a").flag("resync-interval", "2s")).await;
        let (client, kubectl) = (site.client(), cluster.kubectl());
        Some(Self { bridge, simulator, client, kubectl, site })
    }

    /// With a server that is ready.
    pub(super) async fn with_server() -> Option<Self> {
        let stage = Self::empty().await?;
        stage.apply(&stage.password()).await;
        stage.apply(&stage.server()).await;
        stage.ready(kind::SERVER, SERVER).await;
        Some(stage)
    }

    /// With a server whose key a person handed in.
    pub(super) async fn with_key() -> Option<Self> {
        let stage = Self::empty().await?;
        let (_, key) = stage.simulator.state().add_account("handed-in", None);
        let server = format!("{}/{SERVER}", stage.site.tenant(0));
        stage
            .apply(&json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {
                    "name": "handed-in", "namespace": stage.site.own,
                    "labels": { "terdut.ryuvia.com/credential": "true" },
                    "annotations": { "terdut.ryuvia.com/server": server },
                },
                "stringData": { "token": key.text },
            }))
            .await;
        stage.apply(&stage.password()).await;
        let mut server = stage.server();
        server["spec"]["credentialsSecretRef"] = json!({ "name": "handed-in", "key": "token" });
        stage.apply(&server).await;
        Some(stage)
    }

    /// With a team that is ready; its id on the server.
    pub(super) async fn with_team() -> Option<(Self, i64)> {
        let stage = Self::with_key().await?;
        stage.apply(&stage.team()).await;
        let team = stage.ready(kind::TEAM, TEAM).await;
        let id = team["status"]["teamID"].as_str().expect("a ready team has an id");
        Some((stage, id.parse().expect("an id is a number")))
    }

    /// The namespace of a kind's objects: the server's, or that of its teams.
    pub(super) fn namespace(&self, kind: Kind) -> &str {
        self.site.tenant(usize::from(kind != kind::SERVER))
    }

    pub(super) fn object(&self, kind: Kind, name: &str, spec: &Json) -> Json {
        json!({
            "apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": { "name": name, "namespace": self.namespace(kind) },
            "spec": spec,
        })
    }

    pub(super) fn password(&self) -> Json {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": { "name": "postgres", "namespace": self.site.tenant(0) },
            "stringData": { "password": "not for the logs at all" },
        })
    }

    pub(super) fn server(&self) -> Json {
        let selector = json!({ "matchLabels": { "terdut.ryuvia.com/allowed": "true" } });
        self.object(
            kind::SERVER,
            SERVER,
            &json!({
                "image": { "tag": "v0.9.3" },
                "networking": { "servicePort": 8080 },
                "database": {
                    "dsn": "postgres://terdut@terdut-postgres:5432/terdut?sslmode=require",
                    "passwordSecretRef": { "name": "postgres", "key": "password" },
                },
                "allowedTeams": { "namespaces": { "from": "Selector", "selector": selector } },
            }),
        )
    }

    pub(super) fn team(&self) -> Json {
        self.object(
            kind::TEAM,
            TEAM,
            &json!({
                "serverRef": { "name": SERVER, "namespace": self.site.tenant(0) },
                "displayName": "Platform",
                "oidc": { "memberGroup": "platform-members", "ownerGroup": "platform-owners" },
            }),
        )
    }

    /// As a person does it.
    pub(super) async fn apply(&self, object: &Json) {
        self.kubectl.apply(&object.to_string(), &[]).await.expect_ok();
    }

    /// Waits as a person does: `kubectl wait` for both conditions; the object then.
    pub(super) async fn ready(&self, kind: Kind, name: &str) -> Json {
        let ready = self.client.wait_ready(kind, self.namespace(kind), name).await;
        for condition in ["Ready", "Synced"] {
            let object = format!("{}/{name}", kind.plural);
            self.kubectl.wait_condition(self.namespace(kind), &object, condition).await;
        }
        ready
    }

    /// Deletes as a person does, and waits until it is gone.
    pub(super) async fn delete(&self, kind: Kind, name: &str) {
        let namespace = self.namespace(kind);
        let arguments = ["delete", kind.plural, name, "-n", namespace, "--timeout=60s"];
        self.kubectl.run(&arguments).await.expect_ok();
    }

    /// Waits until the server is as a test expects it.
    pub(super) async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let what = format!("{what}\n{}", self.bridge.lines().tail(5));
        wait_for(&what, SOON, || async { holds() }).await;
    }

    /// The Secrets of the bridge that begin so.
    pub(super) async fn own_secrets(&self, prefix: &str) -> Vec<String> {
        let secrets = self.client.list(kind::SECRET, &self.site.own).await;
        let names = secrets.iter().filter_map(|secret| secret["metadata"]["name"].as_str());
        names.filter(|name| name.starts_with(prefix)).map(str::to_owned).collect()
    }
}
