//! The whole engine over a made-up API server: what makes a pass, what ends one.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::*;
use crate::crd::TerdutTeam;
use crate::engine::Engine;
use crate::fence::Fence;
use crate::metrics::Metrics;
use crate::settings::Settings;
use crate::testing::{Answer, FakeApi, PATIENCE, list, team};

const TEAMS: &str = "/apis/terdut.ryuvia.com/v1alpha1/terdutteams";

type Decide = Box<dyn Fn(&TerdutTeam) -> Next + Send + Sync>;

/// A controller that tells of its passes and does what its test says.
struct Told {
    passes: mpsc::UnboundedSender<(String, Reason, u32)>,
    decide: Decide,
}

impl Controller for Told {
    type Object = TerdutTeam;

    async fn reconcile(&self, object: Arc<TerdutTeam>, pass: &Pass) -> Next {
        let _ = self.passes.send((object.name_any(), pass.reason, pass.failures));
        match (self.decide)(&object) {
            // Stands for a call that hangs.
            Next::Waiting => std::future::pending().await,
            next => next,
        }
    }
}

struct Running {
    server: FakeApi,
    fence: Fence,
    stop: CancellationToken,
    passes: mpsc::UnboundedReceiver<(String, Reason, u32)>,
    engine: Engine,
    metrics: Metrics,
}

impl Running {
    async fn start(
        teams: Vec<Value>,
        decide: impl Fn(&TerdutTeam) -> Next + Send + Sync + 'static,
    ) -> Self {
        Self::with_flags(&[], teams, decide).await
    }

    async fn with_flags(
        flags: &[&str],
        teams: Vec<Value>,
        decide: impl Fn(&TerdutTeam) -> Next + Send + Sync + 'static,
    ) -> Self {
        let server = FakeApi::start(move |asked| match asked.path.as_str() {
            TEAMS => list(&teams),
            _ => list(&[]),
        })
        .await;
        let (fence, stop, metrics) = (Fence::open(), CancellationToken::new(), Metrics::new());
        let settings = settings(flags);
        let kube = server.kube(&fence);
        let mut engine = Engine::new(
            kube,
            &settings,
            fence.clone(),
            crate::clock::Clock::boot(),
            metrics.clone(),
            stop.clone(),
        );
        engine.watch();
        let (sender, passes) = mpsc::unbounded_channel();
        engine.control(Told { passes: sender, decide: Box::new(decide) });
        Self { server, fence, stop, passes, engine, metrics }
    }

    async fn pass(&mut self) -> (String, Reason, u32) {
        tokio::time::timeout(PATIENCE, self.passes.recv()).await.expect("a pass").unwrap()
    }

    async fn drained(self) -> bool {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.engine.drained()).await.expect("it ends")
    }
}

fn settings(flags: &[&str]) -> Settings {
    let line = ["--resync-interval=0", "--retry-base=1ms", "--retry-cap=5ms"];
    crate::settings::tests::check(&[&line, flags].concat(), &[]).unwrap()
}

fn settled(name: &str, version: u64) -> Value {
    let mut value = team(name, version);
    value["status"] = json!({
        "observedGeneration": 1,
        "conditions": [{
            "type": "Ready", "status": "True", "reason": "Available", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }],
    });
    value
}

#[tokio::test]
async fn whoever_takes_over_looks_at_everything_the_unsettled_first() {
    let teams = vec![settled("a", 1), team("b", 2), settled("c", 3)];
    let mut running = Running::start(teams, |_| Next::Settled).await;
    assert_eq!(running.pass().await, ("b".to_owned(), Reason::Changed, 0));
    let mut others = [running.pass().await, running.pass().await];
    others.sort();
    let resync = |name: &str| (name.to_owned(), Reason::Resync, 0);
    assert_eq!(others, [resync("a"), resync("c")]);
    assert!(running.drained().await);
}

#[tokio::test]
async fn a_change_makes_a_pass_and_a_persons_wish_is_told() {
    let mut running = Running::start(vec![settled("a", 1)], |_| Next::Settled).await;
    running.pass().await;
    running.server.event(TEAMS, "ADDED", &team("b", 2)).await;
    assert_eq!(running.pass().await, ("b".to_owned(), Reason::Changed, 0));
    let mut asked = settled("a", 3);
    asked["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/reconcile-at": "now" });
    running.server.event(TEAMS, "MODIFIED", &asked).await;
    assert_eq!(running.pass().await, ("a".to_owned(), Reason::Requested, 0));
    running.server.event(TEAMS, "DELETED", &team("b", 4)).await;
    running.server.event(TEAMS, "MODIFIED", &settled("a", 5)).await;
    assert_eq!(running.pass().await, ("a".to_owned(), Reason::Changed, 0));
    assert_eq!(running.engine.stores().teams().len(), 1);
}

#[tokio::test]
async fn a_failure_and_a_panic_are_tried_again_and_end_nothing() {
    let tries = std::sync::atomic::AtomicU32::new(0);
    let mut running = Running::start(vec![team("a", 1)], move |_| {
        match tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Next::retry(Class::Retryable),
            1 => panic!("a fault in a controller"),
            _ => Next::Settled,
        }
    })
    .await;
    let reasons = [running.pass().await, running.pass().await, running.pass().await];
    let retry = |failures| ("a".to_owned(), Reason::Retry, failures);
    assert_eq!(reasons, [("a".to_owned(), Reason::Changed, 0), retry(1), retry(2)]);
    let text = running.metrics.text();
    assert!(
        text.contains("controller_runtime_reconcile_panics_total{controller=\"TerdutTeam\"} 1")
    );
    assert!(running.drained().await);
}

