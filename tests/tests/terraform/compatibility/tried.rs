//! The features, and what it takes to see one work.

use serde_json::json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Program, Run, Workspace};

use super::Outcome;
use crate::scene::{HEAD, Scene};

/// Something that a person may want to use.
pub(super) struct Feature {
    pub(super) name: &'static str,
    configuration: &'static str,
    deed: Deed,
}

/// How it is used.
enum Deed {
    /// Applied, planned empty, destroyed.
    Live,
    /// A team that is out of the state comes back by `import` with this argument.
    Import(&'static str),
    /// It comes back by this block.
    Block(&'static str),
    /// `query` with this file finds the team.
    Query(&'static str),
    /// Applied, then the action is invoked.
    Invoke(&'static str),
    /// The state comes from the other registry's provider.
    ReplaceProvider,
    /// A server's first key is made and used in one apply.
    Bootstrap,
}

const TEAM: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
"#;

const EVERYTHING: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_user" "main" {
  username = "alice"
  email    = "alice@example.com"
}
resource "terdut_escalation_rule" "main" {
  team_id = terdut_team.main.id
  levels  = [{ timeout = "5m", targets = [{ kind = "user", username = terdut_user.main.username }] }]
}
resource "terdut_deadman_switch" "main" {
  team_id = terdut_team.main.id
  name    = "watchdog"
  matcher = "alertname=Watchdog"
  timeout = "15m"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
resource "terdut_service_account" "main" {
  name    = "platform-ci"
  scope   = "team"
  team_id = terdut_team.main.id
}
resource "terdut_service_account_key" "main" {
  service_account_id = terdut_service_account.main.id
  name               = "ci"
}
"#;

const DATA: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
data "terdut_team" "main" {
  id = terdut_team.main.id
}
data "terdut_teams" "all" {
  depends_on = [terdut_team.main]
}
"#;

const FUNCTIONS: &str = r#"
output "matcher" {
  value = provider::terdut::matcher({ alertname = "Watchdog" })
}
"#;

const EPHEMERAL: &str = r#"
data "terdut_service_account" "ci" {
  name = "ci"
}
ephemeral "terdut_service_account_key" "run" {
  service_account_id = data.terdut_service_account.ci.id
}
provider "terdut" {
  alias = "run"
  token = ephemeral.terdut_service_account_key.run.token
}
data "terdut_teams" "all" {
  provider = terdut.run
}
"#;

const BOOTSTRAP: &str = r#"
variable "url" {
  type = string
}
provider "terdut" {
  alias = "setup"
}
resource "terdut_server" "main" {
  provider  = terdut.setup
  url       = var.url
  bootstrap = { username = "admin", email = "admin@example.com" }
}
provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
}
resource "terdut_team" "main" {
  name = "Platform"
}
"#;

const WRITE_ONLY: &str = r#"
variable "url" {
  type = string
}
provider "terdut" {
  alias = "setup"
}
resource "terdut_server" "main" {
  provider = terdut.setup
  url      = var.url
  bootstrap = {
    username            = "admin"
    email               = "admin@example.com"
    password_wo         = "correct horse battery staple"
    password_wo_version = "1"
  }
}
"#;

const ACTION: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
action "terdut_send_test_alert" "main" {
  config {
    webhook_url = terdut_alert_source.main.webhook_url
  }
}
"#;

const TRIGGERED: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.terdut_send_test_alert.main]
    }
  }
}
action "terdut_send_test_alert" "main" {
  config {
    webhook_url = terdut_alert_source.main.webhook_url
  }
}
"#;

const fn feature(name: &'static str, configuration: &'static str, deed: Deed) -> Feature {
    Feature { name, configuration, deed }
}

pub(super) const FEATURES: &[Feature] = &[
    feature("every resource: apply, empty plan, destroy", EVERYTHING, Deed::Live),
    feature("data sources", DATA, Deed::Live),
    feature("a server's first key, made and used in one apply", BOOTSTRAP, Deed::Bootstrap),
    feature("`import` command by id", TEAM, Deed::Import("ID")),
    feature("`import` command by name", TEAM, Deed::Import("name=Platform")),
    feature(
        "`import` block by name",
        TEAM,
        Deed::Block("import {\n  to = terdut_team.main\n  id = \"name=Platform\"\n}\n"),
    ),
    feature(
        "`import` block by identity",
        TEAM,
        Deed::Block("import {\n  to = terdut_team.main\n  identity = {\n    id = \"ID\"\n  }\n}\n"),
    ),
    feature("a state of the other registry's provider", TEAM, Deed::ReplaceProvider),
    feature("functions", FUNCTIONS, Deed::Live),
    feature("write-only values", WRITE_ONLY, Deed::Bootstrap),
    feature("ephemeral keys", EPHEMERAL, Deed::Live),
    feature(
        "list resources (`query`)",
        TEAM,
        Deed::Query("list \"terdut_team\" \"all\" {\n  provider = terdut\n}\n"),
    ),
    feature("actions, invoked", ACTION, Deed::Invoke("action.terdut_send_test_alert.main")),
    feature("actions, triggered by a resource", TRIGGERED, Deed::Live),
];

