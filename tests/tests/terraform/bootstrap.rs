//! A fresh server and everything on it from one configuration.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, Workspace};

use crate::scene::HEAD;

const FROM_NOTHING: &str = r#"
variable "url" {
  type = string
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
}

resource "terdut_team" "main" {
  name = "Platform"
}

resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
"#;

async fn from_nothing(program: &Program) {
    let simulator = Simulator::start(Options::default());
    let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.set_env("TF_VAR_url", simulator.url());
    workspace.write("main.tf", &format!("{HEAD}{FROM_NOTHING}"));
    workspace.init().await;
    workspace.validate().await.expect_ok();
    workspace.apply().await;
    workspace.plan().await.expect_empty();
    let state = workspace.state().await;
    let token = state.value("terdut_server.main", "token").as_str().expect("a token").to_owned();
    let api = Api::new(simulator.url(), &token);
    assert!(api.find("/api/teams", "name", "Platform").await.is_some());
    workspace.destroy().await;
    let (status, _) = api.send(http::Method::GET, "/api/teams", None).await;
    assert_eq!(status, http::StatusCode::UNAUTHORIZED, "the key is revoked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_server_is_set_up_by_every_program() {
    for program in Program::all() {
        from_nothing(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_bootstrapped_already_says_what_to_do() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        Api::bootstrap(simulator.url()).await;
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.set_env("TF_VAR_url", simulator.url());
        workspace.write("main.tf", &format!("{HEAD}{FROM_NOTHING}"));
        workspace.init().await;
        let error = workspace.try_apply(&[]).await.expect_error();
        assert!(error.contains("admin_token"), "{error}");
        assert!(workspace.state().await.resources.is_empty());
    }
}