#[tokio::test]
async fn whoever_waits_for_a_place_costs_nothing_meanwhile() {
    let teams = vec![team("a", 1), team("b", 2)];
    let mut running = Running::with_flags(&["--concurrency=1"], teams, |team| {
        if team.name_any() == "a" { Next::retry(Class::Retryable) } else { Next::Waiting }
    })
    .await;
    assert_eq!([running.pass().await.0, running.pass().await.0], ["a", "b"]);
    // The first is due again within 5 ms, and the second has the only place for ever.
    let turns = || tokio::runtime::Handle::current().metrics().worker_park_count(0);
    let before = turns();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let turns = turns() - before;
    assert!(turns < 100, "{turns} turns of a loop that has nothing to do");
}

#[tokio::test]
async fn passes_are_dropped_when_the_fence_closes_and_made_again_when_it_opens() {
    let mut running = Running::start(vec![team("a", 1)], |_| Next::Waiting).await;
    assert_eq!(running.pass().await.0, "a");
    running.fence.close();
    running.server.event(TEAMS, "ADDED", &team("b", 2)).await;
    running.fence.open_until(crate::clock::Clock::boot().now().plus(PATIENCE));
    assert_eq!(running.pass().await.2, 0);
}

#[tokio::test]
async fn a_pass_that_hangs_is_not_called_drained() {
    let mut running = Running::start(vec![team("a", 1)], |_| Next::Waiting).await;
    running.pass().await;
    let fence = running.fence.clone();
    let stop = running.stop.clone();
    let ending = tokio::spawn(running.drained());
    stop.cancelled().await;
    fence.close();
    assert!(!ending.await.unwrap());
}

#[tokio::test]
async fn nothing_starts_without_the_lease() {
    let server = FakeApi::start(|asked| match asked.path.as_str() {
        TEAMS => list(&[team("a", 1)]),
        _ => list(&[]),
    })
    .await;
    let fence = Fence::new(crate::clock::Clock::boot());
    let stop = CancellationToken::new();
    let mut engine = Engine::new(
        server.kube(&fence),
        &settings(&[]),
        fence,
        crate::clock::Clock::boot(),
        Metrics::new(),
        stop.clone(),
    );
    engine.watch();
    let (sender, mut passes) = mpsc::unbounded_channel();
    engine.control(Told { passes: sender, decide: Box::new(|_| Next::Settled) });
    tokio::time::timeout(PATIENCE, engine.stores().listed()).await.unwrap();
    stop.cancel();
    assert!(engine.drained().await);
    assert!(passes.try_recv().is_err());
}

#[tokio::test]
async fn a_namespace_without_rights_is_a_fact_about_that_namespace() {
    let server = FakeApi::start(|asked| {
        if asked.path.starts_with("/api/v1/namespaces/teams/secrets") {
            return Answer::refusal(403, "Forbidden");
        }
        if asked.path == TEAMS { list(&[team("a", 1)]) } else { list(&[]) }
    })
    .await;
    let fence = Fence::open();
    let mut engine = Engine::new(
        server.kube(&fence),
        &settings(&[]),
        fence,
        crate::clock::Clock::boot(),
        Metrics::new(),
        CancellationToken::new(),
    );
    engine.watch();
    let (sender, mut passes) = mpsc::unbounded_channel();
    engine.control(Told { passes: sender, decide: Box::new(|_| Next::Settled) });
    let stores = engine.stores();
    let told = async {
        // The first pass may come before the answer; the refusal makes another.
        while stores.namespaces().granted("teams") != crate::engine::Grant::Refused {
            passes.recv().await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, told).await.unwrap();
    assert_eq!(stores.namespaces().granted("other"), crate::engine::Grant::Unknown);
}

#[tokio::test]
async fn with_a_list_of_namespaces_nothing_is_asked_of_the_whole_cluster() {
    let server = FakeApi::start(|asked| match asked.path.as_str() {
        "/api/v1/namespaces/teams" => Answer::refusal(403, "Forbidden"),
        path if path.ends_with("/namespaces/teams/terdutteams") => list(&[team("a", 1)]),
        _ => list(&[]),
    })
    .await;
    let (fence, stop) = (Fence::open(), CancellationToken::new());
    let line = ["--watch-namespaces=teams,others"];
    let mut engine = Engine::new(
        server.kube(&fence),
        &crate::settings::tests::check(&line, &[]).unwrap(),
        fence,
        crate::clock::Clock::boot(),
        Metrics::new(),
        stop,
    );
    engine.watch();
    let stores = engine.stores();
    tokio::time::timeout(PATIENCE, stores.listed()).await.unwrap();
    assert_eq!(stores.teams().len(), 1);
    assert_eq!(stores.namespaces().labels("teams"), None, "refused, which is tolerated");
    let lines = server.lines();
    let wide = lines.iter().find(|line| !line.contains("/namespaces/"));
    assert_eq!(wide, None);
}
