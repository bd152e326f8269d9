//! Each switch of an assumed behaviour.

use serde_json::{Value as Json, json};
use terdut_simulator::{AccountAnswer, AccountLookup, Assumptions, NoPolicy, Options, Simulator};

use crate::peer::{Peer, id, server};

fn assuming(change: impl FnOnce(&mut Assumptions)) -> (Simulator, Peer) {
    let (simulator, admin) = server(Options::default());
    simulator.assume(change);
    (simulator, admin)
}

#[test]
fn names_of_sources_may_repeat() {
    let (simulator, admin) = assuming(|assumed| assumed.integration_names_unique = false);
    let team = simulator.state().add_team("a").id;
    let path = format!("/api/teams/{team}/integrations");
    let body = json!({ "kind": "alertmanager", "name": "s" });
    assert_ne!(admin.post(&path, &body).is(201), admin.post(&path, &body).is(201));
}

#[test]
fn other_kinds_of_sources_are_accepted() {
    let (simulator, admin) = assuming(|assumed| assumed.other_integration_kinds = true);
    let team = simulator.state().add_team("a").id;
    let body = json!({ "kind": "grafana", "name": "s" });
    let made = admin.post(&format!("/api/teams/{team}/integrations"), &body).is(201);
    assert!(made["url"].as_str().unwrap().ends_with("/grafana"));
}

#[test]
fn an_account_is_nested_and_looked_up_as_one_object() {
    let (_simulator, admin) = assuming(|assumed| {
        assumed.account_answer = AccountAnswer::Nested;
        assumed.account_lookup = AccountLookup::Object;
    });
    let body = json!({ "name": "ci", "scope": "instance" });
    let made = admin.post("/api/service-accounts", &body).is(201);
    assert!(made["service_account"]["id"].is_i64() && made["key"]["key"].is_string());
    assert_eq!(admin.get("/api/service-accounts?name=ci").is(200), made["service_account"]);
    admin.get("/api/service-accounts?name=no").refuses(404, "no");
    assert!(admin.get("/api/service-accounts").is(200).is_array());
}

#[test]
fn no_policy_is_shown_in_three_ways() {
    let (simulator, admin) = assuming(|assumed| assumed.no_policy = NoPolicy::EmptyObject);
    let team = simulator.state().add_team("a").id;
    let path = format!("/api/teams/{team}/escalation");
    assert_eq!(admin.get(&path).is(200), json!({}));
    simulator.assume(|assumed| assumed.no_policy = NoPolicy::NoLevels);
    assert_eq!(admin.get(&path).is(200)["levels"], json!([]));
    simulator.assume(|assumed| assumed.no_policy = NoPolicy::NotFound);
    admin.get(&path).refuses(404, "policy");
}

#[test]
fn routes_can_be_missing() {
    let (simulator, admin) = assuming(|assumed| {
        assumed.account_delete_route = false;
        assumed.account_keys_route = false;
        assumed.me_route = false;
    });
    let (account, _) = simulator.state().add_account("ci", None);
    let account = format!("/api/service-accounts/{}", account.id);
    let missing = |reply: crate::peer::Reply| {
        assert_eq!((reply.status, reply.text.trim()), (404, "404 page not found"));
    };
    missing(admin.delete(&account));
    missing(admin.get(&format!("{account}/keys")));
    missing(admin.get("/api/me"));
    admin.post(&format!("{account}/keys"), &json!({ "name": "x" })).is(201);
}

#[test]
fn me_may_know_people_only() {
    let (simulator, admin) = assuming(|assumed| assumed.me_for_accounts = false);
    let (_, key) = simulator.state().add_account("ci", None);
    admin.with(&key.text).get("/api/me").refuses(404, "user");
    admin.get("/api/me").is(200);
}

#[test]
fn deletes_may_be_refused_while_something_hangs_on_them() {
    let (simulator, admin) = assuming(|assumed| {
        assumed.team_delete_cascades = false;
        assumed.named_user_is_kept = true;
    });
    let user = simulator.state().add_user("ada", "ada@example.org").id;
    let team = id(&admin.post("/api/teams", &json!({ "name": "a" })).is(201));
    let level = json!({ "timeout": "1m", "targets": [{ "kind": "user", "user_id": user }] });
    let policy = format!("/api/teams/{team}/escalation");
    admin.put(&policy, &json!({ "levels": [level] })).is(200);
    admin.delete(&format!("/api/teams/{team}")).refuses(409, "below");
    admin.delete(&format!("/api/users/{user}")).refuses(409, "policy");
    admin.put(&policy, &json!({ "levels": [] })).is(200);
    assert_eq!(admin.delete(&format!("/api/teams/{team}")).status, 204);
    assert_eq!(admin.delete(&format!("/api/users/{user}")).status, 204);
}

#[test]
fn lists_come_in_pages() {
    let (simulator, admin) = assuming(|assumed| assumed.page_size = Some(2));
    simulator.state().fill(5, 0);
    let (mut path, mut names) = (Some("/api/teams?x=1".to_owned()), Vec::new());
    while let Some(next) = path.take() {
        let reply = admin.get(&next);
        names.extend(reply.is(200).as_array().unwrap().iter().map(|team| team["name"].clone()));
        let link = reply.header("link").map(|link| link[1..link.find('>').unwrap()].to_owned());
        path = link.map(|link| link.strip_prefix(simulator.url()).unwrap().to_owned());
    }
    assert_eq!(names.len(), 5);
    assert!(simulator.requests()[2].path.contains("x=1&page=3"));
}

#[test]
fn a_page_may_point_to_another_origin() {
    let (simulator, admin) = assuming(|assumed| {
        assumed.page_size = Some(1);
        assumed.page_origin = Some("http://192.0.2.1".to_owned());
    });
    simulator.state().fill(2, 0);
    let link = admin.get("/api/teams").header("link").map(str::to_owned);
    assert_eq!(link.as_deref(), Some("<http://192.0.2.1/api/teams?page=2>; rel=\"next\""));
}

#[test]
fn answers_may_have_fields_that_nobody_knows() {
    let (_simulator, admin) = assuming(|assumed| assumed.extra_fields = true);
    let body = json!({ "name": "ci", "scope": "instance" });
    let made = admin.post("/api/service-accounts", &body).is(201);
    assert!(made["unheard_of"].is_object() && made["key"]["unheard_of"].is_object());
    assert!(admin.get("/api/users").is(200)[0]["unheard_of"].is_object());
}

#[test]
fn a_matcher_may_be_made_canonical() {
    let (simulator, admin) = assuming(|assumed| assumed.canonical_matchers = true);
    let team = simulator.state().add_team("a").id;
    let body = json!({ "name": "w", "matcher": "b = 2, a=1", "timeout": "1h", "severity": "info" });
    let made = admin.post(&format!("/api/teams/{team}/deadman-switches"), &body).is(201);
    assert_eq!(made["matcher"], "a=1,b=2");
}

#[test]
fn an_assumption_is_changed_by_name() {
    let changed = Assumptions::default().with(&json!({ "page_size": 3, "no_policy": "no_levels" }));
    let changed = changed.unwrap();
    assert_eq!((changed.page_size, changed.no_policy), (Some(3), NoPolicy::NoLevels));
    let unknown: Json = json!({ "pagesize": 3 });
    assert!(Assumptions::default().with(&unknown).unwrap_err().contains("pagesize"));
}
