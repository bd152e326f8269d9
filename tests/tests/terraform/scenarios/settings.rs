//! The provider's settings: nowhere, missing, and not known before the apply.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::scene::HEAD;

const TEAM: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
"#;

const FED: &str = r#"
variable "url" {
  type = string
}
variable "generation" {
  type    = string
  default = "1"
}
provider "terdut" {
  alias = "setup"
}
provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
}
resource "terdut_server" "main" {
  provider = terdut.setup
  url      = var.url
  bootstrap = {
    username = "root"
    email    = "root@example.org"
    password = "correct-horse-battery"
  }
  rotate_when_changed = { generation = var.generation }
}
resource "terdut_team" "main" {
  name = "Platform"
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
"#;

fn workspace(program: &Program, text: &str) -> Workspace {
    let workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.write("main.tf", &format!("{HEAD}{text}"));
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn validate_needs_no_setting_and_first_use_names_what_is_missing() {
    for program in Program::all() {
        let mut workspace = workspace(&program, TEAM);
        workspace.init().await;
        workspace.validate().await.expect_ok();
        let error = workspace.try_apply(&[]).await.expect_error();
        assert!(error.contains("TERDUT_URL") && error.contains("TERDUT_TOKEN"), "{error}");
        workspace.set_env("TERDUT_URL", "http://127.0.0.1:9");
        let error = workspace.try_apply(&[]).await.expect_error();
        assert!(!error.contains("TERDUT_URL") && error.contains("TERDUT_TOKEN"), "{error}");
    }
}

async fn fed_by_the_same_configuration(program: &Program) {
    let simulator = Simulator::start(Options::default());
    let mut workspace = workspace(program, FED);
    workspace.set_env("TF_VAR_url", simulator.url());
    workspace.init().await;
    let plan = workspace.plan().await;
    assert!(plan.changes.values().all(|change| change.action() == "create"), "{}", plan.text);
    workspace.apply_plan().await.expect_ok();
    workspace.plan().await.expect_empty();

    // The token is unknown again: what is below it is neither read nor changed.
    workspace.set_env("TF_VAR_generation", "2");
    let plan = workspace.plan().await;
    for (address, change) in &plan.changes {
        let wanted = if address == "terdut_server.main" { "update" } else { "no-op" };
        assert_eq!(change.action(), wanted, "{address}: {}", plan.text);
    }
    workspace.apply_plan().await.expect_ok();
    workspace.plan().await.expect_empty();

    // And with a change below it in the same run.
    workspace.set_env("TF_VAR_generation", "3");
    workspace.write("main.tf", &format!("{HEAD}{}", FED.replace("\"Platform\"", "\"Core\"")));
    let plan = workspace.plan().await;
    assert_eq!(plan.action("terdut_team.main"), "update", "{}", plan.text);
    assert_eq!(plan.action("terdut_deadman_switch.main"), "no-op", "{}", plan.text);
    workspace.apply_plan().await.expect_ok();
    workspace.plan().await.expect_empty();
    assert!(simulator.state().team_named("Core").is_some());

    workspace.set_env("TF_VAR_generation", "4");
    workspace.destroy().await;
    assert_eq!(simulator.state().team_count(), 0);
    assert!(workspace.state().await.resources.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_may_come_from_the_same_configuration() {
    let mut programs = Program::current();
    programs.extend(Program::oldest());
    for program in programs {
        fed_by_the_same_configuration(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_up_that_comes_too_early_says_what_to_do() {
    const LOOK_UP: &str = "data \"terdut_team\" \"main\" {\n  name = \"Platform\"\n}\n";
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let mut workspace = workspace(&program, &format!("{FED}{LOOK_UP}"));
        workspace.set_env("TF_VAR_url", simulator.url());
        workspace.init().await;
        let error = workspace.try_plan(&[]).await.expect_error();
        assert!(error.contains("depends_on") && error.contains("token"), "{error}");
    }
}
