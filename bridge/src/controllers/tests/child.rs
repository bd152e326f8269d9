//! What holds for every kind below a team: writes, keys, waiting, pauses, deletion.

use serde_json::{Value, json};
use terdut_core::record::TeamRecord;
use terdut_simulator::Fault;

use super::shared::{
    RULES, SETTLED, SOURCES, SWITCHES, team, webhook, with_rule, with_source, with_switch,
};
use crate::engine::Next;
use crate::testing::world::{
    SERVER, World, path, record, rule_spec, source_spec, switch_spec, value,
};

#[tokio::test]
async fn a_child_is_ready_after_three_writes_and_a_source_after_four() {
    let patch = |kind: &str, name: &str| format!("PATCH {}", path(kind, name));
    let status = |kind: &str, name: &str| format!("PATCH {}/status", path(kind, name));

    let world = with_switch().await;
    let switch = patch(SWITCHES, "switch");
    let expected = [switch.clone(), switch, status(SWITCHES, "switch")];
    assert_eq!(world.take_writes(), expected);

    let world = with_rule().await;
    let rule = patch(RULES, "rule");
    assert_eq!(world.take_writes(), [rule.clone(), rule, status(RULES, "rule")]);

    let world = with_source().await;
    let source = patch(SOURCES, "source");
    let secret = "POST /api/v1/namespaces/tenant/secrets".to_owned();
    let expected = [source.clone(), secret, source, status(SOURCES, "source")];
    assert_eq!(world.take_writes(), expected);
    assert_eq!(world.take_events(), Vec::<String>::new());
}

#[tokio::test]
async fn a_second_pass_writes_nothing_and_shares_its_list() {
    let world = with_switch().await;
    world.put(SWITCHES, "second", &switch_spec("second"));
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.put(RULES, "rule", &rule_spec());
    assert_eq!(world.switch("second").await, SETTLED);
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(world.rule("rule").await, SETTLED);
    world.take_writes();
    world.simulator.clear_requests();
    for _ in 0..2 {
        assert_eq!(world.switch("switch").await, SETTLED);
        assert_eq!(world.switch("second").await, SETTLED);
        assert_eq!(world.source("source").await, SETTLED);
        assert_eq!(world.rule("rule").await, SETTLED);
    }
    assert_eq!(world.take_writes(), Vec::<String>::new());
    // Which switches were just made is known without asking.
    let asked = world.simulator.count("GET", "/api/teams/{id}/deadman-switches");
    assert!(asked <= 1, "{asked} lists");
    assert_eq!(world.simulator.count("GET", "/api/teams/{id}/integrations"), 1);
}

#[tokio::test]
async fn children_use_the_teams_key_alone() {
    let world = with_switch().await;
    let token = value(&world.cluster.at(&record("platform")).unwrap(), "token");
    let keys = world.simulator.state().keys();
    let team_key = keys.iter().find(|key| key.text == token).unwrap().id;
    world.simulator.clear_requests();
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.put(RULES, "rule", &rule_spec());
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(world.rule("rule").await, SETTLED);
    world.simulator.state().revoke_key(team_key);
    world.put(SWITCHES, "second", &switch_spec("second"));
    world.switch("second").await;
    assert_eq!(world.ready(SWITCHES, "second"), "False Denied");
    assert_eq!(world.team("platform").await, SETTLED, "the team makes another key");
    assert_eq!(world.switch("second").await, SETTLED);
}

#[tokio::test]
async fn a_child_that_is_gone_on_the_server_is_made_again() {
    let world = with_switch().await;
    let id = team(&world).team.id;
    world.put(SOURCES, "source", &source_spec("alerts"));
    assert_eq!(world.source("source").await, SETTLED);
    world.put(RULES, "rule", &rule_spec());
    assert_eq!(world.rule("rule").await, SETTLED);
    let key = value(&world.cluster.at(&webhook()).unwrap(), "key");
    let there = team(&world);
    world.simulator.state().delete_switch(id, there.switches[0].id);
    world.simulator.state().delete_integration(id, there.integrations[0].id);
    world.simulator.state().set_policy(id, None);
    let world = world.restarted().await;
    world.take_events();
    assert_eq!(world.switch("switch").await, SETTLED);
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.take_events(), ["DriftRepaired", "DriftRepaired"]);
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(world.take_events(), ["KeyRotated"], "its key is another one");
    assert_ne!(value(&world.cluster.at(&webhook()).unwrap(), "key"), key);
    assert!(team(&world).policy.is_some());
    assert_eq!(team(&world).switches.len() + team(&world).integrations.len(), 2);
}

