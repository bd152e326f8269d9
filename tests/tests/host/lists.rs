//! Lists of each kind: complete, narrowed, limited, and honest about what cannot be listed.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, Level, Policy, Target};
use terdut_tests::host::{ImportBy, ListAnswer, to_json};

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(what_is_listed_is_what_an_import_of_its_identity_reads);
for_each_kind!(a_list_obeys_its_limit_and_tells_each_object_once);
for_each_kind!(a_list_that_cannot_be_made_says_why);
for_each_kind!(a_list_is_narrowed_by_names: team, escalation_rule, deadman_switch, alert_source,
    user, service_account, service_account_key);

/// What people read of an object, without where it is.
fn ending(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

fn good(answer: ListAnswer) -> ListAnswer {
    if let Err(failure) = &answer.outcome {
        panic!("{failure}");
    }
    answer
}

/// How the object of a state is called in a list.
fn called(kind: &Kind, state: &Json) -> String {
    let name = match kind.type_name {
        "terdut_user" => &state["username"],
        "terdut_escalation_rule" => return "Fixture".to_owned(),
        _ => &state["name"],
    };
    name.as_str().unwrap_or_default().trim().to_owned()
}

async fn what_is_listed_is_what_an_import_of_its_identity_reads(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let whole = scene.world.identity(ADDRESS).cloned().expect("an identity");
    let session = scene.world.session().clone();
    let listed = good(session.list(kind.type_name, &Json::Null, true, 1000).await).objects;
    let ours = listed.iter().find(|listed| to_json(&listed.identity) == whole);
    let ours = ours.unwrap_or_else(|| panic!("{whole} is not in {listed:?}"));
    assert_eq!(ending(&ours.name), called(&kind, &state));
    let bare = good(session.list(kind.type_name, &Json::Null, false, 1000).await).objects;
    assert_eq!(bare.len(), listed.len());
    // Every one of them, ours or not.
    for listed in listed {
        scene.world.forget(ADDRESS);
        let identity = to_json(&listed.identity);
        let by = ImportBy::Identity(&identity);
        let imported = scene.world.import(ADDRESS, kind.type_name, by).await;
        imported.unwrap_or_else(|failure| panic!("{identity}: {failure}"));
        assert_eq!(scene.world.state(ADDRESS), Some(&to_json(&listed.object)), "{identity}");
        assert_eq!(scene.world.identity(ADDRESS), Some(&identity));
    }
    scene.world.close().await;
}

async fn a_list_obeys_its_limit_and_tells_each_object_once(mut scene: Scene, kind: Kind) {
    scene.settle(&kind, &kind.full).await;
    let session = scene.world.session().clone();
    let all = good(session.list(kind.type_name, &Json::Null, false, 0).await);
    for limit in 1..=all.objects.len() {
        let some = session
            .list(kind.type_name, &Json::Null, false, i64::try_from(limit).unwrap_or(i64::MAX))
            .await;
        assert_eq!(good(some).names(), all.names()[..limit], "the same order");
    }
    session.validate_list(kind.type_name, &Json::Null, 10).await.expect("a good limit");
    let refused = session.validate_list(kind.type_name, &Json::Null, -1).await;
    assert!(refused.expect_err("a bad limit").says("limit"));
    scene.world.close().await;
}

async fn a_list_that_cannot_be_made_says_why(scene: Scene, kind: Kind) {
    let session = scene.world.session().clone();
    let list = async || session.list(kind.type_name, &Json::Null, false, 100).await;
    // What is refused is an event of the stream, and no object is made up.
    scene.simulator.fault(Fault::on("GET", "*").always().error(503, "starting"));
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let failure = list().await.outcome.expect_err("the server does not answer");
    assert!(failure.says("503") && failure.says("starting"), "{failure}");
    scene.simulator.clear_faults();
    let unknown = json!({ "$unknown": true });
    for (settings, named) in [
        (json!({ "url": unknown, "token": "t" }), "TERDUT_URL"),
        (json!({ "url": scene.api.base(), "token": unknown }), "TERDUT_TOKEN"),
        (json!({ "url": scene.api.base() }), "TERDUT_TOKEN"),
        (json!({}), "TERDUT_URL"),
    ] {
        scene.world.configure(&settings).await.expect("nothing is asked yet");
        let failure = list().await.outcome.expect_err("a setting is missing");
        assert!(failure.says(named), "{settings}: {failure}");
    }
    scene.world.close().await;
}

async fn a_list_is_narrowed_by_names(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let session = scene.world.session().clone();
    let name = called(&kind, &state);
    let (first, _) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    for (filter, found) in [
        (json!({ "name": name }), true),
        (json!({ "name": format!(" {name} ") }), true),
        (json!({ "name_prefix": first }), true),
        (json!({ "name_contains": name.to_uppercase() }), true),
        (json!({ "name_prefix": first, "name_contains": "no such thing" }), false),
        (json!({ "name": "no such thing" }), false),
    ] {
        let listed = good(session.list(kind.type_name, &filter, false, 100).await);
        let is_there = listed.names().iter().any(|listed| ending(listed) == name);
        assert_eq!(is_there, found, "{filter}: {:?}", listed.names());
        assert!(found || listed.objects.is_empty(), "{filter}: {:?}", listed.names());
    }
    scene.world.close().await;
}

/// Names that a narrowed list finds.
async fn found(scene: &Scene, type_name: &str, filter: Json) -> Vec<String> {
    let session = scene.world.session();
    session.validate_list(type_name, &filter, 100).await.expect("a good filter");
    let listed = good(session.list(type_name, &filter, false, 100).await);
    listed.names().into_iter().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_teams_is_listed_for_one_or_for_all() {
    let scene = Scene::start().await;
    let (one, other) = (&scene.fixture.team, &scene.fixture.other_team);
    for (team, name, severity) in [(one, "a", "critical"), (one, "b", "info"), (other, "a", "info")]
    {
        let switch =
            json!({ "name": name, "matcher": "a=b", "timeout": "5m", "severity": severity });
        scene.api.post(&format!("/api/teams/{team}/deadman-switches"), &switch).await;
        let source = json!({ "name": name, "kind": "alertmanager" });
        scene.api.post(&format!("/api/teams/{team}/integrations"), &source).await;
    }
    for type_name in ["terdut_deadman_switch", "terdut_alert_source"] {
        let all = found(&scene, type_name, json!({})).await;
        assert_eq!(all, ["Fixture/a", "Fixture/b", "Fixture 2/a"]);
        assert_eq!(found(&scene, type_name, json!({ "team_id": other })).await, ["a"]);
        let named = found(&scene, type_name, json!({ "name": "a" })).await;
        assert_eq!(named, ["Fixture/a", "Fixture 2/a"]);
    }
    let quiet = found(&scene, "terdut_deadman_switch", json!({ "severity": "info" })).await;
    assert_eq!(quiet, ["Fixture/b", "Fixture 2/a"]);
    let kind = json!({ "kind": "webhook" });
    assert!(found(&scene, "terdut_alert_source", kind).await.is_empty());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_keys_are_listed_by_scope_and_by_team() {
    let scene = Scene::start().await;
    let team = &scene.fixture.team;
    let id: i64 = team.parse().unwrap();
    let account = json!({ "name": "team-bot", "scope": "team", "team_id": id });
    scene.api.post("/api/service-accounts", &account).await;
    let accounts = "terdut_service_account";
    assert_eq!(found(&scene, accounts, json!({ "scope": "team" })).await, ["team-bot"]);
    assert_eq!(found(&scene, accounts, json!({ "team_id": team })).await, ["team-bot"]);
    let instance = found(&scene, accounts, json!({ "scope": "instance" })).await;
    assert_eq!(instance, ["robot", "robot-2"]);
    let keys = "terdut_service_account_key";
    for (filter, owners) in [
        (json!({ "scope": "team" }), &["team-bot"][..]),
        (json!({ "team_id": team }), &["team-bot"]),
        (json!({ "service_account_id": scene.fixture.account }), &["robot"]),
        (json!({}), &["robot", "robot-2", "team-bot"]),
    ] {
        let names = found(&scene, keys, filter.clone()).await;
        let of: Vec<_> = names.iter().filter_map(|name| name.split('/').next()).collect();
        assert_eq!(of, owners, "{filter}");
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_teams_rule_is_found_by_the_teams_id_and_then_goes_by_it() {
    let scene = Scene::start().await;
    let team = &scene.fixture.team;
    let levels = json!([{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }]);
    for team in [team, &scene.fixture.other_team] {
        let rule = json!({ "repeat_count": 1, "levels": levels });
        let path = format!("/api/teams/{team}/escalation");
        scene.api.send(http::Method::PUT, &path, Some(&rule)).await;
    }
    let rules = "terdut_escalation_rule";
    let own = json!({ "team_id": team });
    assert_eq!(found(&scene, rules, own).await, [format!("team {team}")]);
    let named = json!({ "team_id": team, "name": "Fixture" });
    assert_eq!(found(&scene, rules, named).await, ["Fixture"]);
    let other = json!({ "team_id": team, "name": "Fixture 2" });
    assert!(found(&scene, rules, other).await.is_empty());
    assert_eq!(found(&scene, rules, json!({})).await, ["Fixture", "Fixture 2"]);
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_half_way_comes_after_what_was_found() {
    let scene = Scene::start().await;
    for team in [&scene.fixture.team, &scene.fixture.other_team] {
        let source = json!({ "name": "a", "kind": "alertmanager" });
        scene.api.post(&format!("/api/teams/{team}/integrations"), &source).await;
    }
    // Several are asked at once, so that of the second's errors none may be lost in the crowd.
    let second = format!("/api/teams/{}/integrations", scene.fixture.other_team);
    scene.simulator.fault(Fault::on("GET", &second).error(500, "no luck"));
    let answer = scene.world.session().list("terdut_alert_source", &json!({}), true, 100).await;
    assert_eq!(answer.names(), ["Fixture/a"]);
    let failure = answer.outcome.expect_err("the second team cannot be read");
    assert!(failure.says("no luck") && failure.says("listing"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn teams_and_accounts_are_asked_some_at_once_in_their_order_and_no_more_than_is_wanted() {
    const DELAY: Duration = Duration::from_millis(400);
    let scene = Scene::start().await;
    let state = scene.simulator.state();
    for number in 10..40 {
        let team = state.add_team(&format!("team {number}")).id;
        let oncall = Target { kind: "oncall".to_owned(), user_id: None };
        let levels = vec![Level { timeout: "5m0s".to_owned(), targets: vec![oncall] }];
        let policy = Policy { team_id: team, repeat_count: 1, fallback_topic: None, levels };
        state.set_policy(team, Some(policy)).expect("the team");
        state.add_integration(team, "a");
        state.add_account(&format!("account {number}"), Some(team));
        let switch = json!({ "name": "a", "matcher": "a=b", "timeout": "5m", "severity": "info" });
        scene.api.post(&format!("/api/teams/{team}/deadman-switches"), &switch).await;
    }
    for (type_name, route) in [
        ("terdut_alert_source", "/api/teams/{id}/integrations"),
        ("terdut_deadman_switch", "/api/teams/{id}/deadman-switches"),
        ("terdut_escalation_rule", "/api/teams/{id}/escalation"),
        ("terdut_service_account_key", "/api/service-accounts/{id}/keys"),
    ] {
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        scene.simulator.clear_requests();
        scene.simulator.fault(Fault::on("GET", route).always().delay(DELAY));
        let listed = scene.world.session().list(type_name, &Json::Null, false, 10).await;
        scene.simulator.clear_faults();
        let listed = good(listed);
        let names = listed.names();
        // The fixture's own accounts have keys too.
        let ours = names.iter().filter(|name| !name.starts_with("robot"));
        assert!(names.len() == 10 && ours.is_sorted(), "{type_name}: {names:?}");
        let asked = scene.simulator.requests();
        let asked: Vec<_> = asked.iter().filter(|one| one.is("GET", route)).collect();
        // What has no object (the fixture's own two), what has one, and what was asked ahead.
        assert!((10..=2 + 10 + 8).contains(&asked.len()), "{type_name}: {}", asked.len());
        let after = |nth: usize| Duration::from_millis(asked[nth].at_ms - asked[0].at_ms);
        assert!(after(7) < DELAY && after(8) >= DELAY, "{type_name}: eight at once");
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_goes_while_its_turn_comes_has_nothing_to_list() {
    let scene = Scene::start().await;
    let team = scene.fixture.other_team.clone();
    let session = scene.world.session().clone();
    // The list of teams is remembered; then one of them goes.
    good(session.list("terdut_team", &Json::Null, false, 100).await);
    scene.api.send(http::Method::DELETE, &format!("/api/teams/{team}"), None).await;
    for type_name in ["terdut_deadman_switch", "terdut_alert_source", "terdut_escalation_rule"] {
        good(session.list(type_name, &Json::Null, false, 100).await);
    }
    let failure =
        session.list("terdut_alert_source", &json!({ "team_id": team }), false, 100).await;
    assert!(failure.outcome.is_err(), "a team that is named has to be there");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_list_is_told_at_once_and_nothing_of_what_is_unknown() {
    let scene = Scene::start().await;
    let session = scene.world.session().clone();
    let bad = json!({ "team_id": "seven", "service_account_id": "x", "scope": "all" });
    let failure = session.validate_list("terdut_service_account_key", &bad, 10).await;
    let failure = failure.expect_err("nothing of it is good");
    assert_eq!(failure.paths(), ["scope", "service_account_id", "team_id"]);
    let open = json!({ "team_id": { "$unknown": true } });
    session.validate_list("terdut_alert_source", &open, 10).await.expect("nothing is known of it");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_is_complete_and_a_server_is_not_listed() {
    let scene = Scene::start().await;
    scene.simulator.state().fill(300, 0);
    let session = scene.world.session().clone();
    let all = good(session.list("terdut_team", &Json::Null, true, 1000).await);
    assert_eq!(all.objects.len(), scene.simulator.state().teams().len());
    assert!(all.objects.len() > 300);
    assert!(!session.schemas().lists.contains_key("terdut_server"));
    assert_eq!(session.schemas().lists.len() + 1, session.schemas().resources.len());
    scene.world.close().await;
}
