//! What a person is told without an API server.

use serde_json::json;

use super::*;

fn faults(kind: &str, spec: &Value) -> Vec<String> {
    let object = json!({
        "apiVersion": API_VERSION, "kind": kind, "metadata": {"name": "x"}, "spec": spec,
    });
    let shown = |fault: Fault| format!("{:?} {}: {}", fault.severity, fault.field, fault.message);
    Judge::default().faults(&object).into_iter().map(shown).collect()
}

#[test]
fn the_shape_is_judged_at_every_depth() {
    let spec = json!({
        "teamRef": {}, "repeatCount": 101, "colour": "red",
        "levels": [{"timeout": "5m", "targets": []}, {"timeout": 5, "targets": [{"kind": "all"}]}],
    });
    assert_eq!(
        faults("TerdutEscalationRule", &spec),
        [
            "Error spec.colour: there is no field \"colour\"; it would be dropped",
            "Error spec.levels[0].targets: it has at least 1 element",
            "Error spec.levels[1].targets[0].kind: \"all\" is none of oncall, user",
            "Error spec.levels[1].timeout: it must be a text: write it in quotes",
            "Error spec.repeatCount: 101 is outside 0 to 100",
            "Error spec.teamRef.name: it is required",
        ]
        .map(str::to_owned)
        .to_vec()
        .as_slice()
    );
}

#[test]
fn rules_and_core_speak_each_once_of_a_field() {
    let spec = json!({
        "teamRef": {"name": "t"}, "name": "n", "timeout": "1s", "severity": "loud",
        "matcher": "a=b,a=c",
    });
    let faults = faults("TerdutDeadmanSwitch", &spec);
    assert_eq!(faults.len(), 3, "{faults:#?}");
    assert!(faults[0].starts_with("Error spec.timeout: write a duration"));
    assert_eq!(faults[1], "Error spec.matcher: \"a\" is named twice.");
    assert!(faults[2].starts_with("Warning spec.severity: \"loud\" is none of critical"));
}

#[test]
fn cores_fields_have_the_names_of_manifests() {
    let path = Path::of("oidc").field("client_secret_ref").index(2).field("ntfy_url");
    assert_eq!(field(&path), "oidc.clientSecretRef[2].ntfyURL");
    let spec = json!({
        "image": {"tag": "v1"},
        "database": {"dsn": "postgres://h/d?pass%77ord=x", "passwordSecretRef": {"name": "s"}},
    });
    let faults = faults("TerdutServer", &spec);
    assert_eq!(
        faults,
        ["Error spec.database.dsn: It holds a password: name a Secret with it instead."]
    );
}

#[test]
fn another_version_or_kind_is_named() {
    assert!(faults("TerdutUser", &json!({}))[0].contains("no kind \"TerdutUser\""));
    let old = json!({"apiVersion": "terdut.ryuvia.com/v1", "kind": "TerdutTeam"});
    assert!(Judge::concerns(&old));
    assert_eq!(Judge::default().faults(&old)[0].field, "apiVersion");
    assert!(!Judge::concerns(&json!({"apiVersion": "v1", "kind": "Namespace"})));
}
