//! How many writes an object of each kind costs the API server from its creation on.
//!
//! Counted by a proxy, one kind at a time, so that nothing is shared out by guess. Leases and
//! Events are left out.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Client, Cluster, Filter, Kind, Rights, Site, Traffic, kind};
use terdut_tests::harness::wait_for;

/// How many of each kind.
const OF_EACH: usize = 4;
const QUIET: Duration = Duration::from_secs(1);
const WITHIN: Duration = Duration::from_mins(1);
const API_VERSION: &str = "terdut.ryuvia.com/v1alpha1";

/// Writes for one object of each kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApiWrites {
    pub(crate) team: f64,
    pub(crate) rule: f64,
    pub(crate) switch: f64,
    pub(crate) source: f64,
}

/// Counts them on a small installation of its own, and takes it away.
pub(crate) async fn count(cluster: &Cluster) -> ApiWrites {
    let site = Site::new(cluster, 1).await;
    // Rights that lie in the namespace would go with it, before the bridge has taken its leave.
    site.grant_everywhere(&Rights::everywhere()).await;
    let (client, namespace) = (site.client(), site.tenant(0).to_owned());
    let _server = site.serve(&namespace, "main");
    let bridge = site.start().await;
    client.create(&secret(&namespace)).await;
    let server = object(&namespace, "TerdutServer", "main", &server());
    client.create(&server).await;
    client.wait_ready(kind::SERVER, &namespace, "main").await;
    let writes = async |kind, spec: &dyn Fn(usize) -> Json| {
        let objects = (0..OF_EACH).map(|number| {
            object(&namespace, kind_name(kind), &format!("one-{number}"), &spec(number))
        });
        writes_of(&client, &site.traffic, kind, objects.collect()).await
    };
    let team = |number| json!({ "name": format!("one-{number}") });
    let counted = ApiWrites {
        team: writes(kind::TEAM, &|number| json!({
            "serverRef": { "name": "main" }, "displayName": format!("Team {number}"),
            "oidc": { "memberGroup": "members" },
        }))
        .await,
        rule: writes(kind::RULE, &|number| json!({
            "teamRef": team(number),
            "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
        }))
        .await,
        switch: writes(kind::SWITCH, &|number| json!({
            "teamRef": team(number), "name": "switch", "matcher": "alertname=Watchdog", "timeout": "15m",
        }))
        .await,
        source: writes(kind::SOURCE, &|number| json!({ "teamRef": team(number), "name": "source" })).await,
    };
    // While the bridge still runs: it takes its finalizers off.
    client.delete(kind::NAMESPACE, "", &namespace).await;
    client.within(WITHIN).wait_gone(kind::NAMESPACE, "", &namespace).await;
    bridge.stop_well().await;
    counted
}

fn kind_name(kind: Kind) -> &'static str {
    kind.kind
}

/// Makes the objects, waits until they are ready and nothing more is written.
async fn writes_of(client: &Client, traffic: &Traffic, kind: Kind, objects: Vec<Json>) -> f64 {
    let mark = traffic.mark();
    let count = || traffic.count(&Filter::api().writes().after(mark));
    for object in &objects {
        client.create(object).await;
    }
    for object in &objects {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        client.wait_ready(kind, text("namespace"), text("name")).await;
    }
    let quiet = || async {
        let before = count();
        tokio::time::sleep(QUIET).await;
        before == count()
    };
    wait_for("nothing more is written", WITHIN, quiet).await;
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let each = count() as f64 / objects.len() as f64;
    each
}

fn object(namespace: &str, kind: &str, name: &str, spec: &Json) -> Json {
    let metadata = json!({ "namespace": namespace, "name": name });
    json!({ "apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec })
}

fn secret(namespace: &str) -> Json {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "namespace": namespace, "name": "database" },
        "stringData": { "password": "for the bench only" },
    })
}

fn server() -> Json {
    json!({
        "image": { "tag": "v0.9.3" },
        "database": {
            "dsn": "postgres://terdut@postgres:5432/terdut",
            "passwordSecretRef": { "name": "database", "key": "password" },
        },
        "allowedTeams": { "namespaces": { "from": "Same" } },
    })
}
