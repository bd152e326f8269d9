//! Every example is applied as it stands, then planned empty, then destroyed.
//!
//! The folder is the list: an example that is added is tested without a word here.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, Workspace};

const REQUIRED: &str = r#"
terraform {
  required_providers {
    terdut = { source = "ryuvia/terdut" }
  }
}
"#;

pub(super) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

pub(super) fn folders(kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(examples().join(kind)).expect("the folder of examples");
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an example").path()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "there are no examples in {kind}");
    folders
}

/// The example's configuration in a folder of its own. A `.tofu` file is OpenTofu's alone.
pub(super) fn workspace(program: &Program, simulator: &Simulator, folder: &Path) -> Workspace {
    let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
    let mut has_requirements = false;
    for entry in fs::read_dir(folder).expect("the example") {
        let path = entry.expect("a file of the example").path();
        // What a page shows of an import is tried by `imports`.
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        let is_read = [".tf", ".tofu", ".hcl"].iter().any(|end| name.ends_with(end));
        if is_read && !name.starts_with("import-") {
            let text = fs::read_to_string(&path).expect("a configuration");
            has_requirements |= text.contains("required_providers");
            workspace.write(&name, &text);
        }
    }
    if !has_requirements {
        workspace.write("required.tf", REQUIRED);
    }
    workspace.set_env("TF_VAR_server_url", simulator.url());
    workspace.set_env("TF_VAR_admin_password", "correct horse battery staple");
    workspace
}

/// Applies an example; whoever needs a key gets the one given.
async fn apply(program: &Program, simulator: &Simulator, folder: &Path, key: Option<&Api>) {
    let mut workspace = workspace(program, simulator, folder);
    if let Some(api) = key {
        workspace.set_env("TERDUT_URL", api.base());
        workspace.set_env("TERDUT_TOKEN", api.token());
    }
    workspace.init().await;
    workspace.apply().await;
    workspace.plan().await.expect_empty();
    workspace.destroy().await;
}

async fn apply_resources(program: Option<Program>) {
    let Some(program) = program else { return };
    for folder in folders("resources") {
        let simulator = Simulator::start(Options::default());
        let is_server = folder.ends_with("terdut_server");
        let api = if is_server { None } else { Some(Api::bootstrap(simulator.url()).await) };
        apply(&program, &simulator, &folder, api.as_ref()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_resource_is_applied_with_terraform() {
    apply_resources(Program::terraform()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_resource_is_applied_with_opentofu() {
    apply_resources(Program::opentofu()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_example_and_the_quickstart_are_applied() {
    for program in Program::all() {
        let simulator = Simulator::start(Options::default());
        apply(&program, &simulator, &examples().join("quickstart"), None).await;
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        apply(&program, &simulator, &examples().join("provider"), Some(&api)).await;
    }
}

/// A server with what the data sources' examples look up.
pub(super) async fn furnished(simulator: &Simulator) -> Api {
    let api = Api::bootstrap(simulator.url()).await;
    let alice = json!({ "username": "alice", "email": "alice@example.com" });
    api.post("/api/users", &alice).await;
    let team = api.post("/api/teams", &json!({ "name": "Platform" })).await;
    let team_id = team["id"].as_i64().expect("a team's id");
    let account = json!({ "name": "platform-ci", "scope": "team", "team_id": team_id });
    api.post("/api/service-accounts", &account).await;
    let below = |path: &str| format!("/api/teams/{team_id}/{path}");
    let switch = json!({
        "name": "prod-watchdog", "matcher": "alertname=Watchdog", "timeout": "15m",
        "severity": "critical",
    });
    api.post(&below("deadman-switches"), &switch).await;
    let source = json!({ "kind": "alertmanager", "name": "prod-alertmanager" });
    api.post(&below("integrations"), &source).await;
    let policy = json!({
        "team_id": team_id, "repeat_count": 1,
        "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
    });
    api.put(&below("escalation"), &policy).await;
    api
}

#[tokio::test(flavor = "multi_thread")]
async fn every_data_source_is_read() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let api = furnished(&simulator).await;
        for folder in folders("data-sources") {
            apply(&program, &simulator, &folder, Some(&api)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_function_is_called_and_every_ephemeral_resource_opened() {
    for program in Program::current() {
        for kind in ["functions", "ephemeral-resources"] {
            for folder in folders(kind) {
                let simulator = Simulator::start(Options::default());
                let api = furnished(&simulator).await;
                if kind == "functions" {
                    let team = api.find("/api/teams", "name", "Platform").await.expect("a team");
                    api.delete(&format!("/api/teams/{}", team["id"])).await;
                }
                apply(&program, &simulator, &folder, Some(&api)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_finds_what_is_there() {
    for program in Program::with_query_and_actions() {
        let simulator = Simulator::start(Options::default());
        let api = furnished(&simulator).await;
        for folder in folders("list-resources") {
            let mut workspace = workspace(&program, &simulator, &folder);
            workspace.set_env("TERDUT_URL", api.base());
            workspace.set_env("TERDUT_TOKEN", api.token());
            workspace.write("provider.tf", "provider \"terdut\" {}\n");
            workspace.init().await;
            let run = workspace.run(&["query", "-json"]).await.expect_ok();
            let found = run.stdout.matches("\"type\":\"list_resource_found\"").count();
            assert!(found > 0, "{}: {}", folder.display(), run.stdout);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_action_is_invoked() {
    for program in Program::with_query_and_actions() {
        for folder in folders("actions") {
            let simulator = Simulator::start(Options::default());
            let api = Api::bootstrap(simulator.url()).await;
            apply(&program, &simulator, &folder, Some(&api)).await;
            let sent = simulator.count("POST", "/api/integrations/{key}/alertmanager");
            assert_eq!(sent, 2, "{}: it fires and is resolved", folder.display());
        }
    }
}

/// The configuration that README.md shows, as it is written there.
fn first_configuration() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = fs::read_to_string(readme).expect("README.md");
    let (_, rest) = text.split_once("```hcl\n").expect("a configuration in README.md");
    let (configuration, _) = rest.split_once("```").expect("its end");
    configuration.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_configuration_of_the_readme_needs_only_url_and_token() {
    let configuration = first_configuration();
    assert!(configuration.lines().count() <= 20, "{configuration}");
    for program in Program::all() {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.write("main.tf", &configuration);
        workspace.set_env("TERDUT_URL", api.base());
        workspace.set_env("TERDUT_TOKEN", api.token());
        workspace.init().await;
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        assert!(api.find("/api/teams", "name", "Platform").await.is_some());
        workspace.destroy().await;
        assert!(api.find("/api/teams", "name", "Platform").await.is_none());
    }
}