#[tokio::test]
async fn children_wait_for_their_team_and_stop_with_its_consent() {
    let world = World::new().await;
    world.put(SWITCHES, "switch", &switch_spec("watchdog"));
    assert_eq!(world.switch("switch").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "switch"), "False WaitingForTeam");
    drop(world);

    let world = with_switch().await;
    let from = |from: &'static str| {
        world.cluster.edit(SERVER, |server| {
            server["spec"]["allowedTeams"]["namespaces"]["from"] = json!(from);
        });
    };
    from("None");
    world.simulator.clear_requests();
    assert_eq!(world.switch("switch").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "switch"), "False WaitingForTeam");
    assert_eq!(world.simulator.count("*", "*"), 0);
    from("All");
    assert_eq!(world.switch("switch").await, SETTLED);
    from("None");
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert!(team(&world).switches.is_empty());
}

#[tokio::test]
async fn a_child_under_a_server_that_goes_keeps_its_finalizer_until_it_goes_itself() {
    let world = with_switch().await;
    world.cluster.edit(SERVER, |it| it["metadata"]["finalizers"] = json!(["x"]));
    world.cluster.delete_at(SERVER);
    world.switch("switch").await;
    assert_eq!(world.ready(SWITCHES, "switch"), "False ServerDeleting");
    let held = world.cluster.at(&path(SWITCHES, "switch")).unwrap();
    assert_eq!(held["metadata"]["finalizers"], json!(["terdut.ryuvia.com/cleanup"]));
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
}

#[tokio::test]
async fn the_deletion_of_a_child_waits_for_a_server_that_does_not_answer_and_can_be_given_up() {
    let world = with_switch().await;
    world.simulator.fault(Fault::on("*", "*").error(503, "no").always());
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert!(matches!(world.switch("switch").await, Some(Next::Retry(_))));
    assert!(matches!(world.switch("switch").await, Some(Next::Retry(_))));
    assert_eq!(world.ready(SWITCHES, "switch"), "False DeletionBlocked");
    assert_eq!(world.take_events(), ["DeletionBlocked"]);
    world.cluster.edit(&path(SWITCHES, "switch"), |switch| {
        switch["metadata"]["annotations"]["terdut.ryuvia.com/on-delete"] = json!("abandon");
    });
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert_eq!(team(&world).switches.len(), 1);
}

#[tokio::test]
async fn a_child_whose_team_has_lost_its_record_is_not_called_deleted() {
    let world = with_switch().await;
    world.cluster.take_away(&record("platform"));
    let world = world.restarted().await;
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert!(matches!(world.switch("switch").await, Some(Next::Retry(_))));
    assert_eq!(world.ready(SWITCHES, "switch"), "False DeletionBlocked");
    assert_eq!(world.team("platform").await, SETTLED, "the team finds itself by its name");
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert!(team(&world).switches.is_empty());
}

#[tokio::test]
async fn a_child_goes_with_its_team() {
    for retain in [false, true] {
        let world = with_switch().await;
        let team_path = path("terdutteams", "platform");
        if retain {
            world.cluster.edit(&team_path, |it| it["spec"]["deletionPolicy"] = json!("Retain"));
        }
        world.cluster.delete_at(&team_path);
        world.cluster.delete_at(&path(SWITCHES, "switch"));
        assert_eq!(world.switch("switch").await, Some(Next::Gone));
        assert_eq!(world.team("platform").await, Some(Next::Gone));
        let left = world.simulator.state().team_named("Platform");
        assert_eq!(left.map(|left| left.switches.len()), retain.then_some(0));
    }
}

