//! Traces show requests and no key; nothing write-only is anywhere on disk.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, Workspace};

use crate::scene::{HEAD, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_shows_requests_and_no_key() {
    for program in Program::current() {
        let mut scene = Scene::start(&program).await;
        scene.workspace.set_env("TF_LOG", "TRACE");
        scene.workspace.set_env("TF_LOG_PATH", "trace.log");
        scene.configure(
            "resource \"terdut_team\" \"main\" {\n  name = \"Platform\"\n}\n\
             resource \"terdut_alert_source\" \"main\" {\n  team_id = terdut_team.main.id\n  \
             name = \"prod\"\n}\n",
        );
        scene.workspace.init().await;
        scene.workspace.apply().await;
        let state = scene.workspace.state().await;
        let key =
            state.value("terdut_alert_source.main", "key").as_str().expect("a key").to_owned();
        let log = scene.workspace.file("trace.log");
        let parts = ["/api/teams/{id}/integrations", "POST", "201", "milliseconds", "attempt"];
        let shown = log.lines().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(shown, "{}: no line with {parts:?} in the trace", program.label());
        for secret in [&key, &scene.api.token().to_owned()] {
            let at = log.lines().find(|line| line.contains(secret.as_str()));
            let ours = at.filter(|line| line.contains("provider.terraform-provider-terdut"));
            assert!(ours.is_none(), "{}: a key in the trace: {at:?}", program.label());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_only_value_is_nowhere_on_disk() {
    for program in Program::all().into_iter().filter(Program::has_write_only) {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.set_env("TF_LOG", "TRACE");
        workspace.set_env("TF_LOG_PATH", "trace.log");
        workspace.set_env("TF_VAR_admin", api.token());
        workspace.write(
            "main.tf",
            &format!(
                "{HEAD}\nvariable \"admin\" {{\n  type = string\n  ephemeral = true\n}}\n\
                 resource \"terdut_server\" \"main\" {{\n  url = \"{}\"\n  \
                 admin_token_wo = var.admin\n}}\n",
                simulator.url()
            ),
        );
        workspace.init().await;
        let plan = workspace.plan().await;
        assert!(!plan.json.to_string().contains(api.token()));
        workspace.apply_plan().await.expect_ok();
        workspace.plan().await.expect_empty();
        for file in ["terraform.tfstate", "trace.log"] {
            assert!(!workspace.file(file).is_empty(), "{file}");
            assert!(!workspace.file(file).contains(api.token()), "{} in {file}", program.label());
        }
        workspace.destroy().await;
    }
}
