//! Many objects at once by the real terraform, on a server that has too much to do.

use std::collections::BTreeMap;

use terdut_simulator::{Action, Fault, FaultBody, Logged, Owner};
use terdut_tests::harness::Program;

use crate::scene::Scene;

const TEAMS: usize = 4;
const SWITCHES: usize = 60;
const SOURCES: usize = 30;
const ACCOUNTS: usize = 10;

/// What `max_concurrency` is by default.
const UNDER_WAY: usize = 10;

const AT_ONCE: &str = "-parallelism=50";

const MANY: &str = r#"
variable "rate" {
  type    = number
  default = null
}

provider "terdut" {
  requests_per_second = var.rate
}

resource "terdut_team" "all" {
  count = 4
  name  = "Team ${count.index}"
}

resource "terdut_deadman_switch" "all" {
  count   = 60
  team_id = terdut_team.all[count.index % 4].id
  name    = "switch-${count.index}"
  matcher = "n=${count.index}"
  timeout = "15m"
}

resource "terdut_alert_source" "all" {
  count   = 30
  team_id = terdut_team.all[count.index % 4].id
  name    = "source-${count.index}"
}

resource "terdut_service_account" "all" {
  count = 10
  name  = "robot-${count.index}"
  scope = "instance"
}

resource "terdut_service_account_key" "all" {
  count              = 10
  service_account_id = terdut_service_account.all[count.index].id
  name               = "deploy"
}
"#;

async fn ready(program: &Program) -> Scene {
    let scene = Scene::start(program).await;
    // Nothing but the provider keeps two sources from having one name.
    scene.simulator.assume(|it| it.integration_names_unique = false);
    scene.configure(MANY);
    scene.workspace.init().await;
    scene.simulator.clear_requests();
    scene
}

/// Every object is there once, and the state has it.
async fn expect_each_once(scene: &Scene) {
    let state = scene.simulator.state();
    let teams = state.teams();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for team in &teams {
        let switches = team.switches.iter().map(|one| one.name.clone());
        let sources = team.integrations.iter().map(|one| one.name.clone());
        for name in switches.chain(sources) {
            *names.entry(name).or_default() += 1;
        }
    }
    let doubled: Vec<_> = names.iter().filter(|(_, times)| **times > 1).collect();
    assert!(doubled.is_empty(), "doubled: {doubled:?}");
    assert_eq!((teams.len(), names.len()), (TEAMS, SWITCHES + SOURCES));
    let accounts = state.accounts();
    assert_eq!(accounts.len(), ACCOUNTS);
    for account in accounts {
        let keys = state.keys_of(Owner::Account(account.id));
        assert_eq!(keys.len(), 1, "the keys of {}: {keys:?}", account.name);
    }
    let stored = scene.workspace.state().await.resources.len();
    assert_eq!(stored, TEAMS + SWITCHES + SOURCES + 2 * ACCOUNTS);
    scene.workspace.plan().await.expect_empty();
}

/// When requests were answered with a status.
fn answered(log: &[Logged], status: u16) -> Vec<u64> {
    log.iter().filter(|seen| seen.status == Some(status)).map(|seen| seen.at_ms).collect()
}

fn too_many(log: &[Logged]) -> Vec<u64> {
    answered(log, 429)
}

#[tokio::test(flavor = "multi_thread")]
async fn bursts_of_429_and_503_double_nothing_and_are_waited_for() {
    for program in Program::current() {
        let scene = ready(&program).await;
        let any = |nth| Fault::on("*", "*").nth(nth);
        for (nth, times) in [(25, 12), (115, 20)] {
            scene.simulator.fault(any(nth).times(times).rate_limit(1));
        }
        scene.simulator.fault(any(95).times(8).action(Action::RateLimitUntil { seconds: 2 }));
        // As many as one request survives by itself, should it meet them all.
        for nth in [50, 60, 70, 80] {
            scene.simulator.fault(any(nth).times(4).error(503, "busy"));
        }
        // Busy only after it did what it was asked.
        for nth in [20, 33, 47, 60] {
            let late = Fault::on("POST", "*").nth(nth);
            scene.simulator.fault(late.after_acting().error(503, "busy"));
        }
        scene.workspace.try_apply(&[AT_ONCE]).await.expect_ok();
        let log = scene.simulator.requests();
        assert!(scene.simulator.faults().iter().all(|rule| rule.struck > 0), "each burst was met");
        scene.simulator.clear_faults();
        expect_each_once(&scene).await;
        expect_pauses(&log, 429);
    }
}

