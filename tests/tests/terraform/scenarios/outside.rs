//! Objects that somebody deletes outside: planned for create, alone or all at once.

use serde_json::Value as Json;
use terdut_tests::harness::{Program, ShownState};

use crate::scene::Scene;

const CONFIG: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_user" "main" {
  username = "ada"
  email    = "ada@example.org"
}
resource "terdut_escalation_rule" "main" {
  team_id = terdut_team.main.id
  levels  = [{ timeout = "5m", targets = [{ kind = "oncall" }] }]
}
resource "terdut_deadman_switch" "main" {
  team_id = terdut_team.main.id
  name    = "watchdog"
  matcher = "alertname=Watchdog"
  timeout = "1h"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
resource "terdut_service_account" "main" {
  name  = "ci"
  scope = "instance"
}
resource "terdut_service_account_key" "main" {
  service_account_id = terdut_service_account.main.id
}
"#;

fn number(state: &ShownState, address: &str, attribute: &str) -> i64 {
    let value = state.value(address, attribute).as_str().map(str::parse);
    value.expect("a text").expect("a number")
}

/// Deletes every object except the team and the account, each as a person would.
fn delete_each(scene: &Scene, state: &ShownState) -> [&'static str; 5] {
    let id = |address: &str| number(state, address, "id");
    let (seen, team) = (scene.simulator.state(), id("terdut_team.main"));
    seen.delete_user(id("terdut_user.main")).expect("the user");
    seen.set_policy(team, None).expect("the policy");
    seen.delete_switch(team, id("terdut_deadman_switch.main")).expect("the switch");
    seen.delete_integration(team, id("terdut_alert_source.main")).expect("the source");
    seen.revoke_key(id("terdut_service_account_key.main")).expect("the key");
    [
        "terdut_user.main",
        "terdut_escalation_rule.main",
        "terdut_deadman_switch.main",
        "terdut_alert_source.main",
        "terdut_service_account_key.main",
    ]
}

/// Exactly these are made again, and nothing else happens.
async fn repaired(scene: &Scene, gone: &[&str]) {
    let plan = scene.workspace.plan().await;
    for (address, change) in &plan.changes {
        let wanted = if gone.contains(&address.as_str()) { "create" } else { "no-op" };
        assert_eq!(change.action(), wanted, "{address}: {}", plan.text);
    }
    assert_eq!(plan.changes.len(), 7, "{}", plan.text);
    scene.workspace.apply_plan().await.expect_ok();
    scene.workspace.plan().await.expect_empty();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_outside_is_planned_for_create_and_made_again() {
    let mut programs = Program::current();
    programs.extend(Program::oldest());
    for program in programs {
        let scene = Scene::start(&program).await;
        scene.configure(CONFIG);
        scene.workspace.init().await;
        scene.workspace.apply().await;
        let gone = delete_each(&scene, &scene.workspace.state().await);
        repaired(&scene, &gone).await;

        let state = scene.workspace.state().await;
        scene.simulator.state().delete_team(number(&state, "terdut_team.main", "id"));
        repaired(
            &scene,
            &[
                "terdut_team.main",
                "terdut_escalation_rule.main",
                "terdut_deadman_switch.main",
                "terdut_alert_source.main",
            ],
        )
        .await;

        let state = scene.workspace.state().await;
        scene.simulator.state().delete_account(number(&state, "terdut_service_account.main", "id"));
        repaired(&scene, &["terdut_service_account.main", "terdut_service_account_key.main"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_outside_does_not_hinder_the_end() {
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        scene.configure(CONFIG);
        scene.workspace.init().await;
        scene.workspace.apply().await;
        delete_each(&scene, &scene.workspace.state().await);
        scene.workspace.destroy().await;
        let left = scene.api.get("/api/teams").await;
        assert_eq!(left, Json::Array(Vec::new()));
    }
}
