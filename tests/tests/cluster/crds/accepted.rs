//! What must be accepted, and stored as it was written.

use std::path::Path;

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, Kind, kind, manifests};

use super::{Case, changed, least, offline};

const MANAGERS: (&str, Json) = ("/metadata/managedFields", Json::Null);

/// The manifests that people were promised, in a namespace of this test.
fn promised(file: &str, namespace: &str) -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/manifests");
    let mut objects = manifests::read(&folder.join(file));
    for object in &mut objects {
        object["metadata"]["namespace"] = namespace.into();
    }
    objects
}

#[tokio::test]
async fn the_promised_manifests_apply_unchanged_and_twice_without_a_difference() {
    let Some(cluster) = Cluster::shared() else { return };
    let (client, kubectl) = (cluster.admin(), cluster.kubectl());
    for file in ["all.yaml", "postgres-cluster.yaml"] {
        let namespace = cluster.namespace("promised", &json!({})).await;
        let objects = promised(file, &namespace);
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects }).to_string();
        kubectl.apply(&list, &[]).await.expect_ok();
        // Exit code 1 would be a difference.
        kubectl.run_with(&["diff", "-f", "-"], &list).await.expect_ok();
        let again = kubectl.apply(&list, &[]).await.expect_ok();
        assert_eq!(again.matches(" unchanged").count(), objects.len(), "{again}");
        for object in &objects {
            let name = object["metadata"]["name"].as_str().unwrap();
            let stored = client.get(Kind::of(object), &namespace, name).await;
            assert_eq!(stored["spec"], object["spec"], "{file}: {name} is stored as written");
        }
    }
}

#[tokio::test]
async fn a_server_side_apply_in_a_dry_run_shows_no_difference() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = cluster.admin();
    let namespace = cluster.namespace("promised", &json!({})).await;
    for object in promised("all.yaml", &namespace) {
        let stored = client.apply(&object).await;
        let again = client.try_apply(&object, "dryRun=All").await.expect();
        // The time of an apply is what a dry run cannot leave alone.
        assert_eq!(changed(again, &[MANAGERS]), changed(stored, &[MANAGERS]));
    }
}

/// Values at the edge, each as JSON pointers into the least object of a kind.
fn at_the_edge() -> Vec<Case> {
    let unset = |pointers: &[&'static str]| pointers.iter().map(|one| (*one, json!(""))).collect();
    vec![
        (kind::SERVER, "no replica", vec![("/spec/replicas", json!(0))]),
        (kind::SERVER, "ten replicas", vec![("/spec/replicas", json!(10))]),
        (kind::SERVER, "empty durations", {
            let sweeper = json!({ "staleAfter": "", "archiveAfter": "" });
            vec![("/spec/sweeper", sweeper), ("/spec/deadman", json!({ "timeout": "" }))]
        }),
        (kind::SERVER, "an archive time above the default stale time", {
            vec![("/spec/sweeper", json!({ "archiveAfter": "361m" }))]
        }),
        (kind::SERVER, "a selector with its word", {
            let namespaces =
                json!({ "from": "Selector", "selector": { "matchLabels": { "a": "b" } } });
            vec![("/spec/allowedTeams", json!({ "namespaces": namespaces, "adoption": "Allow" }))]
        }),
        (kind::SERVER, "all namespaces", {
            vec![("/spec/allowedTeams", json!({ "namespaces": { "from": "All" } }))]
        }),
        (kind::SERVER, "OIDC alone", {
            let oidc = json!({
                "enabled": true, "issuer": "https://id.example.org", "clientID": "terdut",
                "clientSecretRef": { "name": "oidc", "key": "client-secret" },
            });
            vec![("/spec/oidc", oidc), ("/spec/passwordLogin", json!(false))]
        }),
        (kind::SERVER, "a variable of each form", {
            let reference = json!({ "secretKeyRef": { "name": "a", "key": "b" } });
            let env =
                json!([{ "name": "A", "value": "1" }, { "name": "B", "valueFrom": reference }]);
            vec![("/spec/env", env)]
        }),
        (kind::TEAM, "empty groups", unset(&["/spec/oidc/memberGroup", "/spec/oidc/ownerGroup"])),
        (kind::TEAM, "to be retained", vec![("/spec/deletionPolicy", json!("Retain"))]),
        (kind::RULE, "a repeat count of 100", vec![("/spec/repeatCount", json!(100))]),
        (kind::RULE, "the shortest time", vec![("/spec/levels/0/timeout", json!("60s"))]),
        (kind::RULE, "the longest time", vec![("/spec/levels/0/timeout", json!("24h"))]),
        (kind::RULE, "an empty topic", unset(&["/spec/fallbackTopic"])),
        (kind::SWITCH, "the longest time", vec![("/spec/timeout", json!("720h"))]),
        (kind::SWITCH, "an empty severity", unset(&["/spec/severity"])),
        (kind::SOURCE, "another kind", vec![("/spec/kind", json!("webhook"))]),
    ]
}

#[tokio::test]
async fn values_at_the_edge_are_accepted_and_stored_as_written() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = cluster.admin();
    let namespace = cluster.namespace("edge", &json!({})).await;
    for (number, (kind, what, changes)) in at_the_edge().into_iter().enumerate() {
        let object = changed(least(kind, &namespace, &format!("edge-{number}")), &changes);
        let answer = client.try_apply(&object, "").await;
        assert!(answer.is_ok(), "{} with {what}: {}", kind.kind, answer.message());
        assert_eq!(answer.json["spec"], object["spec"], "{} with {what}", kind.kind);
        let (passes, said) = offline(&object);
        assert!(passes, "without a cluster, {} with {what}: {said}", kind.kind);
    }
}
