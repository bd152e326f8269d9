//! Objects of others, and objects that outlive their server.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::kind;

use super::scene::{NAME, Scene};

#[tokio::test]
async fn a_foreign_object_stops_all_until_it_may_be_taken_over() {
    let Some(scene) = Scene::shared().await else { return };
    let namespace = scene.namespace();
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": NAME, "namespace": namespace },
        "spec": { "ports": [{ "port": 80 }], "selector": { "app": "other" } },
    });
    let made = scene.client.create(&service).await;
    scene.declare(&json!({})).await;
    let waiting = scene.waits("ForeignObject").await;
    assert!(waiting.to_string().contains("terdut.ryuvia.com/take-over: main"), "{waiting}");
    assert!(scene.client.find(kind::DEPLOYMENT, namespace, NAME).await.is_none());
    assert_eq!(scene.object(kind::SERVICE).await["spec"], made["spec"]);
    scene.annotate("take-over", Some(NAME)).await;
    scene.client.wait_ready(kind::SERVER, namespace, NAME).await;
    let taken = scene.object(kind::SERVICE).await;
    assert_eq!(taken["metadata"]["uid"], made["metadata"]["uid"]);
    assert_eq!(taken["metadata"]["ownerReferences"][0]["name"], NAME);
    assert_eq!(scene.events("TakenOver").await, 1);
}

#[tokio::test]
async fn a_retained_server_runs_on_and_is_taken_up_by_the_next_of_its_name() {
    let Some(scene) = Scene::shared().await else { return };
    let retain = json!({ "deletionPolicy": "Retain" });
    scene.ready(&retain).await;
    let before = scene.object(kind::DEPLOYMENT).await;
    let keys = scene.simulator.state().keys();
    scene.delete().await;
    let kept = scene.object(kind::DEPLOYMENT).await;
    let namespace = scene.namespace();
    assert!(kept["metadata"]["deletionTimestamp"].is_null());
    assert!(kept["metadata"]["ownerReferences"].is_null());
    assert_eq!(
        kept["metadata"]["annotations"]["terdut.ryuvia.com/retained-by"],
        format!("{namespace}/{NAME}")
    );
    assert_eq!(scene.records().await, ["instance-credentials"]);
    let next = scene.ready(&retain).await;
    let taken = scene.object(kind::DEPLOYMENT).await;
    assert_eq!(taken["metadata"]["uid"], before["metadata"]["uid"], "it is the same one");
    assert!(taken["metadata"]["ownerReferences"].is_null(), "it is to be retained again");
    let owner = &taken["metadata"]["annotations"]["terdut.ryuvia.com/owner-uid"];
    assert_eq!(owner, &next["metadata"]["uid"]);
    assert_eq!(scene.simulator.state().keys().len(), keys.len());
    assert_eq!(scene.bootstraps(), 1);

    scene.delete().await;
    let secret = format!("{namespace}.{NAME}-instance-credentials");
    scene.client.delete(kind::SECRET, &scene.site.own, &secret).await;
    scene.client.wait_gone(kind::SECRET, &scene.site.own, &secret).await;
    scene.declare(&json!({})).await;
    scene.waits("ForeignObject").await;
}

#[tokio::test]
async fn another_policy_changes_whether_the_objects_go_along() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({ "deletionPolicy": "Retain" })).await;
    let made = scene.object(kind::DEPLOYMENT).await;
    assert!(made["metadata"]["ownerReferences"].is_null());
    let server = scene.ready(&json!({ "deletionPolicy": "Delete" })).await;
    let owned = |found: &Json| {
        found["metadata"]["ownerReferences"][0]["uid"] == server["metadata"]["uid"]
            && found["metadata"]["annotations"]["terdut.ryuvia.com/retained-by"].is_null()
    };
    scene.becomes(kind::DEPLOYMENT, "owned", owned).await;
    scene.ready(&json!({ "deletionPolicy": "Retain" })).await;
    let marked = |found: &Json| {
        found["metadata"]["ownerReferences"].is_null()
            && found["metadata"]["annotations"]["terdut.ryuvia.com/owner-uid"]
                == server["metadata"]["uid"]
    };
    scene.becomes(kind::DEPLOYMENT, "marked", marked).await;
    // A pass does not come between this change and the deletion.
    scene.annotate("reconcile", Some("disabled")).await;
    scene.declare(&json!({ "deletionPolicy": "Delete" })).await;
    scene.delete().await;
    let namespace = scene.namespace();
    for kind in [kind::DEPLOYMENT, kind::SERVICE] {
        scene.client.wait_gone(kind, namespace, NAME).await;
    }
}
