//! A `TerdutEscalationRule`.

use serde_json::json;
use terdut_simulator::Policy;
use terdut_tests::cluster::kind;

use super::stage::{Stage, TEAM};

const RULE: &str = "platform-rule";

#[tokio::test]
async fn a_rule_is_created_changed_put_right_and_taken_back() {
    let Some((stage, team)) = Stage::with_team().await else { return };
    let alice = stage.simulator.state().add_user("alice", "alice@example.org").id;
    let before = stage.simulator.state().team(team).unwrap().policy;
    let policy = || stage.simulator.state().team(team).and_then(|state| state.policy);
    let spec = |repeat: i64, topic: &str, timeout: &str| {
        let targets = json!([{ "kind": "oncall" }, { "kind": "user", "username": "alice" }]);
        json!({
            "teamRef": { "name": TEAM }, "repeatCount": repeat, "fallbackTopic": topic,
            "levels": [
                { "timeout": timeout, "targets": targets },
                { "timeout": "15m", "targets": [{ "kind": "oncall" }] },
            ],
        })
    };
    let is = |policy: &Policy, repeat: i64, topic: Option<&str>, levels: usize| {
        policy.repeat_count == repeat
            && policy.fallback_topic.as_deref() == topic
            && policy.levels.len() == levels
    };
    stage.apply(&stage.object(kind::RULE, RULE, &spec(2, "platform-oncall", "5m"))).await;
    stage.ready(kind::RULE, RULE).await;
    let first = policy().expect("a policy");
    assert!(is(&first, 2, Some("platform-oncall"), 2), "{first:?}");
    assert_eq!(first.levels[0].targets[1].user_id, Some(alice));

    let mut other = spec(0, "", "6m");
    other["levels"].as_array_mut().unwrap().truncate(1);
    stage.apply(&stage.object(kind::RULE, RULE, &other)).await;
    stage.ready(kind::RULE, RULE).await;
    let changed = policy().expect("a policy");
    assert!(is(&changed, 0, None, 1) && changed.levels[0] != first.levels[0], "{changed:?}");

    let mut drift = changed.clone();
    drift.repeat_count = 9;
    stage.simulator.state().set_policy(team, Some(drift));
    stage.until("drift is put right", || policy().as_ref() == Some(&changed)).await;

    stage.delete(kind::RULE, RULE).await;
    assert_eq!(policy(), before, "as if there had been no rule");
}
