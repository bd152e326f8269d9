//! The webhook, alerts and incidents.

use serde_json::{Value as Json, json};
use terdut_simulator::Simulator;

use crate::peer::{Peer, standard};

fn message(alerts: &Json) -> Json {
    json!({
        "version": "4",
        "groupKey": "{}:{alertname=\"Down\"}",
        "groupLabels": { "alertname": "Down" },
        "commonLabels": { "alertname": "Down", "severity": "critical" },
        "alerts": alerts,
    })
}

fn alert(status: &str, fingerprint: &str) -> Json {
    json!({
        "status": status,
        "labels": { "alertname": "Down", "cluster": "prod", "severity": "critical" },
        "annotations": { "summary": "it is down" },
        "startsAt": "2026-01-01T00:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus/graph",
        "fingerprint": fingerprint,
    })
}

fn webhook(simulator: &Simulator) -> (i64, String) {
    let team = simulator.state().add_team("a").id;
    let source = simulator.state().add_integration(team, "s").id;
    let key = simulator.state().integration_key(team, source).unwrap();
    (team, format!("/api/integrations/{key}/alertmanager"))
}

#[test]
fn an_alert_is_kept_once_and_resolved() {
    let (simulator, admin) = standard();
    let (_, path) = webhook(&simulator);
    let nobody = Peer::new(simulator.url(), None);
    let firing = message(&json!([alert("firing", "f1"), alert("firing", "f2")]));
    nobody.post(&path, &firing).is(200);
    nobody.post(&path, &firing).is(200);
    let alerts = admin.get("/api/alerts?status=firing").is(200);
    assert_eq!(alerts.as_array().map(Vec::len), Some(2));
    assert_eq!(alerts[0]["name"], "Down");
    let incidents = admin.get("/api/incidents").is(200);
    assert_eq!(incidents.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&incidents[0]["status"], &incidents[0]["severity"]),
        (&json!("triggered"), &json!("critical"))
    );
    nobody.post(&path, &message(&json!([alert("resolved", "f1")]))).is(200);
    assert_eq!(admin.get("/api/incidents").is(200)[0]["status"], "triggered");
    nobody.post(&path, &message(&json!([alert("resolved", "f2")]))).is(200);
    assert_eq!(admin.get("/api/incidents?status=resolved").is(200)[0]["title"], "Down");
    let resolved = admin.get("/api/alerts?status=resolved&limit=1").is(200);
    assert_eq!(resolved.as_array().map(Vec::len), Some(1));
    assert_eq!(resolved[0]["resolution_source"], "alertmanager");
}

#[test]
fn the_key_in_the_path_is_the_authentication() {
    let (simulator, admin) = standard();
    let path = format!("/api/integrations/{}/alertmanager", "0".repeat(64));
    admin.post(&path, &message(&json!([]))).refuses(401, "key");
    let (_, path) = webhook(&simulator);
    admin.post(&path, &json!({ "version": "3" })).refuses(400, "version");
}

#[test]
fn an_alert_keeps_the_switches_alive_that_match_it() {
    let (simulator, admin) = standard();
    let (team, path) = webhook(&simulator);
    let switches = format!("/api/teams/{team}/deadman-switches");
    for (name, matcher) in [("seen", "cluster=prod, alertname=Down"), ("unseen", "cluster=test")] {
        let body = json!({ "name": name, "matcher": matcher, "timeout": "5m", "severity": "info" });
        admin.post(&switches, &body).is(201);
    }
    admin.post(&path, &message(&json!([alert("firing", "f")]))).is(200);
    let listed = admin.get(&switches).is(200);
    assert!(listed[0]["last_seen_at"].is_string());
    assert!(listed[1].get("last_seen_at").is_none());
}

#[test]
fn a_limit_is_checked() {
    let (_simulator, admin) = standard();
    admin.get("/api/alerts?limit=0").refuses(400, "limit");
}
