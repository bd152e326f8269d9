//! Teams and what is below them.

use serde_json::{Value as Json, json};
use terdut_simulator::Owner;

use crate::peer::{Peer, id, is_key, standard};

fn team(admin: &Peer, name: &str) -> (i64, String) {
    let team = id(&admin.post("/api/teams", &json!({ "name": name })).is(201));
    (team, format!("/api/teams/{team}"))
}

fn switch(name: &str) -> Json {
    json!({ "name": name, "matcher": "b=2, a=1", "timeout": "90m", "severity": "critical" })
}

fn source(name: &str) -> Json {
    json!({ "kind": "alertmanager", "name": name })
}

#[test]
fn a_team_is_made_renamed_and_deleted() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, " Platform ");
    assert_eq!(admin.get("/api/teams").is(200)[0]["name"], "Platform");
    assert_eq!(admin.put(&path, &json!({ "name": "Core" })).is(200)["name"], "Core");
    assert_eq!(admin.put(&path, &json!({ "name": "Core" })).status, 200, "its own name");
    assert_eq!(admin.delete(&path).status, 204);
    admin.delete(&path).refuses(404, "team");
    assert_eq!(admin.get("/api/teams").is(200), json!([]));
}

#[test]
fn the_name_of_a_team_is_unique_and_checked() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    team(&admin, "b");
    admin.post("/api/teams", &json!({ "name": "a" })).refuses(409, "team name \"a\"");
    admin.put(&path, &json!({ "name": "b" })).refuses(409, "team name \"b\"");
    for bad in ["", "  ", "a\nb", &"x".repeat(254)] {
        admin.post("/api/teams", &json!({ "name": bad })).refuses(400, "name");
    }
    admin.put(&path, &json!({ "name": "c" })).is(200);
    team(&admin, "a");
}

#[test]
fn oidc_groups_are_set_and_cleared() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    let path = format!("{path}/oidc-groups");
    let set = admin.put(&path, &json!({ "member_group": "m", "owner_group": "o" })).is(200);
    assert_eq!((&set["oidc_member_group"], &set["oidc_owner_group"]), (&json!("m"), &json!("o")));
    let cleared = admin.put(&path, &json!({ "member_group": "", "owner_group": "" })).is(200);
    assert!(cleared.get("oidc_member_group").is_none());
}

#[test]
fn a_policy_is_replaced_as_a_whole_and_reset_without_levels() {
    let (_simulator, admin) = standard();
    let (team, path) = team(&admin, "a");
    let path = format!("{path}/escalation");
    admin.get(&path).refuses(404, "no escalation policy");
    let level = json!({ "timeout": "5m", "targets": [{ "kind": "oncall" }] });
    let body = json!({ "repeat_count": 2, "fallback_topic": "t", "levels": [level, level] });
    let stored = admin.put(&path, &body).is(200);
    assert_eq!(stored["levels"][0]["timeout"], "5m0s");
    assert_eq!((&stored["team_id"], &stored["repeat_count"]), (&json!(team), &json!(2)));
    assert_eq!(admin.get(&path).is(200), stored);
    let shorter = admin.put(&path, &json!({ "levels": [level] })).is(200);
    assert!(shorter.get("fallback_topic").is_none());
    assert_eq!(admin.put(&path, &json!({ "levels": [] })).is(200)["levels"], json!([]));
    assert_eq!(admin.get(&path).status, 404);
}

#[test]
fn the_faults_of_a_policy_are_named() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    let refused = |target: Json, timeout: &str, naming: &str| {
        let levels = json!([{ "timeout": timeout, "targets": [target] }]);
        let path = format!("{path}/escalation");
        admin.put(&path, &json!({ "levels": levels })).refuses(400, naming);
    };
    refused(json!({ "kind": "oncall" }), "soon", "levels[0]: \"soon\"");
    refused(json!({ "kind": "user", "user_id": 99 }), "1m", "user 99");
    refused(json!({ "kind": "user" }), "1m", "user_id");
    refused(json!({ "kind": "pigeon" }), "1m", "pigeon");
    let body = json!({ "repeat_count": -1 });
    admin.put(&format!("{path}/escalation"), &body).refuses(400, "repeat_count");
}

