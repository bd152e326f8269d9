//! A server's manifests in a configuration: known while it is planned, and the examples that run a
//! server by them and bootstrap it.
//!
//! The other providers of those examples are not among what this suite may count on, so what names
//! them is left out here; all else of the examples runs as it stands.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::scene::HEAD;

const SERVER: &str = r#"
data "terdut_server_manifests" "main" {
  image    = { tag = TAG }
  replicas = 2
  database = {
    dsn                 = "postgres://terdut@db:5432/terdut"
    password_secret_ref = { name = "db" }
  }
}
"#;

const EACH: &str = r#"
resource "terraform_data" "object" {
  for_each = data.terdut_server_manifests.main.objects
  input    = jsondecode(each.value).kind
}
"#;

/// Nobody gives the provider a server.
fn workspace(program: &Program, text: &str) -> Workspace {
    let workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.write("main.tf", &format!("{HEAD}{text}"));
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_knows_every_object_by_its_key() {
    for program in Program::all() {
        let workspace = workspace(&program, &(SERVER.replace("TAG", "\"v1\"") + EACH));
        workspace.init().await;
        let plan = workspace.plan().await;
        let planned: BTreeSet<_> = plan.changes.keys().map(String::as_str).collect();
        let keys = ["deployment", "pod_disruption_budget", "service", "service_account"];
        let expected: BTreeSet<_> =
            keys.iter().map(|key| format!("terraform_data.object[\"{key}\"]")).collect();
        assert_eq!(planned, expected.iter().map(String::as_str).collect(), "{}", plan.text);
        let deployment = plan.change("terraform_data.object[\"deployment\"]");
        assert_eq!(deployment.after["input"], "Deployment");
        workspace.apply().await;
        workspace.plan().await.expect_empty();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_of_something_unknown_is_unknown_until_it_is_applied() {
    let tag = r#"
resource "terraform_data" "tag" {
  input = "v2"
}
output "kind" {
  value = jsondecode(data.terdut_server_manifests.main.objects["deployment"]).kind
}
"#;
    for program in Program::all() {
        let text = SERVER.replace("TAG", "terraform_data.tag.output");
        let workspace = workspace(&program, &(text + tag));
        workspace.init().await;
        let plan = workspace.plan().await;
        let read = plan.change("data.terdut_server_manifests.main");
        assert_eq!(read.action(), "read");
        assert_eq!(read.after_unknown["objects"], true, "{:?}", read.after_unknown);
        assert_eq!(plan.json["output_changes"]["kind"]["after_unknown"], true);
        workspace.apply().await;
        assert_eq!(workspace.state().await.outputs["kind"], "Deployment");
        workspace.plan().await.expect_empty();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_is_shown_at_its_place_in_one_run() {
    let bad = SERVER.replace("TAG", "\"v 1\"").replace("replicas = 2", "replicas = 11");
    for program in Program::all() {
        let workspace = workspace(&program, &bad);
        workspace.init().await;
        let error = workspace.validate().await.expect_error();
        for says in ["image tag", "11 is outside 0 to 10"] {
            assert!(error.contains(says), "{says}: {error}");
        }
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

/// The example without the file of the other provider, and without the lines that name it.
fn without(program: &Program, name: &str, other: &str) -> Workspace {
    let workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.write("versions.tf", HEAD);
    for file in ["variables.tf", "server.tf", "terdut.tf"] {
        let text = fs::read_to_string(example(name).join(file)).expect("a file of the example");
        let own = text.lines().filter(|line| !line.contains(other));
        workspace.write(file, &own.collect::<Vec<_>>().join("\n"));
    }
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kubernetes_example_plans_its_server_and_the_bootstrap_after_it() {
    for program in Program::all() {
        let mut workspace = without(&program, "kubernetes", "kubernetes_manifest");
        for (name, value) in [
            ("hostname", "terdut.example.com"),
            ("gateway_listener", "infra/public/https"),
            ("database_host", "postgres.example.com"),
            ("database_password", "hunter2"),
            ("admin_password", "correct horse battery staple"),
        ] {
            workspace.set_env(&format!("TF_VAR_{name}"), value);
        }
        workspace.write(
            "keys.tf",
            "output \"keys\" {\n  value = keys(data.terdut_server_manifests.main.objects)\n}\n\
             output \"deployment\" {\n  \
             value = data.terdut_server_manifests.main.objects[\"deployment\"]\n}\n",
        );
        workspace.init().await;
        let plan = workspace.plan().await;
        let deployment = plan.json["output_changes"]["deployment"]["after"].to_string();
        assert!(deployment.contains("@postgres.example.com:5432/"), "{deployment}");
        let keys = &plan.json["output_changes"]["keys"]["after"];
        let expected =
            ["deployment", "http_route", "pod_disruption_budget", "service", "service_account"];
        assert_eq!(keys, &json!(expected));
        assert_eq!(plan.action("terdut_server.main"), "create");
        assert_eq!(plan.action("terdut_team.platform"), "create");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_docker_example_waits_for_its_server_bootstraps_it_and_goes_on() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let mut workspace = without(&program, "docker", "docker_container");
        let port = simulator.url().rsplit(':').next().expect("a port").trim_end_matches('/');
        for (name, value) in [
            ("port", port),
            ("database_password", "hunter2"),
            ("admin_password", "correct horse battery staple"),
        ] {
            workspace.set_env(&format!("TF_VAR_{name}"), value);
        }
        workspace.write(
            "env.tf",
            "output \"env\" {\n  value     = local.environment\n  sensitive = true\n}\n",
        );
        workspace.init().await;
        workspace.apply().await;
        let state = workspace.state().await;
        let environment = &state.outputs["env"];
        assert_eq!(environment["PGPASSWORD"], "hunter2");
        assert_eq!(environment["TERDUT_SWEEPER_STALE_AFTER"], "6h");
        let manifests = &state.resources["data.terdut_server_manifests.main"];
        assert!(!manifests.to_string().contains("hunter2"), "a secret is in an output");
        workspace.plan().await.expect_empty();
        workspace.destroy().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_formatted() {
    let Some(program) = Program::terraform() else { return };
    let workspace = Workspace::new(&program, &Binary::provider(), "terdut");
    let folder = example("");
    let run = workspace.run(&["fmt", "-check", "-recursive", &folder.to_string_lossy()]).await;
    run.expect_ok();
}
