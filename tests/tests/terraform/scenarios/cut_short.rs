//! Applies that are cut short: the provider is killed, or the person has had enough.

use std::time::{Duration, Instant};

use terdut_simulator::Fault;
use terdut_tests::harness::{Program, Running, wait_for};

use crate::scene::Scene;

/// What a person waits for after an interrupt.
const SOON: Duration = Duration::from_secs(5);

fn configuration(more: &str) -> String {
    format!(
        r#"
resource "terdut_user" "before" {{
  username = "ada"
  email    = "ada@example.org"
}}
resource "terdut_team" "slow" {{
  name       = "Platform"
  depends_on = [terdut_user.before]
  {more}
}}
resource "terdut_deadman_switch" "after" {{
  team_id = terdut_team.slow.id
  name    = "watchdog"
  matcher = "alertname=Watchdog"
  timeout = "15m"
}}
"#
    )
}

/// An apply that waits for the answer to a team that was made.
async fn waiting_apply(program: &Program) -> (Scene, Running) {
    let scene = Scene::start(program).await;
    scene.configure(&configuration(""));
    scene.workspace.init().await;
    let slow = Fault::on("POST", "/api/teams").after_acting().delay(Duration::from_mins(2));
    scene.simulator.fault(slow);
    let arguments = ["apply", "-no-color", "-input=false", "-auto-approve"];
    let running = scene.workspace.begin(&arguments);
    wait_for("the team is made", Duration::from_mins(1), || async {
        scene.simulator.faults()[0].acted > 0
    })
    .await;
    (scene, running)
}

async fn expect_whole(scene: &Scene) {
    scene.workspace.plan().await.expect_empty();
    assert_eq!(scene.simulator.state().team_count(), 1);
    let team = scene.simulator.state().team_named("Platform").expect("the team is there");
    assert_eq!(team.switches.len(), 1);
    let state = scene.workspace.state().await;
    assert_eq!(state.value("terdut_team.slow", "id").as_str(), Some(&*team.team.id.to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_killed_leaves_a_name_that_the_next_apply_takes_over() {
    for program in Program::current() {
        let (scene, running) = waiting_apply(&program).await;
        running.kill_provider();
        let error = running.end().await.expect_error();
        let died = ["did not respond", "Plugin error", "Request cancelled"];
        assert!(died.iter().any(|text| error.contains(text)), "{error}");
        scene.simulator.clear_faults();
        let state = scene.workspace.state().await;
        let held: Vec<_> = state.resources.keys().map(String::as_str).collect();
        assert_eq!(held, ["terdut_user.before"], "what was answered is kept, and no more");

        let error = scene.workspace.try_apply(&[]).await.expect_error();
        assert!(error.contains("import {") && error.contains("adopt_existing"), "{error}");
        scene.configure(&configuration("adopt_existing = true"));
        scene.workspace.apply().await;
        expect_whole(&scene).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_slow_apply_soon_and_the_state_holds_what_exists() {
    for program in Program::current() {
        let (scene, running) = waiting_apply(&program).await;
        running.interrupt();
        let interrupted = Instant::now();
        let run = running.end().await;
        let took = interrupted.elapsed();
        assert!(took < SOON, "{}: {took:?}\n{}", run.command, run.text());
        assert!(!run.ok, "{}: {}", run.command, run.text());
        scene.simulator.clear_faults();
        let state = scene.workspace.state().await;
        let held: Vec<_> = state.resources.keys().map(String::as_str).collect();
        assert_eq!(held, ["terdut_team.slow", "terdut_user.before"], "{}", run.text());
        assert!(state.tainted.is_empty(), "{:?}", state.tainted);

        scene.workspace.apply().await;
        expect_whole(&scene).await;
    }
}
