//! Service accounts and their keys.

use serde_json::{Value as Json, json};

use crate::peer::{Peer, id, is_key, standard};

const ACCOUNTS: &str = "/api/service-accounts";

fn make(admin: &Peer, body: &Json) -> (i64, Peer) {
    let account = admin.post(ACCOUNTS, body).is(201);
    let key = account["key"]["key"].as_str().expect("the first key");
    (id(&account), admin.with(key))
}

#[test]
fn an_account_comes_with_its_first_key() {
    let (_simulator, admin) = standard();
    let account = admin.post(ACCOUNTS, &json!({ "name": "ci", "scope": "instance" })).is(201);
    assert!(is_key(&account["key"]["key"]));
    assert!(account.get("team_id").is_none());
    let ci = admin.with(account["key"]["key"].as_str().unwrap());
    assert_eq!(ci.get("/api/me").is(200)["service_account"]["name"], "ci");
    let listed = admin.get(ACCOUNTS).is(200);
    assert!(listed[0].get("key").is_none());
}

#[test]
fn an_account_is_found_by_its_exact_name() {
    let (_simulator, admin) = standard();
    make(&admin, &json!({ "name": "ci & co", "scope": "instance" }));
    make(&admin, &json!({ "name": "ci", "scope": "instance" }));
    let found = admin.get(&format!("{ACCOUNTS}?name=ci%20%26%20co")).is(200);
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert_eq!(found[0]["name"], "ci & co");
    assert_eq!(admin.get(&format!("{ACCOUNTS}?name=c")).is(200), json!([]));
}

#[test]
fn names_scopes_and_teams_are_checked() {
    let (_simulator, admin) = standard();
    make(&admin, &json!({ "name": "ci", "scope": "instance" }));
    let refused = |body: &Json, status, naming| admin.post(ACCOUNTS, body).refuses(status, naming);
    refused(&json!({ "name": "ci", "scope": "instance" }), 409, "ci");
    refused(&json!({ "name": " ", "scope": "instance" }), 400, "name");
    refused(&json!({ "name": "x", "scope": "galaxy" }), 400, "scope");
    refused(&json!({ "name": "x", "scope": "team" }), 400, "team_id");
    refused(&json!({ "name": "x", "scope": "team", "team_id": 99 }), 400, "team 99");
    refused(&json!({ "name": "x", "scope": "instance", "team_id": 1 }), 400, "team_id");
}

#[test]
fn keys_are_minted_listed_without_text_and_revoked() {
    let (_simulator, admin) = standard();
    let (account, first) = make(&admin, &json!({ "name": "ci", "scope": "instance" }));
    let path = format!("{ACCOUNTS}/{account}/keys");
    let minted = first.post(&path, &json!({ "name": "initial" })).is(201);
    let second = admin.with(minted["key"].as_str().unwrap());
    let listed = second.get(&path).is(200);
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "names may repeat");
    assert!(listed[0].get("key").is_none() && listed[0]["last_used_at"].is_string());
    let old = format!("{path}/{}", id(&listed[0]));
    assert_eq!(second.delete(&old).status, 204);
    first.get(&path).refuses(401, "key");
    second.delete(&old).refuses(404, "key");
}

#[test]
fn a_key_of_another_account_is_not_found() {
    let (_simulator, admin) = standard();
    let (one, _) = make(&admin, &json!({ "name": "one", "scope": "instance" }));
    let (two, _) = make(&admin, &json!({ "name": "two", "scope": "instance" }));
    let keys = admin.get(&format!("{ACCOUNTS}/{two}/keys")).is(200);
    admin.delete(&format!("{ACCOUNTS}/{one}/keys/{}", id(&keys[0]))).refuses(404, "key");
}

#[test]
fn deleting_an_account_revokes_its_keys() {
    let (simulator, admin) = standard();
    let (account, ci) = make(&admin, &json!({ "name": "ci", "scope": "instance" }));
    assert_eq!(admin.delete(&format!("{ACCOUNTS}/{account}")).status, 204);
    ci.get("/api/teams").refuses(401, "key");
    assert_eq!(simulator.state().keys().len(), 1, "the admin's own");
}

#[test]
fn an_account_of_scope_instance_needs_an_admin_key() {
    let (_simulator, admin) = standard();
    let team = id(&admin.post("/api/teams", &json!({ "name": "a" })).is(201));
    let (_, instance) = make(&admin, &json!({ "name": "ci", "scope": "instance" }));
    instance.post(ACCOUNTS, &json!({ "name": "x", "scope": "instance" })).refuses(403, "admin key");
    make(&instance, &json!({ "name": "x", "scope": "team", "team_id": team }));
}
