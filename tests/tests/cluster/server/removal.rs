//! A server that is deleted: its key is revoked if that works, and nothing waits for it.

use std::time::{Duration, Instant};

use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::cluster::{Cluster, Filter, conditions, kind};

use super::scene::{NAME, Scene};

#[tokio::test]
async fn the_key_is_revoked_with_the_server() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    assert_eq!(scene.keys().len(), 1);
    scene.delete().await;
    assert!(scene.keys().is_empty());
    assert!(scene.records().await.is_empty());
    assert_eq!(scene.events("KeyNotRevoked").await, 0);
}

#[tokio::test]
async fn a_dead_or_unwilling_server_keeps_nothing_from_being_removed() {
    for dead in [true, false] {
        let Some(scene) = Scene::shared().await else { return };
        scene.ready(&json!({})).await;
        if dead {
            scene.site.traffic.cut_off(Filter::terdut());
        } else {
            let refusal = Fault::on("*", "*").always().error(403, "not for you");
            scene.simulator.fault(refusal);
        }
        let begun = Instant::now();
        scene.delete().await;
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        assert!(scene.records().await.is_empty(), "no key stays in the cluster");
        assert_eq!(scene.keys().len(), 1, "dead: {dead}");
        assert_eq!(scene.events("KeyNotRevoked").await, 1, "dead: {dead}");
    }
}

#[tokio::test]
async fn a_retained_server_outlives_a_next_one_that_never_took_it_up() {
    let Some(scene) = Scene::shared().await else { return };
    let (client, namespace) = (&scene.client, scene.namespace());
    let retain = json!({ "deletionPolicy": "Retain" });
    scene.ready(&retain).await;
    let keys = scene.keys();
    scene.delete().await;
    // Paused from its first moment, the next one does nothing, and is deleted so.
    let mut paused = scene.manifest(&json!({ "deletionPolicy": "Delete" }));
    paused["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/reconcile": "disabled" });
    client.apply(&paused).await;
    client.wait_reason(kind::SERVER, namespace, NAME, "Synced", "Paused").await;
    scene.delete().await;
    assert_eq!(scene.records().await, ["instance-credentials"], "it is not that one's");
    assert_eq!(scene.keys(), keys);
    scene.ready(&retain).await;
    assert_eq!(scene.keys(), keys);
    assert_eq!(scene.bootstraps(), 1);
}

#[tokio::test]
async fn a_retained_server_stays_also_where_its_deletion_takes_what_it_owns_first() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({ "deletionPolicy": "Retain" })).await;
    let before = scene.object(kind::DEPLOYMENT).await;
    let kubectl = Cluster::shared().expect("it is there").kubectl();
    let namespace = scene.namespace();
    let arguments =
        ["delete", "terdutserver", NAME, "-n", namespace, "--cascade=foreground", "--wait=true"];
    kubectl.run(&arguments).await.expect_ok();
    let after = scene.object(kind::DEPLOYMENT).await;
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"]);
    assert!(after["metadata"]["deletionTimestamp"].is_null());
    assert_eq!(scene.keys().len(), 1);
}

#[tokio::test]
async fn a_bootstrap_that_is_not_finished_is_finished_by_the_next_server_of_the_name() {
    let Some(scene) = Scene::shared().await else { return };
    let accounts = Fault::on("POST", "/api/service-accounts").always();
    scene.simulator.fault(accounts.error(400, "not today"));
    scene.declare(&json!({ "deletionPolicy": "Retain" })).await;
    let told = scene.waits("Invalid").await;
    assert_eq!(conditions::status(&told, "Bootstrapped"), Some("False"));
    scene.delete().await;
    let kept = ["bootstrap-checkpoint", "instance-credentials"];
    assert_eq!(scene.records().await, kept, "the only key to the server");
    scene.simulator.clear_faults();
    scene.ready(&json!({ "deletionPolicy": "Retain" })).await;
    assert_eq!((scene.bootstraps(), scene.keys().len()), (1, 1));
    assert_eq!(scene.records().await, ["instance-credentials"]);
}
