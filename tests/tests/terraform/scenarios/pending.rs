//! A create whose later step failed: a warning, nothing tainted, and the next plan finishes it.

use terdut_simulator::Fault;
use terdut_tests::harness::Program;

use crate::scene::Scene;

const CONFIG: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
  oidc = {
    member_group = "platform"
  }
}
resource "terdut_user" "main" {
  username   = "ada"
  email      = "ada@example.org"
  ntfy_topic = "ada-pages"
}
"#;

const STEPS: [(&str, &str); 2] = [
    ("/api/teams/{id}/oidc-groups", "terdut_team.main"),
    ("/api/users/{id}/notify", "terdut_user.main"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_later_step_that_failed_is_finished_by_the_next_plan() {
    let mut programs = Program::current();
    programs.extend(Program::oldest());
    for program in programs {
        let scene = Scene::start(&program).await;
        scene.configure(CONFIG);
        scene.workspace.init().await;
        for (route, _) in STEPS {
            scene.simulator.fault(Fault::on("PUT", route).always().error(403, "not today"));
        }
        let run = scene.workspace.apply().await;
        let text = run.text();
        assert!(text.contains("Warning") && text.contains("not today"), "{text}");
        scene.simulator.clear_faults();

        let state = scene.workspace.state().await;
        assert!(state.tainted.is_empty(), "{:?}", state.tainted);
        let plan = scene.workspace.plan().await;
        for (_, address) in STEPS {
            assert_eq!(plan.action(address), "update", "{}", plan.text);
        }
        scene.workspace.apply_plan().await.expect_ok();
        scene.workspace.plan().await.expect_empty();
        let team = scene.simulator.state().team_named("Platform").expect("the team");
        let shown = serde_json::to_string(&team.team).expect("a team is JSON");
        assert!(shown.contains("\"platform\""), "{shown}");
        let after = scene.workspace.state().await;
        for (_, address) in STEPS {
            assert_eq!(after.value(address, "id"), state.value(address, "id"));
        }
    }
}
