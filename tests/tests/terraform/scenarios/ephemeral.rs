//! A key for one run: made in each plan and apply, gone after them, and in no file.

use terdut_simulator::Simulator;
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::scene::HEAD;

const KEY: &str = r#"
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
  name_suffix        = "ci"
}
resource "terdut_team" "main" {
  provider = terdut.run
  name     = "Platform"
}
"#;

const WRONG: &str = r#"
ephemeral "terdut_service_account_key" "run" {
  service_account_id = "seven"
  name_suffix        = "a b"
  max_age            = "5m"
}
"#;

/// A workspace that may use the simulator with an instance key of the account.
async fn workspace(program: &Program, simulator: &Simulator, text: &str) -> Workspace {
    let (account, key) = simulator.state().add_account("ci", None);
    let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.write("main.tf", &format!("{HEAD}{text}"));
    workspace.set_env("TERDUT_URL", simulator.url());
    workspace.set_env("TERDUT_TOKEN", &key.text);
    workspace.set_env("TF_VAR_account", &account.id.to_string());
    workspace.init().await;
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lives_as_long_as_a_run_and_is_in_no_file() {
    for program in Program::current() {
        let simulator = Simulator::start(terdut_simulator::Options::default());
        let workspace = workspace(&program, &simulator, KEY).await;
        let keys = simulator.state().keys();
        let owner = keys[0].owner;
        let (old, young) = ("tf-ephemeral-1000000000-0000002a-ci", "tf-ephemeral-mine");
        simulator.state().add_key(owner, old);
        let mine = simulator.state().add_key(owner, young);
        workspace.apply().await;
        let left: Vec<_> = simulator.state().keys().iter().map(|key| key.id).collect();
        assert_eq!(left, [keys[0].id, mine.id], "the old one and the run's own are gone");
        let made = simulator.count("POST", "/api/service-accounts/{id}/keys");
        assert!(made >= 2, "one in the plan, one in the apply: {made}");
        let written = workspace.file("terraform.tfstate");
        let key =
            written.split(|letter: char| !letter.is_ascii_hexdigit()).find(|it| it.len() == 64);
        assert_eq!(key, None, "no key is in the state");
        let shown: serde_json::Value = serde_json::from_str(&written).expect("a state is JSON");
        assert_eq!(shown["resources"].as_array().map(Vec::len), Some(1), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_key_for_a_run_is_told_in_one_go() {
    for program in Program::current() {
        let workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.write("main.tf", &format!("{HEAD}{WRONG}"));
        workspace.init().await;
        let error = workspace.validate().await.expect_error();
        for place in ["service_account_id", "name_suffix", "max_age"] {
            assert!(error.contains(&format!("Invalid {place}")), "{place}: {error}");
        }
    }
}