/// Tries a feature. Anything but a refusal that the program explains is a panic.
pub(super) async fn attempt(feature: &Feature, program: &Program) -> Outcome {
    if matches!(feature.deed, Deed::Bootstrap) {
        return bootstrap(feature, program).await;
    }
    let scene = Scene::start(program).await;
    // Whose key a run may take.
    let account = json!({ "name": "ci", "scope": "instance" });
    scene.api.post("/api/service-accounts", &account).await;
    scene.configure(feature.configuration);
    done(&scene, &feature.deed).await
}

async fn bootstrap(feature: &Feature, program: &Program) -> Outcome {
    let simulator = Simulator::start(Options::default());
    let binary = terdut_tests::harness::Binary::provider();
    let mut workspace = Workspace::new(program, &binary, "terdut");
    workspace.set_env("TF_VAR_url", simulator.url());
    workspace.write("main.tf", &format!("{HEAD}{}", feature.configuration));
    lived(&workspace).await
}

async fn done(scene: &Scene, deed: &Deed) -> Outcome {
    let workspace = &scene.workspace;
    match deed {
        Deed::Live | Deed::Bootstrap => lived(workspace).await,
        Deed::Import(id) => {
            let id = away(workspace, id).await?;
            said(workspace.import("terdut_team.main", &id).await)?;
            settled(workspace).await
        }
        Deed::Block(block) => {
            let block = away(workspace, block).await?;
            workspace.write("import.tf", &block);
            settled(workspace).await
        }
        Deed::Query(file) => {
            applied(workspace).await?;
            workspace.write("all.tfquery.hcl", file);
            let run = said(workspace.run(&["query", "-no-color"]).await)?;
            assert!(run.stdout.contains("Platform"), "{}", run.text());
            Ok(())
        }
        Deed::Invoke(address) => {
            applied(workspace).await?;
            let invoke = format!("-invoke={address}");
            said(workspace.try_apply(&[&invoke]).await).map(drop)
        }
        Deed::ReplaceProvider => replaced(workspace).await,
    }
}

async fn applied(workspace: &Workspace) -> Outcome {
    said(workspace.run(&["init", "-no-color", "-input=false"]).await)?;
    said(workspace.try_apply(&[]).await).map(drop)
}

/// Applied, and then the plan is empty.
async fn settled(workspace: &Workspace) -> Outcome {
    applied(workspace).await?;
    workspace.plan().await.expect_empty();
    Ok(())
}

async fn lived(workspace: &Workspace) -> Outcome {
    settled(workspace).await?;
    said(workspace.run(&["destroy", "-no-color", "-input=false", "-auto-approve"]).await).map(drop)
}

/// Makes a team and takes it out of the state; in the text `ID` becomes its id.
async fn away(workspace: &Workspace, text: &str) -> Result<String, String> {
    applied(workspace).await?;
    let state = workspace.state().await;
    let id = state.value("terdut_team.main", "id").as_str().expect("an id").to_owned();
    said(workspace.run(&["state", "rm", "terdut_team.main"]).await)?;
    Ok(text.replace("ID", &id))
}

async fn replaced(workspace: &Workspace) -> Outcome {
    applied(workspace).await?;
    let hosts = ["registry.terraform.io", "registry.opentofu.org"];
    let state = workspace.file("terraform.tfstate");
    let [own, other] = if state.contains(hosts[0]) { hosts } else { [hosts[1], hosts[0]] };
    workspace.write("terraform.tfstate", &state.replace(own, other));
    let address = |host: &str| format!("{host}/ryuvia/terdut");
    let (from, to) = (address(other), address(own));
    let arguments = ["state", "replace-provider", "-auto-approve", &from, &to];
    said(workspace.run(&arguments).await)?;
    settled(workspace).await
}

/// The run, or the first words of its refusal.
fn said(run: Run) -> Result<Run, String> {
    if run.ok {
        return Ok(run);
    }
    let lines = || run.stderr.lines().chain(run.stdout.lines()).map(strip);
    let mut errors = lines().filter_map(|line| line.split_once("Error: ").map(|(_, text)| text));
    // A configuration that cannot be read has this in front of what is wrong with it.
    let error = errors.find(|error| !error.starts_with("Terraform encountered problems"));
    let first = error.or_else(|| lines().find(|line| !line.is_empty()));
    Err(first.unwrap_or("it failed without a word").trim().to_owned())
}

/// A line without the frame that is drawn around errors.
fn strip(line: &str) -> &str {
    line.trim_start_matches(['│', '╷', '╵', ' ']).trim()
}
