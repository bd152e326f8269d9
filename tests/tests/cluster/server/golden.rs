//! What every server lives through, beside what `life` shows: rest, changes, drift, a pause.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Filter, kind};

use super::scene::{NAME, Scene};

#[tokio::test]
async fn a_pass_that_changes_nothing_writes_nothing() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({ "replicas": 2 })).await;
    assert_eq!((scene.events("Bootstrapped").await, scene.events("NobodyCanLogIn").await), (1, 1));
    // The echoes of what was just written.
    scene.passes(2.0).await;
    let mark = scene.site.traffic.mark();
    scene.passes(3.0).await;
    let writes = scene.site.traffic.matching(&Filter::any().writes().after(mark));
    assert!(writes.is_empty(), "{writes:?}");
    scene.bridge.stop_well().await;
    let mark = scene.site.traffic.mark();
    let second = scene.site.start_with(scene.site.options("bridge-b")).await;
    let total = "controller_runtime_reconcile_total";
    let passed = || async { second.metric(total).await >= 2.0 };
    let soon = std::time::Duration::from_mins(1);
    terdut_tests::harness::wait_for("another bridge has looked", soon, passed).await;
    let mut writes = scene.site.traffic.matching(&Filter::any().writes().after(mark));
    // The status names the server's address, which is another one behind another bridge's proxy.
    writes.retain(|entry| entry.resource != "terdutservers/status");
    assert!(writes.is_empty(), "after a restart: {writes:?}");
}

/// What is said in the spec, and what the Deployment's template then says.
fn changes() -> Vec<(Json, &'static str)> {
    let secret = |name: &str| json!({ "name": name, "key": "token" });
    let issuer = "https://sso.example.org";
    vec![
        (json!({ "image": { "tag": "v2" } }), "terdut-server:v2"),
        (json!({ "image": { "repository": "example.org/t", "tag": "v2" } }), "example.org/t:v2"),
        (
            json!({ "database": {
                "dsn": "postgres://other@db:5432/terdut", "passwordSecretRef": { "name": "postgres" },
            } }),
            "other@db",
        ),
        (json!({ "sweeper": { "staleAfter": "7h" } }), "\"7h"),
        (json!({ "deadman": { "matchers": "alertname=Watchdog" } }), "alertname=Watchdog"),
        (json!({ "notify": { "ntfyURL": "https://ntfy.example.org" } }), "ntfy.example.org"),
        (json!({ "notify": { "tokenSecretRef": secret("ntfy") } }), "\"ntfy\""),
        (
            json!({ "passwordLogin": false, "oidc": {
                "enabled": true, "issuer": issuer, "clientID": "terdut",
                "clientSecretRef": secret("oidc"),
            } }),
            issuer,
        ),
        (json!({ "env": [{ "name": "EXTRA", "value": "once-more" }] }), "once-more"),
    ]
}

#[tokio::test]
async fn every_field_reaches_the_objects_and_leaves_them_again() {
    let Some(scene) = Scene::shared().await else { return };
    for secret in ["ntfy", "oidc"] {
        scene.secret(secret, &json!({ "token": "a token of somebody else" })).await;
    }
    scene.ready(&json!({})).await;
    let plain = scene.object(kind::DEPLOYMENT).await["spec"]["template"].clone();
    for (spec, needle) in changes() {
        scene.ready(&spec).await;
        let template = scene.object(kind::DEPLOYMENT).await["spec"]["template"].to_string();
        assert!(template.contains(needle), "{needle} is not in {template}");
        scene.ready(&json!({})).await;
        assert_eq!(scene.object(kind::DEPLOYMENT).await["spec"]["template"], plain, "{needle}");
    }
    scene.ready(&json!({ "networking": { "servicePort": 9090 } })).await;
    assert_eq!(scene.object(kind::SERVICE).await["spec"]["ports"][0]["port"], 9090);
    scene.ready(&json!({ "replicas": 2 })).await;
    assert_eq!(scene.object(kind::DEPLOYMENT).await["spec"]["replicas"], 2);
    scene.object(kind::BUDGET).await;
    scene.ready(&json!({ "replicas": 1 })).await;
    scene.client.wait_gone(kind::BUDGET, scene.namespace(), NAME).await;
    assert_eq!(scene.bootstraps(), 1);
}

#[tokio::test]
async fn drift_is_put_right_and_a_broken_rollout_is_told() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    let (client, namespace) = (&scene.client, scene.namespace());
    let patch = json!({ "spec": { "template": { "spec": { "containers": [
        { "name": "terdut-server", "image": "example.org/other:1" },
    ] } } } });
    let answer = client.try_patch(kind::DEPLOYMENT, namespace, NAME, &patch).await;
    answer.expect();
    let image = |deployment: &Json| {
        deployment["spec"]["template"]["spec"]["containers"][0]["image"]
            .as_str()
            .is_some_and(|image| image.ends_with("terdut-server:v1"))
    };
    scene.becomes(kind::DEPLOYMENT, "as the manifest says", image).await;
    let before = scene.object(kind::SERVICE).await["metadata"]["uid"].clone();
    client.delete(kind::SERVICE, namespace, NAME).await;
    scene.becomes(kind::SERVICE, "made again", |it| it["metadata"]["uid"] != before).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    scene.site.kubelet.break_pods(namespace, NAME);
    scene.waits("DeploymentUnavailable").await;
    scene.site.kubelet.mend_pods(namespace, NAME);
    client.wait_ready(kind::SERVER, namespace, NAME).await;
}

#[tokio::test]
async fn a_pause_changes_nothing_and_blocks_no_deletion() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    scene.annotate("reconcile", Some("disabled")).await;
    let (namespace, client) = (scene.namespace(), &scene.client);
    client.wait_reason(kind::SERVER, namespace, NAME, "Synced", "Paused").await;
    scene.declare(&json!({ "image": { "tag": "v2" } })).await;
    let paused = client.wait_reason(kind::SERVER, namespace, NAME, "Synced", "Paused").await;
    assert_eq!(terdut_tests::cluster::conditions::status(&paused, "Ready"), Some("True"));
    let template = scene.object(kind::DEPLOYMENT).await["spec"]["template"].to_string();
    assert!(template.contains("terdut-server:v1"), "{template}");
    scene.delete().await;
}
