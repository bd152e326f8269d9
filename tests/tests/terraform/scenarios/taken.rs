//! Names that are taken already, by others or by the same configuration.

use serde_json::json;
use terdut_tests::harness::{Program, Run};

use crate::scene::Scene;

const ADDRESSES: [&str; 6] = [
    "terdut_team.main",
    "terdut_user.main",
    "terdut_deadman_switch.main",
    "terdut_alert_source.main",
    "terdut_service_account.main",
    "terdut_escalation_rule.main",
];

/// Everything as somebody else made it; the ids by which it is imported.
async fn made_by_hand(scene: &Scene) -> (i64, Vec<(&'static str, String)>) {
    let api = &scene.api;
    let home = api.team("Home").await;
    let below = |what: &str| format!("/api/teams/{home}/{what}");
    let team = api.team("Platform").await;
    let person = json!({ "username": "ada", "email": "ada@example.org" });
    let user = api.id_of("/api/users", &person).await;
    let switch = json!({
        "name": "watchdog", "matcher": "alertname=Watchdog", "timeout": "1h0m0s",
        "severity": "critical",
    });
    let switch = api.id_of(&below("deadman-switches"), &switch).await;
    let source = json!({ "kind": "alertmanager", "name": "prod" });
    let source = api.post(&below("integrations"), &source).await;
    let source = if source["id"].is_i64() { source } else { source["integration"].clone() };
    api.post("/api/service-accounts", &json!({ "name": "ci", "scope": "instance" })).await;
    let account = api.find("/api/service-accounts", "name", "ci").await.expect("it was made");
    let level = json!({ "timeout": "5m0s", "targets": [{ "kind": "oncall", "user_id": null }] });
    let policy = json!({ "repeat_count": 7, "fallback_topic": null, "levels": [level] });
    api.put(&below("escalation"), &policy).await;
    let ids = [
        team.to_string(),
        user.to_string(),
        format!("{home}/{switch}"),
        format!("{home}/{}", source["id"]),
        account["id"].to_string(),
        home.to_string(),
    ];
    (home, ADDRESSES.into_iter().zip(ids).collect())
}

/// The configuration of the same objects; the policy differs in what can be changed.
fn configuration(home: i64, more: &str) -> String {
    format!(
        r#"
resource "terdut_team" "main" {{
  name = "Platform"
  {more}
}}
resource "terdut_user" "main" {{
  username = "ada"
  email    = "Ada@example.org"
  {more}
}}
resource "terdut_deadman_switch" "main" {{
  team_id = "{home}"
  name    = "watchdog"
  matcher = "alertname = Watchdog"
  timeout = "60m"
  {more}
}}
resource "terdut_alert_source" "main" {{
  team_id = "{home}"
  name    = "prod"
  {more}
}}
resource "terdut_service_account" "main" {{
  name  = "ci"
  scope = "instance"
  {more}
}}
resource "terdut_escalation_rule" "main" {{
  team_id = "{home}"
  levels  = [{{ timeout = "10m", targets = [{{ kind = "oncall" }}] }}]
  {more}
}}
"#
    )
}

/// The import blocks of a command's errors, as a person copies them out of the frame.
fn import_blocks(run: &Run) -> Vec<String> {
    let plain: Vec<_> = run.stderr.lines().map(|line| line.replace('│', "")).collect();
    let starts = plain.iter().enumerate().filter(|(_, line)| line.trim() == "import {");
    let blocks = starts.map(|(start, _)| {
        let end = plain[start..].iter().position(|line| line.trim() == "}").expect("it ends");
        plain[start..=start + end].join("\n")
    });
    blocks.map(|block| block.replace("NAME", "main")).collect()
}

async fn taken(program: &Program) {
    let scene = Scene::start(program).await;
    let (home, ids) = made_by_hand(&scene).await;
    let config = configuration(home, "");
    scene.configure(&config);
    scene.workspace.init().await;
    let before = scene.simulator.state().teams();
    let run = scene.workspace.try_apply(&[]).await;
    assert!(!run.ok, "{}", run.stdout);
    let blocks = import_blocks(&run);
    for (address, id) in &ids {
        let named =
            |block: &&String| block.contains(address) && block.contains(&format!("\"{id}\""));
        assert!(blocks.iter().any(|block| named(&block)), "{address} {id}: {}", run.stderr);
    }
    assert_eq!(scene.simulator.state().teams(), before, "something was changed unasked");
    assert!(scene.workspace.state().await.resources.is_empty());

    scene.configure(&format!("{config}\n{}\n", blocks.join("\n")));
    scene.workspace.apply().await;
    scene.configure(&config);
    scene.workspace.plan().await.expect_empty();

    scene.workspace.forget_state();
    scene.configure(&configuration(home, "adopt_existing = true"));
    let adopted = scene.workspace.apply().await;
    assert!(adopted.text().contains("key"), "nobody says that the key is not known");
    scene.workspace.plan().await.expect_empty();
    let state = scene.workspace.state().await;
    assert!(state.value("terdut_alert_source.main", "key").is_null());
    assert_eq!(scene.simulator.state().team_count(), before.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_name_is_imported_by_the_block_in_the_error_or_adopted() {
    for program in Program::all() {
        taken(&program).await;
    }
}

/// The permission to take over what is there does not make one object two resources'.
const ADOPT: &str = "adopt_existing = true";

#[tokio::test(flavor = "multi_thread")]
async fn two_resources_of_one_name_fail_clearly_and_one_object_exists() {
    for (program, more) in
        Program::current().into_iter().flat_map(|it| [(it.clone(), ""), (it, ADOPT)])
    {
        let scene = Scene::start(&program).await;
        let home = scene.api.team("Home").await;
        let all = configuration(home, more);
        scene.configure(&format!("{all}{}", all.replace("\"main\"", "\"twin\"")));
        scene.workspace.init().await;
        let error = scene.workspace.try_apply(&[]).await.expect_error();
        for noun in ["\"Platform\"", "\"ada\"", "\"watchdog\"", "\"prod\"", "\"ci\"", "rule"] {
            assert!(error.contains(noun), "{noun}: {error}");
        }
        let seen = scene.simulator.state();
        assert_eq!((seen.team_count(), seen.accounts().len(), seen.users().len()), (2, 1, 2));
        let home = seen.team(home).expect("it is there");
        assert_eq!((home.switches.len(), home.integrations.len()), (1, 1));
        assert_eq!(scene.workspace.state().await.resources.len(), ADDRESSES.len());
    }
}
