//! Every configuration of a guide is applied as it stands, then planned empty, then destroyed; and
//! what a guide says of it comes about.
//!
//! The folder is the list, as with the other examples. What a configuration needs to find is told
//! by what is in it ([`Stage`]); a folder with a `.tofu` file is OpenTofu's alone.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Product, Program, Workspace};

use super::examples::{examples, folders, furnished, workspace};

const PASSPHRASE: &str = "sixteen characters or more";

/// What has to be there before a configuration is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A server without any key.
    Empty,
    /// A server and an admin key.
    Keyed,
    /// The same with objects to look up, to import and to adopt.
    Furnished,
    /// The same with the key of the one team.
    OneTeam,
}

impl Stage {
    fn of(folder: &Path) -> Self {
        let text = text(folder);
        let has = |part: &str| text.contains(part);
        if has("bootstrap = {") {
            Self::Empty
        } else if has("variable \"team_id\"") {
            Self::OneTeam
        } else if has("\nimport {") || has("adopt_existing = true") || has("data \"terdut_") {
            Self::Furnished
        } else {
            Self::Keyed
        }
    }

    /// The key that a configuration is applied with, if it needs one.
    async fn prepare(self, simulator: &Simulator) -> Option<Api> {
        match self {
            Self::Empty => None,
            Self::Keyed => Some(Api::bootstrap(simulator.url()).await),
            Self::Furnished => Some(furnished(simulator).await),
            Self::OneTeam => Some(of_the_team(&furnished(simulator).await).await),
        }
    }
}

/// The files of a folder, one after another.
fn text(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the folder of a guide");
    let paths = entries.map(|entry| entry.expect("a file of the guide").path());
    paths.map(|path| fs::read_to_string(path).expect("a configuration")).collect()
}

/// The same server with a key of the furnished team.
async fn of_the_team(api: &Api) -> Api {
    let account = api.find("/api/service-accounts", "name", "platform-ci").await;
    let account = account.expect("the furnished account");
    let path = format!("/api/service-accounts/{}/keys", account["id"]);
    let key = api.post(&path, &json!({ "name": "guide" })).await;
    Api::new(api.base(), key["key"].as_str().expect("a key"))
}

fn guide(name: &str) -> PathBuf {
    examples().join("guides").join(name)
}

fn is_for(folder: &Path, program: &Program) -> bool {
    let entries = fs::read_dir(folder).expect("the folder of a guide");
    let mut paths = entries.map(|entry| entry.expect("a file of the guide").path());
    let tofu_only = paths.any(|path| path.extension().is_some_and(|it| it == "tofu"));
    !tofu_only || program.product() == Product::OpenTofu
}

/// A folder's configuration, ready for `apply`.
async fn prepared(
    program: &Program,
    simulator: &Simulator,
    folder: &Path,
    api: Option<&Api>,
) -> Workspace {
    let mut workspace = workspace(program, simulator, folder);
    workspace.set_env("TF_VAR_state_passphrase", PASSPHRASE);
    if let Some(api) = api {
        workspace.set_env("TERDUT_URL", api.base());
        workspace.set_env("TERDUT_TOKEN", api.token());
    }
    workspace.init().await;
    workspace
}

