//! People, their passwords, topics and keys.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};

use crate::peer::{Peer, id, is_key, standard};

fn ada() -> Json {
    json!({ "username": "ada", "email": "ada@example.org" })
}

#[test]
fn a_user_is_made_listed_and_deleted() {
    let (_simulator, admin) = standard();
    let user = admin.post("/api/users", &ada()).is(201);
    assert!(user.get("ntfy_topic").is_none(), "absent, not null");
    assert_eq!(admin.get("/api/users").is(200)[1], user);
    let path = format!("/api/users/{}", id(&user));
    assert_eq!(admin.delete(&path).status, 204);
    admin.delete(&path).refuses(404, "user");
}

#[test]
fn the_error_says_which_name_is_taken() {
    let (_simulator, admin) = standard();
    admin.post("/api/users", &ada()).is(201);
    admin.post("/api/users", &ada()).refuses(409, "username \"ada\"");
    let other = json!({ "username": "bob", "email": "ada@example.org" });
    admin.post("/api/users", &other).refuses(409, "email \"ada@example.org\"");
    admin.post("/api/users", &json!({ "username": "bob", "email": "b" })).refuses(400, "email");
}

#[test]
fn a_topic_is_set_and_cleared() {
    let (_simulator, admin) = standard();
    let user = admin.post("/api/users", &ada()).is(201);
    let path = format!("/api/users/{}/notify", id(&user));
    assert_eq!(admin.put(&path, &json!({ "ntfy_topic": "t" })).is(200)["ntfy_topic"], "t");
    assert_eq!(admin.put(&path, &json!({ "ntfy_topic": "" })).is(200), user);
}

#[test]
fn a_password_is_stored_and_never_answered() {
    let (simulator, admin) = standard();
    let user = admin.post("/api/users", &ada()).is(201);
    let path = format!("/api/users/{}/password", id(&user));
    admin.put(&path, &json!({ "password": "short" })).refuses(400, "password");
    let reply = admin.put(&path, &json!({ "password": "long enough" }));
    assert_eq!((reply.status, reply.text.as_str()), (204, ""));
    assert_eq!(simulator.state().password(id(&user)).as_deref(), Some("long enough"));
    assert!(!admin.get("/api/users").text.contains("long enough"));
}

#[test]
fn a_key_is_shown_once_works_and_can_be_revoked() {
    let (simulator, admin) = standard();
    let user = admin.post("/api/users", &ada()).is(201);
    let path = format!("/api/users/{}/api-keys", id(&user));
    let key = admin.post(&path, &json!({ "name": "laptop" })).is(201);
    assert!(is_key(&key["key"]) && key["last_used_at"].is_null());
    let ada = admin.with(key["key"].as_str().unwrap());
    assert_eq!(ada.get("/api/me").is(200)["user"]["username"], "ada");
    let listed = simulator.state().keys().into_iter().find(|k| k.id == id(&key)).unwrap();
    assert!(listed.last_used_at.is_some());
    assert_eq!(admin.delete(&format!("{path}/{}", id(&key))).status, 204);
    ada.get("/api/me").refuses(401, "key");
}

#[test]
fn deleting_a_user_takes_keys_days_and_targets_along() {
    let (simulator, admin) = standard();
    let user = id(&admin.post("/api/users", &ada()).is(201));
    let team = id(&admin.post("/api/teams", &json!({ "name": "a" })).is(201));
    let target = json!({ "kind": "user", "user_id": user });
    let policy = json!({ "levels": [{ "timeout": "5m", "targets": [target] }] });
    admin.put(&format!("/api/teams/{team}/escalation"), &policy).is(200);
    simulator.state().put_on_call(user);
    admin.delete(&format!("/api/users/{user}"));
    assert!(simulator.state().schedule().is_empty());
    assert_eq!(simulator.state().team(team).unwrap().policy, None);
}

#[test]
fn without_users_the_bootstrap_is_open_again() {
    let simulator = Simulator::start(Options::default());
    let nobody = Peer::new(simulator.url(), None);
    let first = nobody.post("/api/bootstrap", &ada()).is(201);
    let admin = nobody.with(first["api_key"]["key"].as_str().unwrap());
    admin.delete(&format!("/api/users/{}", id(&first["user"])));
    nobody.post("/api/bootstrap", &ada()).is(201);
}
