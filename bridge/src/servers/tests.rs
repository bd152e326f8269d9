//! Links: where they lead, what they share, and a server that falls silent and comes back.

use serde_json::json;
use terdut_core::api::Request;
use terdut_core::consent::{AllowedTeams, Asking, From, ServerIdentity, judge};
use terdut_core::secret::SecretString;
use terdut_simulator::{Fault, FaultBody};

use super::*;
use crate::testing::Fixture;

fn read(server: &serde_json::Value) -> TerdutServer {
    serde_json::from_value(server.clone()).unwrap()
}

async fn with_server() -> (Fixture, TerdutServer) {
    let fixture = Fixture::start().await;
    let server = fixture.cluster.put(&fixture.server("oncall", "main", &json!({ "from": "All" })));
    (fixture, read(&server))
}

fn key(text: &str) -> SecretString {
    SecretString::new(text)
}

#[tokio::test]
async fn a_link_is_of_one_server_at_one_address() {
    let (fixture, server) = with_server().await;
    let servers = &fixture.context.servers;
    let link = servers.link(&server).unwrap();
    assert_eq!(link.url(), fixture.simulator.url());
    assert!(std::ptr::eq(servers.link(&server).unwrap().claims(), link.claims()));
    let mut moved = server.clone();
    moved.spec.install.networking = None;
    assert_eq!(servers.link(&moved).unwrap().url(), "http://127.0.0.1:8080");
    for port in [0, -1, 70_000] {
        let networking = json!({ "servicePort": port });
        moved.spec.install.networking = serde_json::from_value(networking).unwrap();
        assert_eq!(servers.url(&moved), "http://127.0.0.1:8080", "{port}");
    }
}

#[tokio::test]
async fn a_permit_for_another_server_opens_nothing() {
    let (fixture, server) = with_server().await;
    let link = fixture.context.servers.link(&server).unwrap();
    let admitted = link.admit().unwrap();
    for (namespace, name, opens) in
        [("oncall", "main", true), ("oncall", "other", false), ("tenant", "main", false)]
    {
        let text = |text: &str| text.to_owned();
        let of = ServerIdentity { namespace: text(namespace), name: text(name), uid: text("u") };
        let allowed = AllowedTeams { from: From::All, ..AllowedTeams::default() };
        let asking = Asking { namespace: "tenant", labels: None };
        let permit = judge(&allowed, &of, &asking).unwrap();
        let caller = link.team_caller(&admitted, &permit, "team-uid", &key("k"));
        assert_eq!(caller.is_ok(), opens, "{namespace}/{name}");
    }
}

#[tokio::test]
async fn who_reads_with_one_key_shares_the_lists() {
    let (fixture, server) = with_server().await;
    let admin = key(&fixture.simulator.seed_admin());
    let link = fixture.context.servers.link(&server).unwrap();
    let admitted = link.admit().unwrap();
    for _ in 0..3 {
        link.instance_caller(&admitted, &admin).call(Request::ListTeams).await.unwrap();
    }
    assert_eq!(fixture.simulator.count("GET", "/api/teams"), 1);
    link.forget_lists();
    link.instance_caller(&admitted, &admin).call(Request::ListTeams).await.unwrap();
    assert_eq!(fixture.simulator.count("GET", "/api/teams"), 2);
}

#[tokio::test]
async fn a_silent_server_sends_the_others_away_until_it_answers() {
    let (fixture, server) = with_server().await;
    let link = fixture.context.servers.link(&server).unwrap();
    let admitted = link.admit().unwrap();
    let caller = link.keyless(&admitted);
    fixture.simulator.fault(Fault::on("GET", "/healthz").answer(503, FaultBody::Empty).always());
    assert!(caller.call(Request::Health).await.is_err());
    let down = link.admit().unwrap_err();
    assert_eq!(down.state().reason, crate::status::Reason::Unreachable);
    let asked = fixture.simulator.requests().len();
    assert!(link.admit().is_err(), "nobody asks before the pause is over");
    assert_eq!(fixture.simulator.requests().len(), asked);

    fixture.simulator.clear_faults();
    caller.call(Request::Health).await.unwrap();
    assert!(link.admit().is_ok(), "one answer is enough");
}

#[tokio::test]
async fn a_refusal_is_an_answer_and_our_own_silence_is_none() {
    let (fixture, server) = with_server().await;
    let link = fixture.context.servers.link(&server).unwrap();
    let admitted = link.admit().unwrap();
    let caller = link.instance_caller(&admitted, &key("wrong"));
    assert!(caller.call(Request::ListTeams).await.is_err());
    assert!(link.admit().is_ok());
    fixture.context.fence.close();
    assert!(caller.call_fresh(Request::ListTeams).await.is_err());
    fixture.context.fence.open_until(crate::clock::Clock::boot().now().plus(REQUEST_TIMEOUT));
    assert!(link.admit().is_ok());
}