#[tokio::test]
async fn what_is_to_stay_stays() {
    let world = with_switch().await;
    world.cluster.edit(&path(SWITCHES, "switch"), |it| {
        it["spec"]["deletionPolicy"] = json!("Retain");
    });
    world.simulator.clear_requests();
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert_eq!(world.simulator.count("*", "*"), 0);
    assert_eq!(team(&world).switches.len(), 1);
    assert_eq!(world.take_events(), ["Retained"]);
}

#[tokio::test]
async fn what_is_wrong_or_cannot_be_asked_is_said_with_its_reason() {
    let world = with_switch().await;
    let route = "/api/teams/{id}/deadman-switches";
    for (fault, reason) in [
        (Fault::on("GET", route).no_route(), "ServerTooOld"),
        (Fault::on("GET", route).error(403, "no").always(), "Denied"),
        (Fault::on("GET", route).error(503, "no").always(), "Unreachable"),
    ] {
        world.simulator.fault(fault);
        world.put(SWITCHES, "other", &switch_spec("other"));
        assert!(matches!(world.switch("other").await, Some(Next::Retry(_))), "{reason}");
        assert_eq!(world.ready(SWITCHES, "other"), format!("False {reason}"));
        world.recovers();
    }
    assert_eq!(world.switch("other").await, SETTLED);
    world.cluster.edit(&path(SWITCHES, "other"), |it| it["spec"]["timeout"] = json!("1s"));
    assert_eq!(world.switch("other").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "other"), "False Invalid");
    assert_eq!(world.condition(SWITCHES, "other", "Degraded").0, "True");
    world.cluster.edit(&path(SWITCHES, "other"), |it| it["spec"]["timeout"] = json!("1m"));
    assert_eq!(world.switch("other").await, SETTLED);

    world.cluster.refuse("GET", "/namespaces/tenant/secrets", 403, 1);
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False NamespaceNotGranted");
    assert!(team(&world).integrations.is_empty());
    assert_eq!(world.source("source").await, SETTLED);
}

#[tokio::test]
async fn a_refusal_where_the_bridge_may_work_is_not_called_a_missing_grant() {
    let world = World::with_team().await;
    world.context.stores.namespaces().grant("tenant");
    world.cluster.refuse("POST", "/namespaces/tenant/secrets", 403, 1);
    world.put(SOURCES, "source", &source_spec("alerts"));
    assert!(matches!(world.source("source").await, Some(Next::Retry(_))));
    assert_eq!(world.ready(SOURCES, "source"), "False Invalid");
    let source = world.cluster.at(&path(SOURCES, "source")).unwrap();
    let said = source["status"]["conditions"].to_string();
    assert!(said.contains("a quota, an admission policy"), "{said}");
    assert_eq!(world.source("source").await, SETTLED);
}

#[tokio::test]
async fn children_are_woken_by_a_key_that_is_new_and_by_no_other_write_of_the_record() {
    let world = with_switch().await;
    // What the watch tells of an own write comes after that was answered, and is no news then.
    world.stop_following();
    world.context.secrets.delete::<TeamRecord>("tenant", "platform", None).await.unwrap();
    assert_eq!(world.switch("switch").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "switch"), "False WaitingForTeam");
    world.context.wake.woken();
    assert_eq!(world.team("platform").await, SETTLED);
    assert_eq!(world.context.wake.woken(), ["TerdutDeadmanSwitch switch"]);
    assert_eq!(world.switch("switch").await, SETTLED);

    let rename = |team: &mut Value| team["spec"]["displayName"] = json!("Base");
    world.cluster.edit(&path("terdutteams", "platform"), rename);
    assert_eq!(world.team("platform").await, SETTLED);
    assert_eq!(world.context.wake.woken(), Vec::<String>::new());
}

#[tokio::test]
async fn a_pause_stops_a_child_and_not_its_deletion() {
    let world = with_switch().await;
    world.cluster.edit(&path(SWITCHES, "switch"), |switch| {
        switch["metadata"]["annotations"]["terdut.ryuvia.com/reconcile"] = json!("disabled");
        switch["spec"]["timeout"] = json!("1h");
    });
    assert_eq!(world.switch("switch").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "switch"), "True Available");
    let synced = world.condition(SWITCHES, "switch", "Synced");
    assert_eq!(synced, ("Unknown".to_owned(), "Paused".to_owned()));
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert!(team(&world).switches.is_empty());
}