/// A server that is busy says for how long, also where it did what it was asked and where the
/// request is one that is not simply sent again.
#[tokio::test(flavor = "multi_thread")]
async fn bursts_of_503_that_say_for_how_long_double_nothing_and_are_waited_for() {
    let Some(program) = Program::terraform() else { return };
    let scene = ready(&program).await;
    let busy = || Action::Answer {
        status: 503,
        headers: [("Retry-After".to_owned(), "1".to_owned())].into(),
        body: FaultBody::Json(serde_json::json!({ "error": "busy" })),
    };
    for (nth, times) in [(25, 12), (60, 8), (115, 20)] {
        scene.simulator.fault(Fault::on("*", "*").nth(nth).times(times).action(busy()));
    }
    for nth in [20, 47, 80] {
        let late = Fault::on("POST", "*").nth(nth);
        scene.simulator.fault(late.after_acting().action(busy()));
    }
    scene.workspace.try_apply(&[AT_ONCE]).await.expect_ok();
    let log = scene.simulator.requests();
    assert!(scene.simulator.faults().iter().all(|rule| rule.struck > 0), "each burst was met");
    scene.simulator.clear_faults();
    expect_each_once(&scene).await;
    expect_pauses(&log, 503);
}

/// After an answer that asks for a second nobody asks for most of it. What was under way may still
/// arrive, late where the machine is busy: as many at most as the provider has under way at once.
fn expect_pauses(log: &[Logged], status: u16) {
    for at in answered(log, status) {
        let within = |seen: &&Logged| (at + 250..at + 950).contains(&seen.at_ms);
        let early: Vec<_> = log.iter().filter(within).map(|seen| seen.at_ms - at).collect();
        assert!(early.len() <= UNDER_WAY, "asked {early:?} ms after it was to wait for a second");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_allows_few_requests_a_second_is_kept_to_its_limit() {
    for program in Program::current() {
        let scene = ready(&program).await;
        scene.simulator.assume(|it| it.requests_per_second = Some(30));
        scene.workspace.try_apply(&[AT_ONCE]).await.expect_ok();
        let log = scene.simulator.requests();
        assert!(!too_many(&log).is_empty(), "the limit was never met");
        expect_pauses_of_all(&log);
        scene.simulator.assume(|it| it.requests_per_second = None);
        expect_each_once(&scene).await;
    }
}

/// A limit is met again and again, but not more often than once a second with what is under way.
fn expect_pauses_of_all(log: &[Logged]) {
    let refused = too_many(log);
    let span = log.last().map_or(0, |last| last.at_ms) - log.first().map_or(0, |first| first.at_ms);
    let rounds = usize::try_from(span / 1000).expect("few") + 1;
    assert!(refused.len() <= rounds * 10, "{} of {} refused", refused.len(), log.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rate_that_is_set_is_kept() {
    let Some(program) = Program::terraform() else { return };
    let scene = ready(&program).await;
    scene.simulator.assume(|it| it.requests_per_second = Some(60));
    scene.workspace.try_apply(&[AT_ONCE, "-var=rate=50"]).await.expect_ok();
    let log = scene.simulator.requests();
    assert!(too_many(&log).is_empty(), "none is too many");
    let times: Vec<_> = log.iter().map(|seen| seen.at_ms).collect();
    assert!(times.len() > 150, "{} requests", times.len());
    for (index, at) in times.iter().enumerate() {
        let within = times[index..].iter().take_while(|later| **later < at + 1000).count();
        assert!(within <= 55, "{within} requests in a second, from {at} ms on");
    }
    scene.simulator.assume(|it| it.requests_per_second = None);
    expect_each_once(&scene).await;
}
