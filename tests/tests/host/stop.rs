//! The end of a provider in the midst of work: a wish to stop, a signal.

use std::time::{Duration, Instant};

use terdut_simulator::Fault;
use terdut_tests::harness::{Binary, wait_for};
use terdut_tests::host::{Host, Profile};

use crate::scene::{ADDRESS, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_to_stop_ends_waiting_soon() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_team");
    let mut settings = scene.settings();
    settings["request_timeout"] = serde_json::json!("60s");
    scene.world.configure(&settings).await.expect("the settings are good");
    scene.simulator.fault(Fault::on("*", "*").always().delay(Duration::from_secs(30)));
    let session = scene.world.session().clone();
    let simulator = &scene.simulator;
    let stop = async {
        wait_for("a request", Duration::from_secs(10), || async {
            simulator.faults()[0].struck > 0
        })
        .await;
        session.stop().await;
    };
    let begun = Instant::now();
    let (applied, ()) = tokio::join!(scene.world.apply(ADDRESS, kind.type_name, &kind.full), stop);
    applied.expect_err("it was stopped");
    assert!(begun.elapsed() < Duration::from_secs(10), "it took {:?}", begun.elapsed());
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
