//! The one bootstrap, health, and what comes before any route.

use serde_json::json;
use terdut_simulator::{Options, Simulator};

use crate::peer::{Peer, id, is_key, standard};

fn root() -> serde_json::Value {
    json!({ "username": "root", "email": "root@example.org" })
}

#[test]
fn the_bootstrap_makes_the_first_user_and_an_admin_key() {
    let simulator = Simulator::start(Options::default());
    let nobody = Peer::new(simulator.url(), None);
    let answer = nobody.post("/api/bootstrap", &root()).is(201);
    assert_eq!(answer["user"]["username"], "root");
    assert!(is_key(&answer["api_key"]["key"]));
    assert_eq!(answer["api_key"]["user_id"], answer["user"]["id"]);
    let admin = nobody.with(answer["api_key"]["key"].as_str().unwrap());
    let me = admin.get("/api/me").is(200);
    assert_eq!((&me["user"], &me["has_password"]), (&answer["user"], &json!(false)));
}

#[test]
fn a_second_bootstrap_is_refused_to_every_caller() {
    let (simulator, admin) = standard();
    let nobody = Peer::new(simulator.url(), None);
    nobody.post("/api/bootstrap", &root()).refuses(403, "bootstrapped");
    admin.post("/api/bootstrap", &root()).refuses(403, "bootstrapped");
    admin.post("/api/bootstrap", &json!({})).refuses(403, "bootstrapped");
}

#[test]
fn a_bootstrap_that_does_not_validate_is_not_spent() {
    let simulator = Simulator::start(Options::default());
    let nobody = Peer::new(simulator.url(), None);
    nobody.post("/api/bootstrap", &json!({ "email": "a@b" })).refuses(400, "username");
    nobody.post("/api/bootstrap", &root()).is(201);
}

#[test]
fn health_needs_no_key() {
    let (simulator, _) = standard();
    Peer::new(simulator.url(), None).get("/healthz").is(200);
}

#[test]
fn an_unknown_route_is_the_routers_text_and_another_method_is_405() {
    let (simulator, admin) = standard();
    let unknown = Peer::new(simulator.url(), None).get("/api/unknown");
    assert_eq!((unknown.status, unknown.text.trim()), (404, "404 page not found"));
    assert_eq!(unknown.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(admin.send("PATCH", "/api/teams", &json!({})).status, 405);
    assert_eq!(simulator.count("PATCH", "*"), 1);
}

#[test]
fn a_wrong_key_is_401() {
    let (simulator, admin) = standard();
    admin.with("0".repeat(64).as_str()).get("/api/users").refuses(401, "key");
    admin.with("").get("/api/users").refuses(401, "key");
    assert_eq!(simulator.requests()[0].key_id, None);
}

#[test]
fn bodies_that_are_not_json_and_ids_that_are_not_numbers_are_400() {
    let (_simulator, admin) = standard();
    admin.send_text("POST", "/api/teams", "{").unwrap().refuses(400, "invalid request body");
    admin.send_text("POST", "/api/teams", "").unwrap().refuses(400, "invalid request body");
    admin.put("/api/teams/x", &json!({ "name": "a" })).refuses(400, "invalid id");
}

#[test]
fn all_kinds_share_one_sequence_of_ids() {
    let options = Options { first_id: 9_007_199_254_740_993, ..Options::default() };
    let (_simulator, admin) = crate::peer::server(options);
    let team = admin.post("/api/teams", &json!({ "name": "a" })).is(201);
    assert_eq!(id(&team), 9_007_199_254_740_996);
    assert!(admin.get("/api/teams").text.contains("9007199254740996"));
}

#[test]
fn a_seed_and_a_counting_clock_make_a_run_repeatable() {
    let run = || {
        let clock = terdut_simulator::Clock::Counting(1_700_000_000);
        let options = Options { seed: Some(7), clock, ..Options::default() };
        let (simulator, admin) = crate::peer::server(options);
        let team = admin.post("/api/teams", &json!({ "name": "a" })).is(201);
        (team, simulator.state().keys().into_iter().map(|key| key.text).collect::<Vec<_>>())
    };
    assert_eq!(run(), run());
}
