//! A pass that changes nothing writes nothing.

use std::time::Duration;

use serde_json::json;
use terdut_tests::cluster::{Cluster, Filter, Kind, Site, kind};
use terdut_tests::harness::wait_for;

const SWITCHES: usize = 996;
const PASSES: f64 = 100.0;
const LONG: Duration = Duration::from_mins(5);

fn object(kind: Kind, namespace: &str, name: &str, spec: &serde_json::Value) -> serde_json::Value {
    json!({
        "apiVersion": kind.api_version(), "kind": kind.kind,
        "metadata": { "name": name, "namespace": namespace }, "spec": spec,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_passes_over_each_object_write_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let _simulator = site.serve(site.tenant(0), "main");
    let (client, at) = (site.client().within(LONG), site.tenant(0).to_owned());
    let password = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": "postgres", "namespace": at },
        "stringData": { "password": "not for the logs at all" },
    });
    client.create(&password).await;
    let server = json!({
        "image": { "tag": "v1" }, "replicas": 2,
        "database": { "dsn": "postgres://a@b/c", "passwordSecretRef": { "name": "postgres" } },
        "allowedTeams": { "namespaces": { "from": "Same" } },
    });
    client.apply(&object(kind::SERVER, &at, "main", &server)).await;
    let team = json!({ "serverRef": { "name": "main" }, "displayName": "Platform" });
    client.apply(&object(kind::TEAM, &at, "main", &team)).await;
    let below = json!({ "name": "main" });
    let rule = json!({
        "teamRef": below, "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
    });
    client.apply(&object(kind::RULE, &at, "main", &rule)).await;
    client
        .apply(&object(kind::SOURCE, &at, "main", &json!({ "teamRef": below, "name": "s" })))
        .await;
    for number in 0..SWITCHES {
        let (name, team) = (format!("w-{number}"), &below);
        let spec =
            json!({ "teamRef": team, "name": name, "matcher": "b=1, a=2", "timeout": "900s" });
        client.apply(&object(kind::SWITCH, &at, &name, &spec)).await;
    }
    let options =
        site.options("bridge-a").flag("resync-interval", "200ms").flag("log-level", "info");
    let bridge = site.start_with(options).await;
    for number in 0..SWITCHES {
        client.wait_ready(kind::SWITCH, &at, &format!("w-{number}")).await;
    }
    for (kind, name) in [(kind::SERVER, "main"), (kind::RULE, "main"), (kind::SOURCE, "main")] {
        client.wait_ready(kind, &at, name).await;
    }
    let passes = || async { bridge.metric("controller_runtime_reconcile_total").await };
    let (mark, before) = (site.traffic.mark(), passes().await);
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let objects = (SWITCHES + 4) as f64;
    wait_for("all were passed over a hundred times", LONG, || async {
        passes().await - before >= PASSES * objects
    })
    .await;
    let writes = site.traffic.matching(&Filter::api().writes().after(mark));
    let writes: Vec<_> = writes.iter().filter(|entry| entry.resource != "leases").collect();
    assert!(writes.is_empty(), "{writes:#?}");
    let writes = site.traffic.matching(&Filter::terdut().writes().after(mark));
    assert!(writes.is_empty(), "{writes:#?}");
}
