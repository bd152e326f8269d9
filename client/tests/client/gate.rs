//! No attempt is sent once the gate is closed, and what that means for what was sent before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use terdut_client::{Client, Gate};
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::ids::TeamId;

use crate::peer::{Act, Peer, json};
use crate::settings;

/// A client whose gate closes after it was asked that many times.
fn closing_after(peer: &Peer, asked: usize) -> Client {
    let count = AtomicUsize::new(0);
    let gate = Gate::new(move || count.fetch_add(1, Ordering::SeqCst) < asked);
    Client::new(&terdut_client::Settings { gate: Some(gate), ..settings(&peer.url()) }).unwrap()
}

fn create() -> Request {
    Request::CreateTeam { name: "a".into() }
}

fn assert_held_back(error: &ApiError, effect: Effect) {
    assert_eq!((error.class, error.effect), (Class::Unreachable, effect), "{error}");
    assert!(error.said.contains("not sent: this replica is no longer the leader"), "{error}");
}

#[tokio::test]
async fn nothing_is_sent_through_a_closed_gate_not_even_after_connecting() {
    for asked in [0, 1] {
        let peer = Peer::start([json(201, "{}")]).await;
        let error = closing_after(&peer, asked).call(create()).await.unwrap_err();
        assert_held_back(&error, Effect::None);
        assert!(peer.log().is_empty(), "asked {asked}");
    }
}

#[tokio::test]
async fn a_retry_asks_again_and_what_was_sent_stays_in_doubt() {
    let peer = Peer::start([Act::Drop]).await;
    let rename = Request::RenameTeam { team: TeamId(1), name: "a".into() };
    let error = closing_after(&peer, 2).call(rename).await.unwrap_err();
    assert_held_back(&error, Effect::Unknown);
    assert_eq!(peer.log().len(), 1);
}

#[tokio::test]
async fn a_request_that_waited_for_its_turn_asks_after_the_wait() {
    let peer = Peer::start([Act::Late(std::time::Duration::from_millis(50), json_team())]).await;
    let open = Arc::new(AtomicBool::new(true));
    let shown = Arc::clone(&open);
    let gate = Some(Gate::new(move || shown.load(Ordering::SeqCst)));
    let one_at_a_time =
        terdut_client::Settings { gate, max_concurrency: 1, ..settings(&peer.url()) };
    let client = Client::new(&one_at_a_time).unwrap();
    let (first, second) = tokio::join!(client.call(create()), async {
        let waiting = client.call(create());
        let closing = async {
            while peer.log().is_empty() {
                tokio::task::yield_now().await;
            }
            open.store(false, Ordering::SeqCst);
        };
        tokio::join!(waiting, closing).0
    });
    first.unwrap();
    assert_held_back(&second.unwrap_err(), Effect::None);
    assert_eq!(peer.log().len(), 1);
}

fn json_team() -> Vec<u8> {
    let Act::Raw(bytes) = json(201, r#"{"id":1,"name":"a"}"#) else { unreachable!() };
    bytes
}
