//! Applies that are cut short: the provider is killed, or the person has had enough.

use std::time::{Duration, Instant};

use terdut_simulator::{Fault, Owner};
use terdut_tests::harness::{Program, Running, wait_for};

use crate::scene::Scene;

/// What a person waits for after an interrupt. The provider gives what has left two seconds to be
/// answered, and as long again to see what came of it; then the program writes its state. The rest
/// is for a machine that is busy otherwise: what is not interrupted waits for [`HELD`].
const SOON: Duration = Duration::from_secs(12);

/// How long a held request stays without an answer.
const HELD: Duration = Duration::from_mins(2);

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
    let slow = Fault::on("POST", "/api/teams").after_acting().delay(HELD);
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

/// Something of every kind, several at a time.
fn everything(name: &str) -> String {
    format!(
        r#"
resource "terdut_user" "all" {{
  username   = "ada"
  email      = "ada@example.org"
  ntfy_topic = "{name}"
}}
resource "terdut_team" "all" {{
  name = "{name}"
}}
resource "terdut_escalation_rule" "all" {{
  team_id = terdut_team.all.id
  levels  = [{{ timeout = "5m", targets = [{{ kind = "oncall" }}] }}]
}}
resource "terdut_deadman_switch" "all" {{
  team_id = terdut_team.all.id
  name    = "watchdog"
  matcher = "alertname=Watchdog"
  timeout = "15m"
}}
resource "terdut_alert_source" "all" {{
  team_id = terdut_team.all.id
  name    = "{name}"
}}
resource "terdut_service_account" "all" {{
  name  = "ci"
  scope = "instance"
}}
resource "terdut_service_account_key" "all" {{
  service_account_id = terdut_service_account.all.id
  name               = "deploy"
}}
"#
    )
}

const KINDS: usize = 7;

/// Runs a command until the server holds a request, and interrupts it.
async fn interrupted(scene: &Scene, command: &str, held: Fault) {
    let wants_act = held.acted;
    scene.simulator.fault(held.delay(HELD));
    let approve = (command != "plan").then_some("-auto-approve");
    let arguments: Vec<_> =
        [command, "-no-color", "-input=false"].into_iter().chain(approve).collect();
    let running = scene.workspace.begin(&arguments);
    let what = format!("{command} comes to {:?}", scene.simulator.faults()[0].fault);
    wait_for(&what, Duration::from_mins(1), || async {
        let rule = &scene.simulator.faults()[0];
        if wants_act { rule.acted > 0 } else { rule.struck > 0 }
    })
    .await;
    running.interrupt();
    let interrupted = Instant::now();
    let run = running.end().await;
    let took = interrupted.elapsed();
    assert!(took < SOON, "{}: {took:?}\n{}", run.command, run.text());
    assert!(!run.ok, "{}: {}", run.command, run.text());
    scene.simulator.clear_faults();
    let tainted = scene.workspace.state().await.tainted;
    assert!(tainted.is_empty(), "{tainted:?}: {}", run.text());
}

/// The next apply does the rest: one of each, all of it stored.
async fn expect_one_of_each(scene: &Scene) {
    scene.workspace.apply().await;
    scene.workspace.plan().await.expect_empty();
    let state = scene.simulator.state();
    let [team] = &state.teams()[..] else { panic!("{:?}", state.teams()) };
    assert_eq!((team.switches.len(), team.integrations.len()), (1, 1));
    let account = state.account("ci").expect("the account");
    assert_eq!(state.keys_of(Owner::Account(account.id)).len(), 1);
    assert_eq!(scene.workspace.state().await.resources.len(), KINDS);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_at_a_create_change_look_and_removal_leaves_nothing_doubled_or_lost() {
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        scene.configure(&everything("one"));
        scene.workspace.init().await;
        // Names of sources may repeat, so that only the provider keeps them apart.
        scene.simulator.assume(|it| it.integration_names_unique = false);
        let source = "/api/teams/{id}/integrations";
        interrupted(&scene, "apply", Fault::on("POST", source)).await;
        interrupted(&scene, "apply", Fault::on("POST", source).after_acting()).await;
        expect_one_of_each(&scene).await;

        scene.configure(&everything("two"));
        interrupted(&scene, "apply", Fault::on("PUT", "/api/teams/{id}").after_acting()).await;
        let renamed = format!("{source}/{{integration_id}}");
        interrupted(&scene, "apply", Fault::on("PATCH", &renamed)).await;
        expect_one_of_each(&scene).await;

        interrupted(&scene, "plan", Fault::on("GET", "/api/teams")).await;
        expect_one_of_each(&scene).await;

        let team = "/api/teams/{id}";
        interrupted(&scene, "destroy", Fault::on("DELETE", team)).await;
        interrupted(&scene, "destroy", Fault::on("DELETE", team).after_acting()).await;
        scene.workspace.destroy().await;
        let state = scene.simulator.state();
        assert!(state.teams().is_empty() && state.account("ci").is_none());
        assert!(state.user("ada").is_none() && scene.workspace.state().await.resources.is_empty());
    }
}
