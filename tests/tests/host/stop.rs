//! The end of a provider in the midst of work: a wish to stop, a signal.

use std::time::{Duration, Instant};

use terdut_simulator::Fault;
use terdut_tests::harness::{Binary, wait_for};
use terdut_tests::host::{Host, Profile};

use crate::inventory::inventory;
use crate::kinds::Kind;
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
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
    scene.world.close().await;
}

for_each_kind!(a_stop_while_the_answer_is_slow_ends_soon_and_keeps_what_was_made);

/// What a person waits for after an interrupt.
const SOON: Duration = Duration::from_secs(5);

async fn a_stop_while_the_answer_is_slow_ends_soon_and_keeps_what_was_made(
    mut scene: Scene,
    kind: Kind,
) {
    let there = inventory(&scene.simulator);
    let mut settings = scene.settings();
    settings["request_timeout"] = serde_json::json!("60s");
    scene.world.configure(&settings).await.expect("the settings are good");
    let (method, route) = kind.create;
    let slow = Fault::on(method, route).after_acting().delay(Duration::from_secs(30));
    scene.simulator.fault(slow);
    let session = scene.world.session().clone();
    let simulator = &scene.simulator;
    let stop = async {
        let acted = || async { simulator.faults()[0].acted > 0 };
        wait_for("the server acts", Duration::from_secs(10), acted).await;
        session.stop().await;
        Instant::now()
    };
    let (applied, stopped) =
        tokio::join!(scene.world.apply(ADDRESS, kind.type_name, &kind.full), stop);
    assert!(stopped.elapsed() < SOON, "it took {:?}", stopped.elapsed());
    let new = &inventory(&scene.simulator) - &there;
    let id = scene.world.state(ADDRESS).map(|state| state["id"].clone());
    let made: Vec<_> = new.iter().map(|thing| serde_json::json!(thing.id.to_string())).collect();
    if method == "POST" {
        assert_eq!(made, id.into_iter().collect::<Vec<_>>(), "{applied:?}");
    } else {
        assert!(id.is_some(), "{applied:?}");
    }
    scene.simulator.clear_faults();
    scene.restart(Profile::modern()).await;
    scene.world.session().may_forget();
    scene.settle(&kind, &kind.full).await;
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
