//! What a plan says beyond what it does: what goes with an object that is deleted, what breaks when
//! one is replaced, whom an unknown name comes near. Hints are exact, cost little, and are dropped
//! rather than be an error.

use std::time::{Duration, Instant};

use futures::StreamExt;
use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::harness::not_gone;
use terdut_tests::host::{PlanOutcome, World};

use crate::scene::{ADDRESS, Scene};

const TEAM: &str = "terdut_team";
const MORE: &str = "More is deleted with the team";

/// What a plan warns of.
fn warnings(plan: &PlanOutcome) -> Vec<String> {
    plan.diagnostics.iter().map(ToString::to_string).collect()
}

async fn planned_end(scene: &Scene, address: &str) -> Vec<String> {
    let plan = scene.world.plan_destroy(address).await;
    warnings(&plan.unwrap_or_else(|failure| panic!("{address}: {failure}")))
}

async fn made(scene: &mut Scene, address: &str, type_name: &str, config: Json) -> String {
    let applied = scene.world.apply(address, type_name, &config).await;
    let applied = applied.unwrap_or_else(|failure| panic!("{config}: {failure}"));
    applied.state["id"].as_str().expect("an id").to_owned()
}

fn switch(name: &str) -> Json {
    json!({ "name": name, "matcher": "a=b", "timeout": "1h", "severity": "critical" })
}

