//! What a trace shows of each request, and that neither it nor a plan shows a secret of any kind.

use serde_json::Value as Json;
use terdut_simulator::{Fault, Options, Simulator};
use terdut_tests::harness::{Binary, Program, ShownState, Workspace};

use crate::scene::HEAD;

const CANARIES: [&str; 2] = ["canary-password-4711", "canary-header-0815"];

const CONFIG: &str = r#"
variable "url" {
  type = string
}
provider "terdut" {
  alias = "setup"
}
provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
  headers = {
    "X-Gate" = "canary-header-0815"
  }
}
resource "terdut_server" "main" {
  provider             = terdut.setup
  url                  = var.url
  keep_bootstrap_token = true
  bootstrap = {
    username = "root"
    email    = "root@example.org"
    password = "canary-password-4711"
  }
}
resource "terdut_team" "main" {
  name = "Platform"
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

const FOR_ONE_RUN: &str = r#"
provider "terdut" {}
provider "terdut" {
  alias = "run"
  token = ephemeral.terdut_service_account_key.run.token
}
variable "account" {
  type = string
}
ephemeral "terdut_service_account_key" "run" {
  service_account_id = var.account
}
resource "terdut_team" "main" {
  provider = terdut.run
  name     = "Platform"
}
"#;

/// Everything that opens something, in the state and on the server.
fn secrets(state: &ShownState, simulator: &Simulator) -> Vec<String> {
    let text = |address: &str, attribute: &str| match state.value(address, attribute) {
        Json::String(text) => text.clone(),
        other => panic!("{address}.{attribute} is {other}"),
    };
    let mut all = vec![
        text("terdut_server.main", "token"),
        text("terdut_server.main", "bootstrap_token"),
        text("terdut_alert_source.main", "key"),
        text("terdut_alert_source.main", "webhook_url"),
        text("terdut_service_account_key.main", "token"),
    ];
    all.extend(CANARIES.map(str::to_owned));
    all.extend(simulator.state().keys().into_iter().map(|key| key.text));
    all
}

/// What people see of a state, of a plan that changes everything, and of one that fails.
async fn shown(workspace: &mut Workspace) -> String {
    let mut said = workspace.run(&["show", "-no-color"]).await.expect_ok().text();
    let changed = CONFIG.replace("Platform", "Other").replace("\"prod\"", "\"other\"");
    workspace.write("main.tf", &format!("{HEAD}{changed}"));
    said += &workspace.run(&["plan", "-no-color", "-out=plan.bin"]).await.expect_ok().text();
    said += &workspace.run(&["show", "-no-color", "plan.bin"]).await.expect_ok().text();
    workspace.set_env("TERDUT_PROXY", "http://u:canary-header-0815@[");
    said += &workspace.try_plan(&[]).await.text();
    workspace.set_env("TERDUT_PROXY", "");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_tells_of_each_request_and_of_no_secret() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.set_env("TF_VAR_url", simulator.url());
        workspace.set_env("TF_LOG_PROVIDER", "TRACE");
        workspace.set_env("TF_LOG_PATH", "trace.log");
        workspace.write("main.tf", &format!("{HEAD}{CONFIG}"));
        workspace.init().await;
        let mut said = workspace.run(&["plan", "-no-color"]).await.expect_ok().text();
        said += &workspace.apply().await.text();
        simulator.fault(Fault::on("GET", "/api/teams").error(503, "starting"));
        workspace.plan().await.expect_empty();
        let secrets = secrets(&workspace.state().await, &simulator);
        said += &shown(&mut workspace).await;
        said += &workspace.destroy().await.text();

        let log = workspace.file("trace.log");
        let list = |status: &str| {
            log.lines().any(|line| {
                let parts = ["GET", "/api/teams", status, "attempt", "milliseconds"];
                parts.iter().all(|part| line.contains(part))
            })
        };
        assert!(list("503") && list("200"), "{}: no such requests in the trace", program.label());
        assert!(log.contains("/api/teams/{id}/integrations"), "no template of a route");
        for secret in secrets {
            let line = log.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "{}: a secret is in the trace", program.label());
            assert!(!said.contains(&secret), "{}: a secret is shown: {said}", program.label());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_for_one_run_is_in_no_trace_no_file_and_nothing_that_is_shown() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let (account, key) = simulator.state().add_account("ci", None);
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.set_env("TERDUT_URL", simulator.url());
        workspace.set_env("TERDUT_TOKEN", &key.text);
        workspace.set_env("TF_VAR_account", &account.id.to_string());
        workspace.set_env("TF_LOG_PROVIDER", "TRACE");
        workspace.set_env("TF_LOG_PATH", "trace.log");
        workspace.write("main.tf", &format!("{HEAD}{FOR_ONE_RUN}"));
        workspace.init().await;
        // No key is ever closed, so that all of them can be looked for.
        let revoke = Fault::on("DELETE", "/api/service-accounts/{id}/keys/{key_id}").always();
        simulator.fault(revoke.error(500, "not now"));
        let plan = workspace.plan().await;
        let mut said = plan.text + &plan.json.to_string();
        said += &workspace.apply_plan().await.expect_ok().text();
        said += &workspace.try_plan(&[]).await.text();
        let keys: Vec<_> = simulator.state().keys().into_iter().map(|key| key.text).collect();
        assert!(keys.len() >= 3, "one in the plan, one in the apply: {}", keys.len());
        let log = workspace.file("trace.log");
        assert!(log.contains("/api/service-accounts/{id}/keys"), "no template of a route");
        let files = ["terraform.tfstate", "plan.bin"].map(|name| workspace.file(name));
        for key in keys {
            let line = log.lines().find(|line| line.contains(&key));
            assert_eq!(line, None, "{}: a key is in the trace", program.label());
            assert!(!said.contains(&key), "{}: a key is shown: {said}", program.label());
            assert!(!files.iter().any(|file| file.contains(&key)), "{}", program.label());
        }
    }
}
