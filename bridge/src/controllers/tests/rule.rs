//! Escalation rules: whose policy it is, and whom it names.

use serde_json::json;

use super::shared::{RULES, SETTLED, team, with_rule};
use crate::engine::Next;
use crate::testing::world::{World, path, rule_spec};

#[tokio::test]
async fn a_policy_that_is_there_is_overwritten_with_an_event_and_kept_so() {
    let world = World::with_team().await;
    let id = team(&world).team.id;
    let policy = |timeout: &str| {
        let level = json!({ "timeout": timeout, "targets": [{ "kind": "oncall" }] });
        let policy = json!({ "team_id": id, "repeat_count": 0, "levels": [level] });
        serde_json::from_value::<terdut_simulator::Policy>(policy).unwrap()
    };
    world.simulator.state().set_policy(id, Some(policy("1h0m0s")));
    world.put(RULES, "rule", &rule_spec());
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.take_events(), ["Adopted"]);
    assert_eq!(team(&world).policy.unwrap().levels[0].timeout, "5m0s");
    world.simulator.state().set_policy(id, Some(policy("2h0m0s")));
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.take_events(), ["DriftRepaired"]);
    world.cluster.edit(&path(RULES, "rule"), |rule| rule["spec"]["repeatCount"] = json!(7));
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.take_events(), ["Updated"]);
    assert_eq!(team(&world).policy.unwrap().repeat_count, 7);
    world.cluster.delete_at(&path(RULES, "rule"));
    assert_eq!(world.rule("rule").await, Some(Next::Gone));
    assert!(team(&world).policy.is_none_or(|policy| policy.levels.is_empty()));
}

#[tokio::test]
async fn of_two_rules_the_older_rules_and_the_other_never_resets_the_policy() {
    let world = with_rule().await;
    let mut other = rule_spec();
    other["repeatCount"] = json!(9);
    world.put(RULES, "younger", &other);
    assert_eq!(world.rule("younger").await, Some(Next::Waiting));
    assert_eq!(world.ready(RULES, "younger"), "False TeamAlreadyHasRule");
    assert_eq!(team(&world).policy.unwrap().repeat_count, 2);
    world.cluster.delete_at(&path(RULES, "younger"));
    world.rule("younger").await;
    assert_eq!(team(&world).policy.unwrap().repeat_count, 2);

    world.put(RULES, "younger", &other);
    world.rule("younger").await;
    world.cluster.delete_at(&path(RULES, "rule"));
    assert_eq!(world.rule("rule").await, Some(Next::Gone));
    assert_eq!(world.rule("younger").await, SETTLED);
    assert_eq!(team(&world).policy.unwrap().repeat_count, 9);
}

#[tokio::test]
async fn a_rule_that_names_nobody_who_exists_waits_and_its_deletion_resets_nothing() {
    let world = World::with_team().await;
    let id = team(&world).team.id;
    let mut spec = rule_spec();
    spec["levels"][0]["targets"][0] = json!({ "kind": "user", "username": "ada" });
    world.put(RULES, "rule", &spec);
    assert!(matches!(world.rule("rule").await, Some(Next::Retry(_))));
    assert_eq!(world.ready(RULES, "rule"), "False UnknownUser");
    let level = json!({ "timeout": "1h0m0s", "targets": [{ "kind": "oncall" }] });
    let policy = json!({ "team_id": id, "repeat_count": 0, "levels": [level] });
    world.simulator.state().set_policy(id, serde_json::from_value(policy).ok());
    let rule = world.cluster.at(&path(RULES, "rule")).unwrap();
    world.cluster.delete_at(&path(RULES, "rule"));
    assert_eq!(world.rule("rule").await, Some(Next::Gone));
    assert!(team(&world).policy.is_some(), "it was never ours");

    world.put(RULES, "rule", &rule["spec"]);
    let ada = world.simulator.state().add_user("ada", "ada@example.org").id;
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(team(&world).policy.unwrap().levels[0].targets[0].user_id, Some(ada));
    world.take_writes();
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.take_writes(), Vec::<String>::new());
}
