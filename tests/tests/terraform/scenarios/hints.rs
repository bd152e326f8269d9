//! What a plan says of deletes: of what others made, and nothing of what it deletes itself.

use serde_json::json;
use terdut_tests::harness::Program;

use crate::scene::{HEAD, Scene};

const KEPT: &str = r#"
resource "terdut_team" "kept" {
  name = "Kept"
}
"#;

const CONFIG: &str = r#"
resource "terdut_user" "eve" {
  username = "eve"
  email    = "eve@example.org"
}
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_escalation_rule" "main" {
  team_id = terdut_team.main.id
  levels  = [{ timeout = "5m", targets = [{ kind = "user", username = terdut_user.eve.username }] }]
}
resource "terdut_deadman_switch" "main" {
  count   = 3
  team_id = terdut_team.main.id
  name    = "watchdog-${count.index}"
  matcher = "alertname=Watchdog"
  timeout = "1h"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
resource "terdut_service_account" "main" {
  name    = "ci"
  scope   = "team"
  team_id = terdut_team.main.id
}
resource "terdut_service_account_key" "main" {
  service_account_id = terdut_service_account.main.id
}
"#;

async fn applied(program: &Program) -> Scene {
    let scene = Scene::start(program).await;
    scene.configure(&format!("{KEPT}{CONFIG}"));
    scene.workspace.init().await;
    scene.workspace.apply().await;
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn destroying_everything_says_nothing_of_what_it_destroys() {
    for program in Program::all() {
        let scene = applied(&program).await;
        let plan = scene.workspace.plan_with(&["-destroy"]).await;
        assert!(!plan.text.contains("Warning"), "{}", plan.text);
        // The same by taking the blocks out, where the host keeps no order.
        scene.configure(KEPT);
        let plan = scene.workspace.plan().await;
        assert_eq!(plan.action("terdut_team.main"), "delete");
        assert!(!plan.text.contains("Warning"), "{}", plan.text);
        scene.workspace.apply().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_made_is_named_before_it_goes() {
    for program in Program::all() {
        let scene = applied(&program).await;
        let state = scene.workspace.state().await;
        let id = |address: &str| state.value(address, "id").as_str().unwrap_or_default().to_owned();
        let source = json!({ "kind": "alertmanager", "name": "clicked" });
        let sources = format!("/api/teams/{}/integrations", id("terdut_team.main"));
        scene.api.post(&sources, &source).await;
        let eve: i64 = id("terdut_user.eve").parse().expect("a number");
        let target = json!({ "kind": "user", "user_id": eve });
        let policy = json!({ "levels": [{ "timeout": "5m", "targets": [target] }] });
        scene.api.put(&format!("/api/teams/{}/escalation", id("terdut_team.kept")), &policy).await;
        let key = json!({ "name": "by hand" });
        let keys = format!("/api/service-accounts/{}/keys", id("terdut_service_account.main"));
        scene.api.post(&keys, &key).await;
        scene.configure(KEPT);
        for more in [&["-destroy"][..], &[]] {
            let plan = scene.workspace.plan_with(more).await;
            for says in [
                "deleted by this plan: the alert source \"clicked\".",
                "not deleted by this plan: \"by hand\".",
                "rule of the team",
            ] {
                // A destroy takes the other team along, and with it its rule.
                let expected = says != "rule of the team" || more.is_empty();
                assert_eq!(plan.text.contains(says), expected, "{says}: {}", plan.text);
            }
        }
        scene.workspace.apply().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_is_taken_out_of_the_rule_by_the_same_plan_goes_quietly() {
    for program in Program::current() {
        let scene = applied(&program).await;
        let user = CONFIG.find("resource \"terdut_team\"").expect("the rest");
        let without = CONFIG[user..].replace(
            "{ kind = \"user\", username = terdut_user.eve.username }",
            "{ kind = \"oncall\" }",
        );
        scene.configure(&format!("{KEPT}{without}"));
        let plan = scene.workspace.plan().await;
        assert_eq!(plan.action("terdut_user.eve"), "delete");
        assert_eq!(plan.action("terdut_escalation_rule.main"), "update");
        assert!(!plan.text.contains("Warning"), "{}", plan.text);
        scene.workspace.apply().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_user_is_told_with_those_who_come_near() {
    let rule = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_escalation_rule" "main" {
  team_id = terdut_team.main.id
  levels  = [{ timeout = "5m", targets = [{ kind = "user", username = "Evee" }] }]
}
"#;
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        let eve = json!({ "username": "eve", "email": "eve@example.org" });
        scene.api.post("/api/users", &eve).await;
        scene.workspace.write("main.tf", &format!("{HEAD}{rule}"));
        scene.workspace.init().await;
        let error = scene.workspace.try_apply(&[]).await.expect_error();
        assert!(error.contains("Did you mean \"eve\"?"), "{error}");
    }
}
