//! The harness itself: what the other suites rely on holds.

use std::time::Duration;

use serde_json::json;
use terdut_tests::cluster::{Cluster, kind};

#[tokio::test]
async fn objects_come_and_go_and_namespaces_empty_themselves() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = cluster.admin();
    let namespace = cluster.namespace("harness", &json!({ "team": "a" })).await;
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "one", "namespace": namespace }, "data": { "a": "1" },
    });
    client.apply(&map).await;
    let owner = client.get(kind::CONFIG_MAP, &namespace, "one").await;
    assert_eq!(owner["data"]["a"], "1");
    let mut below = map.clone();
    below["metadata"]["name"] = "two".into();
    below["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "one", "uid": owner["metadata"]["uid"],
    }]);
    client.create(&below).await;
    client.delete(kind::CONFIG_MAP, &namespace, "one").await;
    client.wait_gone(kind::CONFIG_MAP, &namespace, "two").await;
    client.create(&map).await;
    client.delete(kind::NAMESPACE, "", &namespace).await;
    client.within(Duration::from_mins(1)).wait_gone(kind::NAMESPACE, "", &namespace).await;
}

#[tokio::test]
async fn a_service_account_may_do_only_what_it_is_granted() {
    let Some(cluster) = Cluster::shared() else { return };
    let namespace = cluster.namespace("harness", &json!({})).await;
    let token = cluster.service_account(&namespace, "somebody").await;
    let answer =
        cluster.client(&token).try_patch(kind::CONFIG_MAP, &namespace, "none", &json!({})).await;
    assert_eq!(answer.status, 403, "{}", answer.json);
    let refused = cluster.kubectl_of("somebody", &token).run(&["get", "secrets", "-A"]).await;
    let refused = refused.expect_refused();
    assert!(refused.contains("system:serviceaccount:"), "{refused}");
}
