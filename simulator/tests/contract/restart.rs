//! Restarts, the end of a simulator, and the state file.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::{Action, Fault, Options, Simulator};

use crate::peer::{Peer, server, standard};

#[test]
fn a_restart_drops_connections_and_keeps_the_store() {
    let (simulator, admin) = standard();
    admin.post("/api/teams", &json!({ "name": "a" })).is(201);
    let mut kept = admin.connect().unwrap();
    kept.write_all(admin.request_text("GET", "/healthz", "", false).as_bytes()).unwrap();
    let mut some = [0_u8; 15];
    kept.read_exact(&mut some).unwrap();
    assert_eq!(&some, b"HTTP/1.1 200 OK");
    simulator.restart();
    let mut rest = Vec::new();
    let _ = kept.read_to_end(&mut rest);
    let again = admin.request_text("GET", "/healthz", "", true);
    let _ = kept.write_all(again.as_bytes());
    assert_eq!(kept.read(&mut some).unwrap_or(0), 0, "the old connection is dead");
    assert_eq!(admin.get("/api/teams").is(200)[0]["name"], "a");
}

#[test]
fn nobody_listens_during_the_downtime() {
    let (simulator, admin) = standard();
    simulator.restart_after(Duration::from_millis(150));
    let error = admin.try_send("GET", "/healthz", &Json::Null).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    std::thread::sleep(Duration::from_millis(300));
    admin.get("/healthz").is(200);
}

#[test]
fn a_script_can_restart_the_server_after_it_acted() {
    let (simulator, admin) = standard();
    let restart = Action::Restart { downtime_ms: 0 };
    simulator.fault(Fault::on("POST", "/api/teams").after_acting().action(restart));
    assert!(admin.try_send("POST", "/api/teams", &json!({ "name": "a" })).is_err());
    assert_eq!(admin.get("/api/teams").is(200)[0]["name"], "a");
}

#[test]
fn a_dropped_simulator_is_gone() {
    let (simulator, admin) = standard();
    drop(simulator);
    let error = admin.try_send("GET", "/healthz", &Json::Null).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn it_works_inside_a_runtime() {
    let simulator = Simulator::start(Options::default());
    let nobody = Peer::new(simulator.url(), None);
    nobody.get("/healthz").is(200);
    simulator.restart();
    drop(simulator);
}

#[test]
fn a_state_file_keeps_everything_between_runs() {
    let path = std::env::temp_dir().join(format!("terdut-simulator-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let options = Options { state_file: Some(path.clone()), ..Options::default() };
    let (simulator, admin) = server(options.clone());
    let team = admin.post("/api/teams", &json!({ "name": "a" })).is(201);
    let source = simulator.state().add_integration(team["id"].as_i64().unwrap(), "s");
    let key = simulator.state().integration_key(source.team_id, source.id).unwrap();
    let admin_key = simulator.state().keys()[0].text.clone();
    let before = simulator.state().teams();
    drop((simulator, admin));
    let simulator = Simulator::start(options);
    assert_eq!(simulator.state().teams(), before);
    let admin = Peer::new(simulator.url(), Some(&admin_key));
    let next = admin.post("/api/teams", &json!({ "name": "b" })).is(201);
    assert!(next["id"].as_i64() > Some(source.id), "an id is never given twice");
    let webhook = format!("/api/integrations/{key}/alertmanager");
    admin.post(&webhook, &json!({ "version": "4" })).is(200);
    drop(simulator);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_state_file_that_is_no_store_is_an_error() {
    let path = std::env::temp_dir().join(format!("terdut-simulator-{}.txt", std::process::id()));
    std::fs::write(&path, "{").unwrap();
    let options = Options { state_file: Some(path.clone()), ..Options::default() };
    assert!(Simulator::try_start(options).is_err());
    std::fs::remove_file(&path).unwrap();
}
