//! What `kubectl` shows of the kinds.

use serde_json::json;
use terdut_tests::cluster::{Cluster, Kind, crd_documents, kind};

use super::least;

#[tokio::test]
async fn every_field_is_explained() {
    let Some(cluster) = Cluster::shared() else { return };
    let kubectl = cluster.kubectl();
    for kind in Kind::OURS {
        let text = kubectl.run(&["explain", &format!("{}.spec", kind.plural)]).await.expect_ok();
        assert!(text.contains("FIELDS:"), "{text}");
        assert!(!text.contains("<no description>"), "{text}");
    }
    let text = kubectl.run(&["explain", "terdutservers.spec.database.dsn"]).await.expect_ok();
    assert!(text.contains("password"), "{text}");
}

#[tokio::test]
async fn objects_are_listed_by_category_and_short_name_with_their_conditions() {
    let Some(cluster) = Cluster::shared() else { return };
    let (client, kubectl) = (cluster.admin(), cluster.kubectl());
    let namespace = cluster.namespace("shown", &json!({})).await;
    for kind in Kind::OURS {
        client.apply(&least(kind, &namespace, "shown")).await;
        let conditions = [("Ready", "False", "Unreachable"), ("Synced", "True", "Applied")];
        let conditions = conditions.map(|(kind, status, reason)| {
            json!({
                "type": kind, "status": status, "reason": reason, "message": "",
                "observedGeneration": 1, "lastTransitionTime": "2026-01-01T00:00:00Z",
            })
        });
        let status = json!({ "status": { "conditions": conditions, "observedGeneration": 1 } });
        client.patch_status(kind, &namespace, "shown", &status).await;
    }
    let all = kubectl.run(&["get", "terdut", "-n", &namespace, "-o", "name"]).await.expect_ok();
    assert_eq!(all.lines().count(), Kind::OURS.len(), "{all}");
    for document in crd_documents() {
        let names = &document["spec"]["names"];
        for name in names["shortNames"].as_array().into_iter().flatten().chain([&names["plural"]]) {
            let name = name.as_str().unwrap();
            let shown = kubectl.run(&["get", name, "-n", &namespace]).await.expect_ok();
            let (head, row) = shown.split_once('\n').unwrap();
            assert!(head.contains("READY") && head.contains("REASON"), "{name}: {shown}");
            assert!(row.contains("False") && row.contains("Unreachable"), "{name}: {shown}");
        }
    }
    kubectl.wait_condition(&namespace, "terdutteams/shown", "Synced").await;
}

#[tokio::test]
async fn a_status_is_out_of_reach_of_who_may_only_write_the_spec() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = cluster.admin();
    let namespace = cluster.namespace("shown", &json!({})).await;
    let mut team = least(kind::TEAM, &namespace, "spec-only");
    team["status"] = json!({ "teamID": 7 });
    let stored = client.create(&team).await;
    assert!(stored["status"].is_null(), "{stored}");
}
