//! Keys of less than everything: a team's key manages what belongs to its team, and no more.

use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::host::{Action, ImportBy, to_json};

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_teams_key_manages_what_belongs_to_the_team: escalation_rule, deadman_switch,
    alert_source);
for_each_kind!(a_teams_key_lists_what_is_its_teams: escalation_rule, deadman_switch,
    alert_source);
for_each_kind!(a_teams_key_is_told_what_it_may_not: team, user, service_account);
for_each_kind!(a_server_that_is_too_old_is_told_from_one_that_lacks_the_object);

/// Configures the provider with a key of the fixture's team; the settings.
async fn as_team(scene: &Scene) -> Json {
    let team = scene.fixture.team.parse().expect("a number");
    let (_, key) = scene.simulator.state().add_account("tenant", Some(team));
    let mut settings = scene.settings();
    settings["token"] = json!(key.text);
    scene.world.configure(&settings).await.expect("the settings are good");
    settings
}

async fn a_teams_key_manages_what_belongs_to_the_team(mut scene: Scene, kind: Kind) {
    let settings = as_team(&scene).await;
    scene.settle(&kind, &kind.small).await;
    let state = scene.settle(&kind, &kind.full).await;
    for change in kind.changes.iter().filter(|change| change.attribute != "team_id") {
        let config = with(&kind.full, change.attribute, &change.value);
        scene.settle(&kind, &config).await;
    }
    scene.settle(&kind, &kind.full).await;
    scene.world.forget(ADDRESS);
    // A host forgets in a run of its own; the next one configures the provider anew.
    scene.world.configure(&settings).await.expect("the settings are good");
    let state = if kind.type_name == "terdut_escalation_rule" {
        state
    } else {
        let config = with(&kind.full, "adopt_existing", &json!(true));
        scene.settle(&kind, &config).await
    };
    scene.world.forget(ADDRESS);
    let id = filled(kind.imports[0], &state);
    let imported = scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await;
    imported.unwrap_or_else(|failure| panic!("{id}: {failure}"));
    scene.settle(&kind, &kind.full).await;
    scene.world.plan_destroy(ADDRESS).await.expect("a plan").expect(Action::Delete);
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    scene.world.close().await;
}

async fn a_teams_key_lists_what_is_its_teams(mut scene: Scene, kind: Kind) {
    as_team(&scene).await;
    let state = scene.settle(&kind, &kind.full).await;
    let session = scene.world.session().clone();
    let own = json!({ "team_id": scene.fixture.team });
    let listed = session.list(kind.type_name, &own, true, 100).await;
    listed.outcome.as_ref().unwrap_or_else(|failure| panic!("{failure}"));
    let ids: Vec<_> = listed.objects.iter().map(|one| to_json(&one.object)["id"].clone()).collect();
    assert_eq!(ids, [state["id"].clone()]);
    let all = session.list(kind.type_name, &json!({}), true, 100).await;
    let failure = all.outcome.expect_err("the key may not list all teams");
    assert!(failure.says("403") && failure.says("set team_id to its team's id"), "{failure}");
    assert!(!failure.says("has another scope"), "{failure}");
    // A rule goes by its team's name, which the key may not read either.
    let by_name = json!({ "team_id": scene.fixture.team, "name_prefix": "F" });
    let told = session.list(kind.type_name, &by_name, true, 100).await.outcome;
    if kind.type_name == "terdut_escalation_rule" {
        let failure = told.expect_err("names are the teams'");
        assert!(failure.says("nothing by name"), "{failure}");
    } else {
        told.unwrap_or_else(|failure| panic!("{failure}"));
    }
    scene.world.close().await;
}

async fn a_teams_key_is_told_what_it_may_not(mut scene: Scene, kind: Kind) {
    as_team(&scene).await;
    let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
    let failure = applied.expect_err("the key may not");
    assert!(failure.errors().all(|error| !error.detail.is_empty()), "{failure}");
    assert_eq!(scene.world.state(ADDRESS), None);
    scene.world.close().await;
}

async fn a_server_that_is_too_old_is_told_from_one_that_lacks_the_object(
    mut scene: Scene,
    kind: Kind,
) {
    let state = scene.settle(&kind, &kind.full).await;
    let route = kind.list.replace("{service_account_id}", "{id}").replace("{team_id}", "{id}");
    scene.simulator.fault(Fault::on("GET", &route).no_route());
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let failure = scene.world.refresh(ADDRESS).await.expect_err("the route is missing");
    assert!(failure.says("old"), "{failure}");
    assert_eq!(scene.world.state(ADDRESS), Some(&state));
    scene.world.close().await;
}
