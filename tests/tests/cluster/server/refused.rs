//! A server that may not be run, is too old, does not answer or is left with a spare key: what is
//! said, and how it ends.

use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::cluster::{Filter, Rights, conditions, kind};

use super::scene::{NAME, Scene};

#[tokio::test]
async fn without_rights_in_the_namespace_nothing_is_made_until_they_are_given() {
    let Some(scene) = Scene::shared().await else { return };
    let (site, namespace) = (&scene.site, scene.namespace());
    site.revoke(namespace).await;
    let verbs = ["get", "list", "watch", "create", "patch"];
    let less = verbs.iter().fold(Rights::tenant(namespace), |less, verb| {
        less.without("deployments", verb).without("services", verb)
    });
    site.grant(namespace, &less).await;
    scene.declare(&json!({})).await;
    let said = scene.waits("NamespaceNotGranted").await;
    assert!(said.to_string().contains("tenants.namespaces"), "{said}");
    assert_eq!(conditions::reason(&said, "Synced"), Some("NamespaceNotGranted"));
    assert!(scene.client.find(kind::DEPLOYMENT, namespace, NAME).await.is_none());
    assert_eq!(scene.bootstraps(), 0);
    site.grant(namespace, &Rights::tenant(namespace)).await;
    scene.client.wait_ready(kind::SERVER, namespace, NAME).await;
}

#[tokio::test]
async fn a_server_that_is_too_old_or_silent_says_so_until_it_is_not() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    let keys = scene.keys();
    scene.simulator.fault(Fault::on("GET", "/api/teams").no_route());
    let old = scene.waits("ServerTooOld").await;
    assert_eq!(conditions::status(&old, "Synced"), Some("True"), "what runs is as it should be");
    scene.simulator.clear_faults();
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;

    scene.site.traffic.cut_off(Filter::terdut());
    scene.waits("Unreachable").await;
    scene.site.traffic.restore();
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!(scene.keys(), keys, "the key was not in doubt");
    assert_eq!(scene.bootstraps(), 1);
}

#[tokio::test]
async fn an_admin_key_that_cannot_be_revoked_is_named_once() {
    let Some(scene) = Scene::shared().await else { return };
    let revoke = "/api/users/{id}/api-keys/{key_id}";
    scene.simulator.fault(Fault::on("DELETE", revoke).always().error(403, "not for you"));
    scene.ready(&json!({})).await;
    let admin = scene.simulator.state().users().remove(0);
    let left = scene.simulator.state().keys_of(terdut_simulator::Owner::User(admin.id));
    assert_eq!(left.len(), 1);
    scene.passes(3.0).await;
    let events = scene.client.list(kind::EVENT, scene.namespace()).await;
    let mut told = events.iter().filter(|event| event["reason"] == "AdminKeyNotRevoked");
    let note = told.next().map(|event| event["note"].to_string()).unwrap_or_default();
    assert!(note.contains(&left[0].id.to_string()), "which one: {note}");
    assert_eq!(told.count(), 0, "said once");
    assert_eq!(scene.records().await, ["instance-credentials"]);
}
