//! What manifests mean.

use serde_json::json;

use super::*;

#[test]
fn a_child_is_read_from_both_halves() {
    let manifest = json!({
        "apiVersion": names::API_VERSION, "kind": "TerdutEscalationRule",
        "metadata": {"name": "r", "namespace": "n", "generation": 3},
        "spec": {
            "teamRef": {"name": "t"}, "repeatCount": 2, "deletionPolicy": "Retain",
            "levels": [{"timeout": "5m", "targets": [{"kind": "oncall"}]}],
        },
        "status": {"observedGeneration": 2, "conditions": []},
    });
    let rule: TerdutEscalationRule = serde_json::from_str(&manifest.to_string()).unwrap();
    assert_eq!(rule.team().name, "t");
    assert_eq!(rule.spec.rule.repeat_count, Some(2));
    assert_eq!(rule.spec.rule.levels[0].targets[0].kind, "oncall");
    assert_eq!(rule.deletion_policy(), DeletionPolicy::Retain);
    assert_eq!(rule.observed_generation(), Some(2));
    assert_eq!(serde_json::to_value(&rule).unwrap(), manifest);
}

#[test]
fn empty_texts_mean_nothing() {
    let spec: TerdutTeamSpec = serde_json::from_value(json!({
        "serverRef": {"name": "s", "namespace": ""}, "displayName": "T", "deletionPolicy": "",
    }))
    .unwrap();
    assert_eq!(spec.server_ref.namespace, None);
    assert_eq!(spec.server_ref.namespace_from("own"), "own");
    assert_eq!(spec.deletion_policy, None);
    assert!(
        serde_json::from_value::<TerdutTeamSpec>(json!({
            "serverRef": {"name": "s"}, "displayName": "T", "deletionPolicy": "Keep",
        }))
        .is_err()
    );
}

#[test]
fn names_are_what_kube_derived() {
    fn check<K: Kind>(plural: &str) {
        assert_eq!(K::KIND, K::kind(&()));
        assert_eq!(K::api_version(&()), names::API_VERSION);
        assert_eq!(K::plural(&()), plural);
    }
    check::<TerdutServer>("terdutservers");
    check::<TerdutTeam>("terdutteams");
    check::<TerdutEscalationRule>("terdutescalationrules");
    check::<TerdutDeadmanSwitch>("terdutdeadmanswitches");
    check::<TerdutAlertSource>("terdutalertsources");
}