/// The id of the team that the furnished server has.
fn team_id(simulator: &Simulator) -> String {
    let teams = simulator.state().teams();
    teams.first().expect("the furnished team").team.id.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_configuration_of_a_guide_is_applied() {
    for program in Program::current() {
        for folder in folders("guides").iter().filter(|folder| is_for(folder, &program)) {
            let simulator = Simulator::start(Options::default());
            let stage = Stage::of(folder);
            let api = stage.prepare(&simulator).await;
            let mut workspace = prepared(&program, &simulator, folder, api.as_ref()).await;
            if stage == Stage::OneTeam {
                workspace.set_env("TF_VAR_team_id", &team_id(&simulator));
            }
            workspace.apply().await;
            workspace.plan().await.expect_empty();
            workspace.destroy().await;
        }
    }
}

#[test]
fn every_configuration_is_shown_by_a_guide() {
    let shown = text(&examples().join("../templates/guides"));
    for folder in folders("guides") {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy();
        let path = format!("examples/guides/{name}/");
        assert!(shown.contains(&path), "no guide shows {path}");
    }
}

/// A state that is there in clear is encrypted by one apply, and nothing in clear is written after.
#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_encrypted_as_the_guide_says() {
    let Some(program) = Program::opentofu() else { return };
    let simulator = Simulator::start(Options::default());
    let api = Api::bootstrap(simulator.url()).await;
    let folder = guide("encrypted-state");
    let workspace = prepared(&program, &simulator, &folder, Some(&api)).await;
    let encrypted = workspace.file("encryption.tofu");
    workspace.remove("encryption.tofu");
    workspace.apply().await;
    assert!(workspace.file("terraform.tfstate").contains("Platform"));
    let migrating = fs::read_to_string(guide("encrypting-a-state").join("encryption.tofu"));
    workspace.write("encryption.tofu", &migrating.expect("the configuration with a fallback"));
    workspace.apply().await;
    workspace.write("encryption.tofu", &encrypted);
    workspace.plan().await.expect_empty();
    let state = workspace.file("terraform.tfstate");
    assert!(state.contains("encrypted_data") && !state.contains("Platform"), "{state}");
    workspace.destroy().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_password_is_in_no_state_and_no_plan() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let folder = guide("getting-started");
        let workspace = prepared(&program, &simulator, &folder, None).await;
        // With a saved plan, as a pipeline does it.
        workspace.plan().await;
        let plan = workspace.run(&["show", "-json", "-no-color", "plan.bin"]).await.expect_ok();
        assert!(plan.stdout.contains("server_url") && !plan.stdout.contains("correct horse"));
        workspace.apply_plan().await.expect_ok();
        assert!(!workspace.file("terraform.tfstate").contains("correct horse"));
        workspace.destroy().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_quarter_makes_new_keys_before_the_old_ones_go() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let folder = guide("rotating-keys");
        let mut workspace = prepared(&program, &simulator, &folder, Some(&api)).await;
        workspace.apply().await;
        let before = workspace.state().await;
        workspace.set_env("TF_VAR_quarter", "2027-Q1");
        let applied = workspace.apply().await.text();
        assert!(applied.contains("(deposed object"), "{applied}");
        assert!(!applied.contains("Others have the same name"), "{applied}");
        let after = workspace.state().await;
        for (address, secret) in [
            ("terdut_service_account_key.ci", "token"),
            ("terdut_alert_source.prod", "webhook_url"),
        ] {
            assert_ne!(before.value(address, secret), after.value(address, secret), "{address}");
        }
        workspace.plan().await.expect_empty();
        workspace.destroy().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_is_handed_over_to_kubernetes_stays() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let folder = guide("kubernetes-and-terraform");
        let workspace = prepared(&program, &simulator, &folder, Some(&api)).await;
        workspace.apply().await;
        let team = api.find("/api/teams", "name", "Platform").await.expect("the team");
        let url = workspace.state().await.value("terdut_alert_source.prod", "webhook_url").clone();
        let handing_over = guide("handing-over-to-kubernetes").join("main.tf");
        workspace.write("main.tf", &fs::read_to_string(handing_over).expect("the configuration"));
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        assert_eq!(api.find("/api/teams", "name", "Platform").await, Some(team.clone()));
        let below = |path: &str| format!("/api/teams/{}/{path}", team["id"]);
        let switch = api.find(&below("deadman-switches"), "name", "prod-watchdog").await;
        assert!(switch.is_some(), "the switch is gone");
        // The source made room for the bridge's, and its URL goes on working.
        assert!(api.find(&below("integrations"), "name", "prod-alertmanager").await.is_none());
        let kept = workspace.state().await;
        assert_eq!(kept.value("terdut_alert_source.prod", "webhook_url"), &url);
        workspace.destroy().await;
        assert!(api.find("/api/teams", "name", "Platform").await.is_some());
    }
}
