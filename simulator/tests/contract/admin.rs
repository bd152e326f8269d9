//! The admin port.

use serde_json::{Value as Json, json};
use terdut_simulator::Simulator;

use crate::peer::{Peer, standard};

fn port(simulator: &Simulator) -> Peer {
    Peer::new(simulator.admin_url().expect("an admin port"), None)
}

fn post_json(peer: &Peer, method: &str, path: &str, body: &Json) -> u16 {
    let text = peer.request_text(method, path, &body.to_string(), true);
    let text = text.replacen("\r\n", "\r\nContent-Type: application/json\r\n", 1);
    let mut stream = peer.connect().unwrap();
    std::io::Write::write_all(&mut stream, text.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_script_is_written_read_and_cleared() {
    let (simulator, admin) = standard();
    let port = port(&simulator);
    let drop = json!({ "method": "GET", "route": "/api/teams", "action": { "kind": "drop" } });
    assert_eq!(post_json(&port, "POST", "/faults", &drop), 204);
    assert_eq!(post_json(&port, "POST", "/faults", &json!([drop, drop])), 204);
    assert!(admin.try_send("GET", "/api/teams", &Json::Null).is_err());
    assert_eq!(port.get("/faults").is(200)[0]["struck"], 1);
    assert_eq!(port.delete("/faults").status, 204);
    admin.get("/api/teams").is(200);
    assert_eq!(post_json(&port, "POST", "/faults", &json!({ "rout": 1 })), 422);
}

#[test]
fn the_log_is_filtered_and_forgotten() {
    let (simulator, admin) = standard();
    let port = port(&simulator);
    admin.get("/api/teams");
    admin.get("/api/users");
    let log = port.get("/requests?method=GET&route=/api/users").is(200);
    assert_eq!((log[0]["number"].as_i64(), log[1].is_null()), (Some(2), true));
    port.delete("/requests");
    assert_eq!(port.get("/requests").is(200), json!([]));
}

#[test]
fn assumptions_change_by_name() {
    let (simulator, _) = standard();
    let port = port(&simulator);
    let change = json!({ "extra_fields": true });
    assert_eq!(post_json(&port, "PATCH", "/assumptions", &change), 200);
    assert_eq!(port.get("/assumptions").is(200)["extra_fields"], true);
    assert_eq!(post_json(&port, "PATCH", "/assumptions", &json!({ "x": 1 })), 400);
}

#[test]
fn the_state_is_shown_without_keys_and_drifts() {
    let (simulator, admin) = standard();
    let port = port(&simulator);
    assert_eq!(post_json(&port, "POST", "/fill", &json!({ "teams": 1, "switches": 1 })), 204);
    let state = port.get("/state");
    let shown = state.is(200);
    assert!(!state.text.contains(&simulator.state().keys()[0].text));
    let team = &shown["teams"][0];
    let path = format!("/state/teams/{}", team["team"]["id"]);
    assert_eq!(post_json(&port, "PATCH", &path, &json!({ "name": "drift" })), 204);
    let switch = format!("{path}/deadman-switches/{}", team["switches"][0]["id"]);
    assert_eq!(port.delete(&switch).status, 204);
    assert_eq!(port.delete(&switch).status, 404);
    assert_eq!(port.delete(&format!("{path}/escalation")).status, 204);
    assert_eq!(admin.get("/api/teams").is(200)[0]["name"], "drift");
    assert_eq!(port.delete(&path).status, 204);
    assert!(simulator.state().teams().is_empty());
}

#[test]
fn a_key_is_made_and_the_port_explains_itself() {
    let (simulator, admin) = standard();
    let port = port(&simulator);
    assert!(port.get("/").text.contains("POST   /faults"));
    let key = port.post("/admin-key", &Json::Null).is(200);
    admin.with(key["key"].as_str().unwrap()).get("/api/me").is(200);
    assert_eq!(post_json(&port, "POST", "/restart", &json!({})), 204);
    admin.get("/healthz").is(200);
}
