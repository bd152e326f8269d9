//! The end of a provider in the midst of work: a wish to stop, a signal.

mod held;
mod server;

use std::time::{Duration, Instant};

use terdut_simulator::{Fault, Simulator};
use terdut_tests::harness::{Binary, wait_for};
use terdut_tests::host::{Host, Profile, Session};

use crate::scene::{ADDRESS, Scene};

/// What ends soon. After a stop the provider gives what has left two seconds to be answered, and as
/// long again to see what came of it; whoever asks a server that never answers waits for longer
/// than this all the same. What is between the two is for a machine that is busy otherwise.
const SOON: Duration = Duration::from_secs(10);

/// How long a held request stays without an answer.
const HELD: Duration = Duration::from_secs(40);

/// Wishes the end of the work once a request is held; the moment of the wish.
async fn stop_when_held(session: &Session, simulator: &Simulator) -> Instant {
    let held = || async {
        let rule = &simulator.faults()[0];
        rule.struck > 0 && (!rule.fault.acted || rule.acted > 0)
    };
    wait_for("a request is held", Duration::from_secs(20), held).await;
    session.stop().await;
    Instant::now()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_to_stop_ends_waiting_soon() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_team");
    scene.more = serde_json::json!({ "request_timeout": "60s" });
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    scene.simulator.fault(Fault::on("*", "*").always().delay(HELD));
    let session = scene.world.session().clone();
    let (applied, stopped) = tokio::join!(
        scene.world.apply(ADDRESS, kind.type_name, &kind.full),
        stop_when_held(&session, &scene.simulator)
    );
    applied.expect_err("it was stopped");
    assert!(stopped.elapsed() < SOON, "it took {:?}", stopped.elapsed());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_provider_that_was_started_by_hand() {
    let mut host = Host::start(&Binary::provider(), Profile::bare()).await;
    let pid = host.pid().expect("it runs").to_string();
    let socket = host.socket().clone();
    let sent = std::process::Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.expect("kill runs").success());
    let ended = tokio::time::timeout(Duration::from_secs(5), host.wait()).await;
    ended.expect("it ends");
    assert!(!socket.exists(), "the socket is left behind");
}