/// A team that Terraform holds, with one switch of its own and more that others made.
async fn team_with_others(scene: &mut Scene) -> String {
    let team = made(scene, "team", TEAM, json!({ "name": "Platform" })).await;
    let config = json!({ "team_id": team, "name": "held", "matcher": "a=b", "timeout": "1h" });
    made(scene, "switch", "terdut_deadman_switch", config).await;
    let below = |path: &str| format!("/api/teams/{team}/{path}");
    scene.api.post(&below("deadman-switches"), &switch("by hand")).await;
    let source = json!({ "kind": "alertmanager", "name": "clicked" });
    scene.api.post(&below("integrations"), &source).await;
    let policy = json!({ "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }] });
    scene.api.put(&below("escalation"), &policy).await;
    let number: i64 = team.parse().expect("a number");
    let account = json!({ "name": "team-ci", "scope": "team", "team_id": number });
    scene.api.post("/api/service-accounts", &account).await;
    // A run of its own: lists of the one before are not looked at again.
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    team
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_team_names_what_goes_with_it_and_is_not_in_the_plan() {
    let mut scene = Scene::start().await;
    team_with_others(&mut scene).await;
    assert_eq!(planned_end(&scene, "switch").await, Vec::<String>::new());
    let told = planned_end(&scene, "team").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(MORE), "{told:?}");
    let listed = "the dead man's switch \"by hand\"; the alert source \"clicked\"; the escalation \
                  rule; the service account \"team-ci\".";
    assert!(told[0].contains(listed), "{told:?}");
    let ended = scene.world.destroy("team").await.expect("a warning keeps nobody from it");
    assert!(ended.plan.warns(MORE));
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_takes_nothing_else_along_ends_quietly() {
    let mut scene = Scene::start().await;
    let team = made(&mut scene, "team", TEAM, json!({ "name": "Platform" })).await;
    assert_eq!(planned_end(&scene, "team").await, Vec::<String>::new());
    let config = json!({
        "team_id": team, "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }]
    });
    made(&mut scene, "rule", "terdut_escalation_rule", config).await;
    let config = json!({ "name": "ci", "scope": "team", "team_id": team });
    let account = made(&mut scene, "account", "terdut_service_account", config).await;
    let config = json!({ "service_account_id": account });
    made(&mut scene, "key", "terdut_service_account_key", config).await;
    // In the order in which a host destroys them.
    for address in ["key", "account", "rule", "team"] {
        assert_eq!(planned_end(&scene, address).await, Vec::<String>::new(), "{address}");
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_user_names_the_rules_that_page_them_and_the_schedule() {
    let mut scene = Scene::start().await;
    let config = json!({ "username": "eve", "email": "eve@example.org" });
    let eve = made(&mut scene, "eve", "terdut_user", config).await;
    assert_eq!(planned_end(&scene, "eve").await, Vec::<String>::new());
    let eve: i64 = eve.parse().expect("a number");
    let target = json!({ "kind": "user", "user_id": eve });
    let policy = json!({ "levels": [{ "timeout": "5m", "targets": [target] }] });
    for team in [&scene.fixture.team, &scene.fixture.other_team] {
        scene.api.put(&format!("/api/teams/{team}/escalation"), &policy).await;
    }
    scene.simulator.state().put_on_call(eve);
    // Each run asks anew.
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let told = planned_end(&scene, "eve").await;
    assert_eq!(told.len(), 1, "{told:?}");
    let listed = "is a target in the escalation rule of the teams \"Fixture\", \"Fixture 2\", and \
                  is on call today";
    assert!(told[0].contains(listed), "{told:?}");

    // A rule that the same plan changes is no longer one that names them.
    scene.simulator.state().put_on_call(1);
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let rule = |target: Json| {
        json!({ "team_id": scene.fixture.team, "adopt_existing": true,
                "levels": [{ "timeout": "5m", "targets": [target] }] })
    };
    let without = rule(json!({ "kind": "oncall" }));
    scene.world.plan("rule", "terdut_escalation_rule", &without).await.expect("a plan");
    let told = planned_end(&scene, "eve").await;
    assert!(told.len() == 1 && told[0].contains("of the team \"Fixture 2\"."), "{told:?}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_service_account_names_the_keys_of_others() {
    let mut scene = Scene::start().await;
    let config = json!({ "name": "ci", "scope": "instance" });
    let account = made(&mut scene, "account", "terdut_service_account", config).await;
    let config = json!({ "service_account_id": account, "name": "held" });
    made(&mut scene, "key", "terdut_service_account_key", config).await;
    let keys = format!("/api/service-accounts/{account}/keys");
    scene.api.post(&keys, &json!({ "name": "by hand" })).await;
    assert_eq!(planned_end(&scene, "key").await, Vec::<String>::new());
    let told = planned_end(&scene, "account").await;
    assert!(told.len() == 1 && told[0].contains("by this plan: \"by hand\"."), "{told:?}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_that_cannot_be_had_is_dropped_soon_and_is_no_error() {
    let mut scene = Scene::start().await;
    team_with_others(&mut scene).await;
    for (name, fault) in not_gone(Duration::from_secs(10)) {
        scene.simulator.clear_faults();
        scene.simulator.fault(Fault {
            method: Some("GET".to_owned()),
            route: Some("/api/teams/{id}/deadman-switches".to_owned()),
            ..fault
        });
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        let begun = Instant::now();
        assert_eq!(planned_end(&scene, "team").await, Vec::<String>::new(), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{name}: {:?}", begun.elapsed());
    }
    scene.simulator.clear_faults();
    let open = json!({ "url": { "$unknown": true }, "token": "x" });
    scene.world.configure(&open).await.expect("it is open");
    assert_eq!(planned_end(&scene, "team").await, Vec::<String>::new());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_that_would_cost_too_much_costs_nothing() {
    let mut scene = Scene::start().await;
    let config = json!({ "username": "eve", "email": "eve@example.org" });
    let eve: i64 = made(&mut scene, "eve", "terdut_user", config).await.parse().expect("a number");
    let target = json!({ "kind": "user", "user_id": eve });
    let policy = json!({ "levels": [{ "timeout": "5m", "targets": [target] }] });
    scene.api.put(&format!("/api/teams/{}/escalation", scene.fixture.team), &policy).await;
    // The schedule and the list of teams are two questions of the twenty.
    for (teams, asked) in [(18, 18), (19, 0)] {
        while scene.simulator.state().team_count() < teams {
            scene.simulator.state().add_team(&format!("team of {teams}"));
        }
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        scene.simulator.clear_requests();
        let told = planned_end(&scene, "eve").await;
        assert_eq!(told.len(), usize::from(asked > 0), "{teams} teams: {told:?}");
        assert_eq!(scene.simulator.count("GET", "/api/teams/{id}/escalation"), asked);
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_thousands_of_objects_costs_a_handful_of_requests() {
    const TEAMS: usize = 50;
    const SWITCHES: usize = 5000;
    let scene = Scene::start().await;
    scene.simulator.state().fill(TEAMS, SWITCHES);
    let teams = scene.simulator.state().teams();
    let session = scene.world.session();
    let mut objects = Vec::new();
    for team in &teams {
        for switch in &team.switches {
            objects.push((
                "terdut_deadman_switch",
                json!({
                    "id": switch.id.to_string(), "team_id": switch.team_id.to_string(),
                    "name": switch.name, "matcher": switch.matcher, "timeout": switch.timeout,
                    "severity": switch.severity
                }),
            ));
        }
    }
    objects.extend(
        teams
            .iter()
            .map(|team| (TEAM, json!({ "id": team.team.id.to_string(), "name": team.team.name }))),
    );
    objects.extend(scene.simulator.state().users().iter().map(|user| {
        let (id, name, email) = (user.id.to_string(), &user.username, &user.email);
        ("terdut_user", json!({ "id": id, "username": name, "email": email }))
    }));
    assert!(objects.len() > SWITCHES + TEAMS);
    scene.simulator.clear_requests();
    let ends = objects.into_iter().map(|(type_name, state)| async move {
        let mut world = World::over(session.clone());
        world.put_state(ADDRESS, type_name, 0, state);
        world.plan_destroy_as_stored(ADDRESS).await.expect("a plan");
    });
    futures::stream::iter(ends).buffer_unordered(10).collect::<Vec<()>>().await;
    let requests = scene.simulator.requests().len();
    assert!(requests <= 20, "{requests} requests");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_user_is_told_with_those_who_come_near() {
    let mut scene = Scene::start().await;
    let rule = |name: &str| {
        json!({ "team_id": scene.fixture.team,
                "levels": [{ "timeout": "5m", "targets": [{ "kind": "user", "username": name }] }] })
    };
    for (name, says) in [("Ada", "Did you mean \"ada\"?"), ("bbo", "Did you mean \"bob\"?")] {
        let config = rule(name);
        let applied = scene.world.apply(ADDRESS, "terdut_escalation_rule", &config).await;
        let failure = applied.expect_err("nobody is called that");
        assert!(failure.says(says), "{failure}");
        assert_eq!(failure.paths(), ["levels[0].targets[0].username"]);
    }
    let config = rule("zoe");
    let applied = scene.world.apply(ADDRESS, "terdut_escalation_rule", &config).await;
    let failure = applied.expect_err("nobody is called that");
    assert!(!failure.says("Did you mean"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_says_what_breaks_and_an_update_says_nothing() {
    let mut scene = Scene::start().await;
    let team = scene.fixture.team.clone();
    let source = |name: &str, generation: &str| json!({ "team_id": team, "name": name, "rotate_when_changed": { "g": generation } });
    let watch = |timeout: &str| json!({ "team_id": team, "name": "w", "matcher": "a=b", "timeout": timeout });
    made(&mut scene, "source", "terdut_alert_source", source("prod", "1")).await;
    made(&mut scene, "switch", "terdut_deadman_switch", watch("1h")).await;
    let cases = [
        ("source", "terdut_alert_source", source("production", "1"), None),
        (
            "source",
            "terdut_alert_source",
            source("prod", "2"),
            Some("sends to the old URL is refused"),
        ),
        ("switch", "terdut_deadman_switch", watch("60m"), None),
        (
            "switch",
            "terdut_deadman_switch",
            watch("2h"),
            Some("the first heartbeat is waited for anew"),
        ),
    ];
    for (address, type_name, config, says) in cases {
        let plan = scene.world.plan(address, type_name, &config).await.expect("a plan");
        match says {
            Some(says) => assert!(plan.warns(says), "{:?}", warnings(&plan)),
            None => assert_eq!(warnings(&plan), Vec::<String>::new(), "{config}"),
        }
    }
    scene.world.close().await;
}
