//! What a stop ends, and what it leaves a moment.

use std::time::{Duration, Instant};

use terdut_client::Caller;
use terdut_core::api::Request;
use terdut_core::error::{Class, Effect};
use tokio::sync::oneshot;

use crate::client;
use crate::peer::{Act, Peer, json};

const SOON: Duration = Duration::from_millis(100);

/// A caller that is stopped after a while.
fn stopped_soon(peer: &Peer) -> Caller {
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(async move {
        tokio::time::sleep(SOON).await;
        drop(stop);
    });
    Caller::new(client(&peer.url()), async move {
        let _ = stopped.await;
    })
}

fn create() -> Request {
    Request::CreateTeam { name: "a".into() }
}

#[tokio::test]
async fn a_stop_ends_a_read_at_once() {
    let peer = Peer::start([Act::Hang]).await;
    let start = Instant::now();
    let error = stopped_soon(&peer).call(Request::ListTeams).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Unreachable, Effect::None));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_stop_leaves_a_write_a_moment_and_then_owns_up() {
    let peer = Peer::start([Act::Hang]).await;
    let caller = stopped_soon(&peer).with_grace(SOON);
    let error = caller.call(create()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Unreachable, Effect::Unknown));

    let team = r#"{"id":1,"name":"a"}"#;
    let Act::Raw(answer) = json(201, team) else { panic!() };
    let slow = Peer::start([Act::Late(SOON * 3, answer)]).await;
    assert!(stopped_soon(&slow).call(create()).await.is_ok());
}

#[tokio::test]
async fn after_a_stop_nothing_is_sent() {
    let peer = Peer::start([json(200, "[]")]).await;
    let caller = Caller::new(client(&peer.url()), std::future::ready(()));
    let error = caller.call(create()).await.unwrap_err();
    assert_eq!((error.effect, caller.is_stopped()), (Effect::None, true));
    assert!(caller.call_fresh(Request::ListTeams).await.is_err());
    assert_eq!(peer.log(), Vec::<String>::new());
}