#[test]
fn a_switch_keeps_its_matcher_and_gets_a_canonical_timeout() {
    let (_simulator, admin) = standard();
    let (team, path) = team(&admin, "a");
    let path = format!("{path}/deadman-switches");
    let made = admin.post(&path, &switch("w")).is(201);
    assert_eq!((&made["timeout"], &made["matcher"]), (&json!("1h30m0s"), &json!("b=2, a=1")));
    assert_eq!(made["team_id"], json!(team));
    assert!(made.get("last_seen_at").is_none());
    assert_eq!(admin.get(&path).is(200), json!([made]));
    admin.post(&path, &switch("w")).refuses(409, "w");
    let one = format!("{path}/{}", id(&made));
    assert_eq!(admin.put(&one, &switch("v")).status, 405, "no PUT, no PATCH");
    assert_eq!(admin.delete(&one).status, 204);
    admin.delete(&one).refuses(404, "switch");
    admin.post(&path, &switch("w")).is(201);
}

#[test]
fn the_faults_of_a_switch_are_named() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    for (field, bad) in [("name", ""), ("matcher", "x"), ("timeout", "5"), ("severity", "BAD!")] {
        let mut body = switch("w");
        body[field] = json!(bad);
        assert_eq!(admin.post(&format!("{path}/deadman-switches"), &body).status, 400, "{field}");
    }
}

#[test]
fn a_switch_of_another_team_is_not_found() {
    let (_simulator, admin) = standard();
    let (_, one) = team(&admin, "a");
    let (_, two) = team(&admin, "b");
    let made = id(&admin.post(&format!("{one}/deadman-switches"), &switch("w")).is(201));
    admin.delete(&format!("{two}/deadman-switches/{made}")).refuses(404, "switch");
}

#[test]
fn a_source_shows_key_and_url_once() {
    let (simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    let path = format!("{path}/integrations");
    let made = admin.post(&path, &source("prometheus")).is(201);
    assert!(is_key(&made["key"]));
    let key = made["key"].as_str().unwrap();
    let url = format!("{}/api/integrations/{key}/alertmanager", simulator.url());
    assert_eq!(made["url"], json!(url));
    let listed = admin.get(&path).is(200);
    assert!(listed[0].get("key").is_none() && listed[0].get("url").is_none());
    let one = format!("{path}/{}", id(&made));
    let renamed = admin.send("PATCH", &one, &json!({ "name": "other" })).is(200);
    assert_eq!((&renamed["name"], renamed.get("key")), (&json!("other"), None));
    assert_eq!(admin.delete(&one).status, 204);
    assert_eq!(admin.send("PATCH", &one, &json!({ "name": "x" })).status, 404);
}

#[test]
fn name_and_kind_of_a_source_are_checked() {
    let (_simulator, admin) = standard();
    let (_, path) = team(&admin, "a");
    let path = format!("{path}/integrations");
    let one = id(&admin.post(&path, &source("one")).is(201));
    admin.post(&path, &source("two")).is(201);
    admin.post(&path, &source("one")).refuses(409, "one");
    let body = json!({ "name": "two" });
    admin.send("PATCH", &format!("{path}/{one}"), &body).refuses(409, "two");
    admin.post(&path, &json!({ "kind": "pigeon", "name": "x" })).refuses(400, "pigeon");
}

#[test]
fn deleting_a_team_takes_everything_below_it_along() {
    let (simulator, admin) = standard();
    let (team_id, path) = team(&admin, "a");
    let (kept, _) = team(&admin, "b");
    admin.post(&format!("{path}/deadman-switches"), &switch("w")).is(201);
    let made = admin.post(&format!("{path}/integrations"), &source("s")).is(201);
    let (account, key) = simulator.state().add_account("of-a", Some(team_id));
    simulator.state().add_account("of-b", Some(kept));
    assert_eq!(admin.delete(&path).status, 204);
    admin.get(&format!("{path}/deadman-switches")).refuses(404, "team");
    admin.with(&key.text).get("/api/users").refuses(401, "key");
    assert_eq!(simulator.state().account("of-a"), None);
    assert!(simulator.state().keys_of(Owner::Account(account.id)).is_empty());
    assert!(simulator.state().account("of-b").is_some());
    let webhook = format!("/api/integrations/{}/alertmanager", made["key"].as_str().unwrap());
    assert_eq!(admin.post(&webhook, &json!({ "version": "4" })).status, 401);
}
