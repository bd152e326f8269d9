//! The store of one kind: versions, parents, lists that are read anew.

use serde_json::json;

use super::stored::LAST_APPLIED;
use super::*;
use crate::crd::{TerdutDeadmanSwitch, TerdutTeam};

fn team(name: &str, server: &str, version: &str) -> TerdutTeam {
    serde_json::from_value(json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1",
        "kind": "TerdutTeam",
        "metadata": {
            "namespace": "teams", "name": name, "uid": name, "resourceVersion": version,
            "annotations": { LAST_APPLIED: "{}" },
            "managedFields": [{ "manager": "kubectl" }],
        },
        "spec": { "serverRef": { "name": server }, "displayName": name },
    }))
    .unwrap()
}

fn server(name: &str) -> ObjectKey {
    ObjectKey::new("teams", name)
}

#[test]
fn a_version_that_is_known_is_no_change() {
    let store = KindStore::new(1);
    let change = store.put(team("a", "main", "1")).unwrap();
    assert!(change.before.is_none() && change.after.is_some());
    assert!(store.put(team("a", "main", "1")).is_none());
    let change = store.put(team("a", "main", "2")).unwrap();
    assert_eq!(change.before.unwrap().metadata.resource_version.as_deref(), Some("1"));
}

#[test]
fn what_nobody_reads_is_not_stored() {
    let store = KindStore::new(1);
    store.put(team("a", "main", "1"));
    let stored = store.get("teams", "a").unwrap();
    assert_eq!((&stored.metadata.managed_fields, &stored.metadata.annotations), (&None, &None));
}

#[test]
fn children_are_found_by_their_parent_also_after_it_changed() {
    let store = KindStore::new(1);
    store.put(team("a", "main", "1"));
    store.put(team("b", "main", "2"));
    let names = |parent: &str| -> Vec<String> {
        store
            .children_of(&server(parent))
            .iter()
            .map(|team| team.spec.display_name.clone())
            .collect()
    };
    assert_eq!(names("main"), ["a", "b"]);
    store.put(team("a", "other", "3"));
    assert_eq!((names("main"), names("other")), (vec!["b".to_owned()], vec!["a".to_owned()]));
    store.remove(&ObjectKey::new("teams", "a"));
    store.remove(&ObjectKey::new("teams", "b"));
    assert!(store.read().children.is_empty() && store.is_empty());
}

#[test]
fn a_new_list_shows_what_is_missing_in_its_own_scope() {
    let store = KindStore::new(1);
    store.put(team("a", "main", "1"));
    store.put(team("b", "main", "2"));
    let seen = HashSet::from([ObjectKey::new("teams", "a")]);
    assert_eq!(store.missing(Some("teams"), &seen), [ObjectKey::new("teams", "b")]);
    assert_eq!(store.missing(None, &seen).len(), 1);
    assert!(store.missing(Some("elsewhere"), &seen).is_empty());
}

fn switch(status: &str, observed: i64) -> TerdutDeadmanSwitch {
    serde_json::from_value(json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1",
        "kind": "TerdutDeadmanSwitch",
        "metadata": {
            "namespace": "teams", "name": "watchdog", "uid": "u", "generation": 2,
            "resourceVersion": format!("{status}{observed}"), "labels": { "a": "b" },
        },
        "spec": {
            "teamRef": { "name": "main" }, "name": "watchdog", "matcher": "a=b", "timeout": "15m",
        },
        "status": {
            "observedGeneration": observed, "switchID": "7",
            "conditions": [{
                "type": "Ready", "status": status, "reason": "Available", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
        },
    }))
    .unwrap()
}

#[test]
fn an_object_of_many_comes_back_as_it_was() {
    let store = KindStore::new(1);
    store.put(switch("True", 2));
    assert_eq!(store.get("teams", "watchdog").as_deref(), Some(&switch("True", 2)));
    assert_eq!(store.children_of(&server("main")).len(), 1);
    assert!(store.put(switch("True", 2)).is_none());
    let gone = store.remove(&ObjectKey::new("teams", "watchdog")).unwrap();
    assert_eq!(gone.before.as_deref(), Some(&switch("True", 2)));
}

#[test]
fn only_what_is_ready_at_its_own_generation_is_settled() {
    let store = KindStore::new(1);
    for (status, observed, settled, counted) in [
        ("True", 2, true, [1, 0, 0]),
        ("True", 1, false, [1, 0, 0]),
        ("False", 2, false, [0, 1, 0]),
        ("Unknown", 2, false, [0, 0, 1]),
    ] {
        store.put(switch(status, observed));
        assert_eq!(store.keys()[0].1, settled, "{status} at {observed}");
        assert_eq!(store.count().map(|(_, count)| count), counted);
    }
}

#[tokio::test]
async fn it_is_listed_when_every_scope_is() {
    let store = KindStore::<TerdutTeam>::new(2);
    store.scope_listed();
    assert!(!store.is_listed());
    store.scope_listed();
    store.listed().await;
    assert!(store.is_listed());
}
