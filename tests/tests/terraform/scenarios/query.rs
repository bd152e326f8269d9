//! `terraform query`: what is on a server, and the way from a list to a configuration that manages
//! it.

use serde_json::{Value as Json, json};
use terdut_tests::harness::{Program, Workspace};

use crate::scene::Scene;

const LISTS: &str = r#"
list "terdut_team" "all" {
  provider = terdut
}
list "terdut_user" "all" {
  provider = terdut
}
list "terdut_escalation_rule" "all" {
  provider = terdut
}
list "terdut_deadman_switch" "all" {
  provider = terdut
}
list "terdut_alert_source" "prod" {
  provider         = terdut
  include_resource = true
  config {
    name_prefix = "prod"
  }
}
list "terdut_service_account" "team" {
  provider = terdut
  config {
    scope = "team"
  }
}
list "terdut_service_account_key" "team" {
  provider = terdut
  config {
    scope = "team"
  }
}
"#;

const ADOPTED: &str = r#"
list "terdut_team" "all" {
  provider         = terdut
  include_resource = true
}
list "terdut_deadman_switch" "all" {
  provider         = terdut
  include_resource = true
}
list "terdut_escalation_rule" "all" {
  provider         = terdut
  include_resource = true
}
"#;

/// A server that somebody has clicked together.
async fn furnish(scene: &Scene) -> String {
    let team = scene.api.team("Platform").await;
    scene.api.team("Data").await;
    let below = |path: &str| format!("/api/teams/{team}/{path}");
    for name in ["prod", "prod-2", "dev"] {
        let source = json!({ "kind": "alertmanager", "name": name });
        scene.api.post(&below("integrations"), &source).await;
    }
    let switch = json!({
        "name": "watchdog", "matcher": "alertname=Watchdog", "timeout": "15m", "severity": "critical"
    });
    scene.api.post(&below("deadman-switches"), &switch).await;
    let levels = json!([{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }]);
    let policy = json!({ "team_id": team, "repeat_count": 1, "levels": levels });
    scene.api.put(&below("escalation"), &policy).await;
    let account = json!({ "name": "ci", "scope": "team", "team_id": team });
    scene.api.post("/api/service-accounts", &account).await;
    team.to_string()
}

/// A workspace whose lists are these.
async fn asking(scene: &Scene, lists: &str) -> String {
    scene.configure("provider \"terdut\" {}\n");
    scene.workspace.write("all.tfquery.hcl", lists);
    scene.workspace.init().await;
    furnish(scene).await
}

/// What `query -json` found: addresses with what stands there.
async fn found(workspace: &Workspace) -> Vec<(String, Json)> {
    let run = workspace.run(&["query", "-json"]).await.expect_ok();
    let lines = run.stdout.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let found = lines.filter(|line| line["type"] == "list_resource_found");
    let item = |line: Json| {
        let found = line["list_resource_found"].clone();
        (found["address"].as_str().unwrap_or_default().to_owned(), found)
    };
    found.map(item).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_is_listed_with_names_and_identities() {
    for program in &Program::with_query_and_actions() {
        let scene = Scene::start(program).await;
        let team = asking(&scene, LISTS).await;
        let found = found(&scene.workspace).await;
        let names = |address: &str| -> Vec<&str> {
            let there = found.iter().filter(|(at, _)| at == address);
            there.filter_map(|(_, found)| found["display_name"].as_str()).collect()
        };
        assert_eq!(names("list.terdut_team.all"), ["Platform", "Data"]);
        assert_eq!(names("list.terdut_user.all").len(), 1);
        assert_eq!(names("list.terdut_escalation_rule.all"), ["Platform"]);
        assert_eq!(names("list.terdut_deadman_switch.all"), ["Platform/watchdog"]);
        assert_eq!(names("list.terdut_alert_source.prod"), ["Platform/prod", "Platform/prod-2"]);
        assert_eq!(names("list.terdut_service_account.team"), ["ci"]);
        assert_eq!(names("list.terdut_service_account_key.team").len(), 1);
        let source = found.iter().find(|(at, _)| at == "list.terdut_alert_source.prod");
        let source = &source.expect("a source").1;
        assert_eq!(source["identity"]["url"], json!(scene.api.base()), "{source}");
        assert_eq!(source["identity"]["team_id"], json!(team), "{source}");
        assert_eq!(source["resource_object"]["name"], json!("prod"), "{source}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_is_adopted_by_the_configuration_that_query_writes() {
    for program in &Program::with_query_and_actions() {
        let scene = Scene::start(program).await;
        asking(&scene, ADOPTED).await;
        let writes = || scene.simulator.requests().iter().filter(|seen| seen.writes()).count();
        let before = writes();
        let generate = ["query", "-no-color", "-generate-config-out=generated.tf"];
        scene.workspace.run(&generate).await.expect_ok();
        let written = scene.workspace.file("generated.tf");
        assert_eq!(written.matches("import {").count(), 4, "{written}");
        scene.workspace.remove("all.tfquery.hcl");
        let applied = scene.workspace.apply().await.text();
        assert!(applied.contains("4 imported, 0 added, 0 changed, 0 destroyed"), "{applied}");
        scene.workspace.plan().await.expect_empty();
        assert_eq!(writes(), before, "nothing on the server was changed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_without_settings_names_them() {
    for program in &Program::with_query_and_actions() {
        let mut scene = Scene::start(program).await;
        asking(&scene, LISTS).await;
        scene.workspace.set_env("TERDUT_TOKEN", "");
        let error = scene.workspace.run(&["query", "-no-color"]).await.expect_error();
        assert!(error.contains("TERDUT_TOKEN"), "{error}");
        scene.workspace.write(
            "all.tfquery.hcl",
            "list \"terdut_alert_source\" \"bad\" {\n  provider = terdut\n  config {\n    \
             team_id = \"seven\"\n  }\n}\n",
        );
        let error = scene.workspace.run(&["query", "-no-color"]).await.expect_error();
        assert!(error.contains("Invalid team_id"), "{error}");
    }
}
