//! Every kind in one configuration: create, change, import, destroy.

use serde_json::Value as Json;
use terdut_tests::harness::Program;

use crate::scene::Scene;

const EVERY_KIND: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
  oidc = {
    member_group = "platform"
  }
}

resource "terdut_user" "ada" {
  username   = "ada"
  email      = "Ada@example.org"
  ntfy_topic = "ada-pages"
}

resource "terdut_escalation_rule" "main" {
  team_id        = terdut_team.main.id
  repeat_count   = 2
  fallback_topic = ""
  levels = [
    { timeout = "60m", targets = [{ kind = "oncall" }] },
    { timeout = "10m", targets = [{ kind = "user", username = terdut_user.ada.username }] },
  ]
}

resource "terdut_deadman_switch" "main" {
  team_id = terdut_team.main.id
  name    = "watchdog"
  matcher = "env=prod, alertname=Watchdog"
  timeout = "90m"
}

resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}

resource "terdut_service_account" "ci" {
  name    = "ci"
  scope   = "team"
  team_id = terdut_team.main.id
}

resource "terdut_service_account_key" "ci" {
  service_account_id = terdut_service_account.ci.id
  name               = "deploy"

  lifecycle {
    create_before_destroy = true
  }
}
"#;

/// What is replaced in the text, at which address it is seen, and as what.
const CHANGES: [(&str, &str, &str, &str); 8] = [
    ("\"Platform\"", "\"Platform 2\"", "terdut_team.main", "update"),
    ("member_group = \"platform\"", "owner_group = \"owners\"", "terdut_team.main", "update"),
    ("\"ada-pages\"", "null", "terdut_user.ada", "update"),
    ("repeat_count   = 2", "repeat_count   = 3", "terdut_escalation_rule.main", "update"),
    ("\"90m\"", "\"2h\"", "terdut_deadman_switch.main", "replace"),
    ("name    = \"prod\"", "name    = \"prod-2\"", "terdut_alert_source.main", "update"),
    ("\"deploy\"", "\"deploy-2\"", "terdut_service_account_key.ci", "replace"),
    ("name    = \"ci\"", "name    = \"ci-2\"", "terdut_service_account.ci", "replace"),
];

/// Other words for the same.
const RESPELT: [(&str, &str); 4] = [
    ("\"60m\"", "\"1h\""),
    ("\"env=prod, alertname=Watchdog\"", "\"alertname=Watchdog,env=prod\""),
    ("\"90m\"", "\"1h30m\""),
    ("\"Ada@example.org\"", "\"ada@example.org\""),
];

async fn life_cycle(program: &Program) {
    let scene = Scene::start(program).await;
    scene.configure(EVERY_KIND);
    scene.workspace.init().await;
    scene.workspace.validate().await.expect_ok();
    scene.workspace.apply().await;
    scene.workspace.plan().await.expect_empty();
    for (from, to) in RESPELT {
        assert!(EVERY_KIND.contains(from), "{from}");
        scene.configure(&EVERY_KIND.replace(from, to));
        scene.workspace.plan().await.expect_empty();
    }
    for (from, to, address, action) in CHANGES {
        assert!(EVERY_KIND.contains(from), "{from}");
        scene.configure(&EVERY_KIND.replace(from, to));
        let plan = scene.workspace.plan().await;
        assert_eq!(plan.action(address), action, "{from} to {to}: {}", plan.text);
        scene.workspace.apply_plan().await.expect_ok();
        scene.workspace.plan().await.expect_empty();
        scene.configure(EVERY_KIND);
        scene.workspace.apply().await;
    }
    imports(&scene).await;
    scene.workspace.destroy().await;
    let left = scene.simulator.state();
    assert_eq!((left.team_count(), left.accounts().len(), left.users().len()), (0, 0, 1));
}

/// Takes everything into an empty state, by the command, and finds nothing to do.
async fn imports(scene: &Scene) {
    let state = scene.workspace.state().await;
    let value = |address: &str, attribute: &str| match state.value(address, attribute) {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let team = value("terdut_team.main", "id");
    let below = |address: &str| format!("{team}/{}", value(address, "id"));
    let account = value("terdut_service_account.ci", "id");
    let key = format!("{account}/{}", value("terdut_service_account_key.ci", "id"));
    scene.workspace.forget_state();
    for (address, id) in [
        ("terdut_team.main", "name=Platform".to_owned()),
        ("terdut_user.ada", "name=ada".to_owned()),
        ("terdut_escalation_rule.main", team.clone()),
        ("terdut_deadman_switch.main", "name=Platform/name=watchdog".to_owned()),
        ("terdut_alert_source.main", below("terdut_alert_source.main")),
        ("terdut_service_account.ci", account.clone()),
        ("terdut_service_account_key.ci", key),
    ] {
        scene.workspace.import(address, &id).await.expect_ok();
    }
    // The API does not tell "" from nothing: one update in place, which needs no call.
    let plan = scene.workspace.plan().await;
    let busy = plan.changes.iter().filter(|(_, change)| change.action() != "no-op");
    let busy: Vec<_> = busy.map(|(address, change)| (address.as_str(), change.action())).collect();
    assert_eq!(busy, [("terdut_escalation_rule.main", "update")], "{}", plan.text);
    let writes = || scene.simulator.requests().iter().filter(|seen| seen.writes()).count();
    let before = writes();
    scene.workspace.apply_plan().await.expect_ok();
    assert_eq!(writes(), before, "the update calls the server");
    scene.workspace.plan().await.expect_empty();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_lives_in_terraform() {
    if let Some(program) = Program::terraform() {
        life_cycle(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_lives_in_opentofu() {
    if let Some(program) = Program::opentofu() {
        life_cycle(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_lives_in_the_oldest_terraform() {
    if let Some(program) = Program::oldest() {
        life_cycle(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_block_by_identity_leads_to_a_quiet_plan() {
    for program in Program::all().into_iter().filter(Program::has_identity) {
        let scene = Scene::start(&program).await;
        let id = scene.api.team("Platform").await;
        scene.configure(&format!(
            "resource \"terdut_team\" \"main\" {{\n  name = \"Platform\"\n}}\n\
             import {{\n  to = terdut_team.main\n  identity = {{ id = \"{id}\" }}\n}}\n"
        ));
        scene.workspace.init().await;
        scene.workspace.apply().await;
        scene.workspace.plan().await.expect_empty();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_deleted_outside_takes_its_children_with_it_in_one_plan() {
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        scene.configure(EVERY_KIND);
        scene.workspace.init().await;
        scene.workspace.apply().await;
        let team = scene.workspace.state().await.value("terdut_team.main", "id").clone();
        let team = team.as_str().expect("an id");
        scene.api.delete(&format!("/api/teams/{team}")).await;
        let plan = scene.workspace.plan().await;
        for address in [
            "terdut_team.main",
            "terdut_escalation_rule.main",
            "terdut_deadman_switch.main",
            "terdut_alert_source.main",
        ] {
            assert_eq!(plan.action(address), "create", "{address}: {}", plan.text);
        }
        scene.workspace.apply_plan().await.expect_ok();
        scene.workspace.plan().await.expect_empty();
    }
}
