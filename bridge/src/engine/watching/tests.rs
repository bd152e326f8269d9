//! Whom a change wakes beside the object itself.

use serde_json::{Value, json};

use crate::crd::names::API_VERSION;
use crate::testing::Fixture;

fn object(kind: &str, name: &str, team: &str, ready: &str) -> Value {
    let level = json!({ "timeout": "5m", "targets": [{ "kind": "oncall" }] });
    let spec = match kind {
        "TerdutEscalationRule" => json!({ "levels": [level] }),
        "TerdutDeadmanSwitch" => json!({ "name": "w", "matcher": "a=b", "timeout": "15m" }),
        _ => json!({ "name": "alerts" }),
    };
    let mut object = json!({
        "apiVersion": API_VERSION, "kind": kind,
        "metadata": { "namespace": "tenant", "name": name },
        "spec": spec,
        "status": { "conditions": [{
            "type": "Ready", "status": ready, "reason": "Because", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }]},
    });
    object["spec"]["teamRef"] = json!({ "name": team });
    object
}

#[tokio::test]
async fn when_a_child_is_gone_those_of_its_team_and_kind_that_wait_are_woken() {
    for kind in ["TerdutEscalationRule", "TerdutDeadmanSwitch", "TerdutAlertSource"] {
        let fixture = Fixture::start().await;
        let (cluster, wake) = (&fixture.cluster, &fixture.context.wake);
        let mut leaving = object(kind, "leaving", "platform", "False");
        leaving["metadata"]["finalizers"] = json!(["terdut.ryuvia.com/cleanup"]);
        cluster.put(&leaving);
        cluster.delete(kind, "tenant", "leaving");
        for (name, team, ready) in [
            ("first", "platform", "True"),
            ("heir", "platform", "False"),
            ("settled", "platform", "True"),
            ("elsewhere", "payments", "False"),
        ] {
            cluster.put(&object(kind, name, team, ready));
        }
        let other =
            if kind == "TerdutAlertSource" { "TerdutDeadmanSwitch" } else { "TerdutAlertSource" };
        cluster.put(&object(other, "other", "platform", "False"));
        fixture.in_sync().await;
        wake.woken();
        cluster.delete(kind, "tenant", "first");
        fixture.in_sync().await;
        assert_eq!(wake.woken(), [format!("{kind} heir")]);
    }
}
