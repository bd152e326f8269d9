//! Kinds that a cluster may lack, and databases.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, conditions, kind};

use super::scene::{NAME, Scene};

/// A kind whose objects may hold anything.
fn crd(group: &str, plural: &str, name: &str) -> Json {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            // Groups of Kubernetes itself ask for a word.
            "annotations": { "api-approved.kubernetes.io": "unapproved, for a test" },
        },
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": { "plural": plural, "singular": name.to_lowercase(), "kind": name },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

#[tokio::test]
async fn a_kind_that_arrives_later_or_goes_needs_no_restart() {
    let Some(cluster) = Cluster::fresh() else { return };
    let scene = Scene::on(&cluster).await;
    let (namespace, client) = (scene.namespace(), &scene.client);
    let networking = json!({ "hostname": "terdut.example.org", "gatewayListener": "infra/main" });
    let routed = json!({ "networking": networking });
    scene.declare(&routed).await;
    let server = scene.waits("RouteKindMissing").await;
    assert_eq!(conditions::reason(&server, "Synced"), Some("RouteKindMissing"));
    assert_eq!(conditions::status(&server, "Bootstrapped"), Some("True"), "all else is done");
    client.create(&crd("gateway.networking.k8s.io", "httproutes", "HTTPRoute")).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    let route = scene.object(kind::ROUTE).await;
    assert_eq!(route["spec"]["hostnames"], json!(["terdut.example.org"]));
    let less = json!({ "hostname": "terdut.example.org", "gatewayListener": "main" });
    scene.ready(&json!({ "networking": less })).await;
    assert!(scene.object(kind::ROUTE).await["spec"]["parentRefs"][0]["namespace"].is_null());

    client.delete(kind::CRD, "", "httproutes.gateway.networking.k8s.io").await;
    let server = scene.waits("RouteKindMissing").await;
    assert_eq!(conditions::status(&server, "Bootstrapped"), Some("True"), "all else is done");
    client.create(&crd("gateway.networking.k8s.io", "httproutes", "HTTPRoute")).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    scene.ready(&json!({})).await;
    client.wait_gone(kind::ROUTE, namespace, NAME).await;

    let reference = json!({ "postgresClusterRef": { "name": "pg" } });
    scene.declare(&json!({ "database": reference })).await;
    let missing = scene.waits("DatabaseMissing").await;
    assert_eq!(conditions::status(&missing, "DatabaseReady"), Some("False"));
    client.create(&crd("acid.zalan.do", "postgresqls", "postgresql")).await;
    let has_kind = |found: Option<&Json>| {
        found.is_some_and(|server| server["status"].to_string().contains("no Postgres cluster pg"))
    };
    client.wait(kind::SERVER, namespace, NAME, "asking for the cluster", has_kind).await;
    client
        .create(&json!({
            "apiVersion": "acid.zalan.do/v1", "kind": "postgresql",
            "metadata": { "name": "pg", "namespace": namespace },
            "spec": { "databases": { "terdut": "terdut_owner" } },
        }))
        .await;
    let secret = "terdut-owner.pg.credentials.postgresql.acid.zalan.do";
    scene.secret(secret, &json!({ "password": "made by the operator" })).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    let template = scene.object(kind::DEPLOYMENT).await["spec"]["template"].to_string();
    assert!(template.contains("terdut_owner@pg"), "{template}");
}

#[tokio::test]
async fn a_password_that_changes_is_told_until_the_server_is_restarted() {
    let Some(scene) = Scene::shared().await else { return };
    let (namespace, client) = (scene.namespace(), &scene.client);
    client.delete(kind::SECRET, namespace, "postgres").await;
    scene.declare(&json!({})).await;
    let missing = scene.waits("DatabaseMissing").await;
    assert_eq!(conditions::reason(&missing, "DatabaseReady"), Some("DatabaseMissing"));
    scene.secret("postgres", &json!({ "password": "the first password" })).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    let generation = scene.object(kind::DEPLOYMENT).await["metadata"]["generation"].clone();
    scene.secret("postgres", &json!({ "password": "the second password" })).await;
    let reason = "PasswordChangedSinceStart";
    let told = client.wait_reason(kind::SERVER, namespace, NAME, "DatabaseReady", reason).await;
    assert_eq!(conditions::status(&told, "DatabaseReady"), Some("Unknown"));
    assert_eq!(conditions::status(&told, "Ready"), Some("True"));
    let after = scene.object(kind::DEPLOYMENT).await["metadata"]["generation"].clone();
    assert_eq!(after, generation, "nothing restarts by itself");
    let arguments = ["rollout", "restart", "deployment", NAME, "-n", namespace];
    scene.site.cluster().kubectl().run(&arguments).await.expect_ok();
    client.wait_condition(kind::SERVER, namespace, NAME, "DatabaseReady").await;
}
