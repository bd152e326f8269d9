//! Answers while refreshing that do not mean "gone": the plan fails, the state is not touched.

use terdut_simulator::{Fault, FaultBody};
use terdut_tests::harness::Program;

use crate::scene::Scene;

const CONFIG: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_deadman_switch" "main" {
  team_id = terdut_team.main.id
  name    = "watchdog"
  matcher = "alertname=Watchdog"
  timeout = "1h"
}
"#;

const SWITCH: &str = "terdut_deadman_switch.main";

/// What the server says, and a word of what the error must tell a person to look at.
fn answers() -> Vec<(&'static str, Fault, &'static str)> {
    let any = || Fault::on("GET", "*").always();
    let below = || Fault::on("GET", "/api/teams/{id}/deadman-switches").always();
    let html = "<html><body>Bad gateway</body></html>";
    vec![
        ("401", any().error(401, "invalid key"), "TERDUT_TOKEN"),
        ("403", any().error(403, "out of scope"), "out of scope"),
        ("text 404", any().no_route(), "404"),
        ("HTML 502", any().answer(502, FaultBody::Html(html.to_owned())), "502"),
        ("cut off", any().answer(200, FaultBody::CutOff("[{\"id\":1,".to_owned())), "TERDUT_URL"),
        ("a dropped connection", any().drop_before(), "TERDUT_URL"),
        ("text 404 below a team that is there", below().no_route(), "404"),
        ("JSON 404 below a team that is there", below().error(404, "no such team"), "no such team"),
    ]
}

async fn untouched(program: &Program) {
    let mut scene = Scene::start(program).await;
    scene.workspace.set_env("TERDUT_MAX_RETRIES", "1");
    scene.configure(CONFIG);
    scene.workspace.init().await;
    scene.workspace.apply().await;
    let before = scene.workspace.file("terraform.tfstate");
    for (name, fault, says) in answers() {
        let label = format!("{} {name}", program.label());
        scene.simulator.fault(fault);
        let error = scene.workspace.try_plan(&[]).await.expect_error();
        assert!(error.contains(says), "{label}: no {says:?} in {error}");
        let address = if name.contains("below") { SWITCH } else { "terdut_team.main" };
        assert!(error.contains(address), "{label}: {error}");
        assert!(!error.contains("<html>"), "{label}: a page in {error}");
        let run = scene.workspace.try_apply(&["-refresh-only"]).await;
        assert!(!run.ok, "{label}: {}", run.stdout);
        scene.simulator.clear_faults();
        assert_eq!(scene.workspace.file("terraform.tfstate"), before, "{label}");
    }
    scene.workspace.plan().await.expect_empty();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_fails_and_the_state_stays_as_it_is() {
    for program in Program::current() {
        untouched(&program).await;
    }
}
