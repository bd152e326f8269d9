//! A name that is taken already: an error with the import block, or adoption where wanted.

use serde_json::{Value as Json, json};

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_taken_name_is_an_error_that_names_the_import: team, escalation_rule,
    deadman_switch, alert_source, user, service_account);
for_each_kind!(a_predecessor_that_was_adopted_is_not_deleted: alert_source);
for_each_kind!(a_successor_of_the_same_name_is_told_why_it_is_refused: alert_source);
for_each_kind!(a_taken_name_is_adopted_where_wanted: team, escalation_rule, deadman_switch,
    alert_source, user, service_account);

async fn a_taken_name_is_an_error_that_names_the_import(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let before = scene.writes();
    scene.world.forget(ADDRESS);
    let second = another(&kind);
    let applied = scene.world.apply("thing.second", kind.type_name, &second).await;
    let failure = applied.expect_err("the name is taken");
    let id = state["id"].as_str().expect("an id");
    assert!(failure.says(id) && failure.says("import"), "{failure}");
    assert!(failure.says("adopt_existing"), "{failure}");
    assert_eq!(scene.world.state("thing.second"), None);
    assert!(scene.writes() <= before + 1, "a taken name led to writing");
    scene.world.close().await;
}

/// The same name. A policy has none: what another one says would be overwritten.
fn another(kind: &Kind) -> Json {
    if kind.type_name == "terdut_escalation_rule" {
        with(&kind.full, "repeat_count", &json!(5))
    } else {
        kind.full.clone()
    }
}

async fn a_taken_name_is_adopted_where_wanted(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    scene.world.forget(ADDRESS);
    // A host forgets in a run of its own; the next one configures the provider anew.
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let adopted = scene.settle(&kind, &config).await;
    assert_eq!(adopted["id"], state["id"]);
    scene.world.close().await;
}

/// With `create_before_destroy` the old object still has the name.
async fn a_successor_of_the_same_name_is_told_why_it_is_refused(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    scene.world.create_before_destroy(true);
    let rotated = with(&kind.full, "rotate_when_changed", &json!({ "quarter": "q2" }));
    let plan = scene.world.plan(ADDRESS, kind.type_name, &rotated).await.expect("it plans");
    assert!(plan.warns("remove create_before_destroy"), "{:?}", plan.diagnostics);
    let applied = scene.world.apply(ADDRESS, kind.type_name, &rotated).await;
    let failure = applied.expect_err("the old one has the name");
    assert!(failure.says("taken") && failure.says("remove create_before_destroy"), "{failure}");
    assert_eq!(scene.world.state(ADDRESS).expect("it stays")["id"], state["id"]);
    scene.world.close().await;
}

/// With `create_before_destroy` the old object still has the name and is taken over. The destroy
/// that follows must not delete what the state then stands for.
async fn a_predecessor_that_was_adopted_is_not_deleted(mut scene: Scene, kind: Kind) {
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let state = scene.settle(&kind, &config).await;
    scene.world.create_before_destroy(true);
    // A host applies in a run of its own, which configures the provider anew.
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let rotated = with(&config, "rotate_when_changed", &json!({ "quarter": "q2" }));
    let applied = scene.world.apply(ADDRESS, kind.type_name, &rotated).await.expect("adopted");
    assert_eq!(applied.state["id"], state["id"]);
    let team = scene.fixture.team.parse().expect("a number");
    let left = scene.simulator.state().team(team).expect("the team is there").integrations;
    assert_eq!(left.len(), 1, "the object that the state stands for was deleted");
    scene.world.refresh(ADDRESS).await.expect("it is there");
    scene.world.destroy(ADDRESS).await.expect("it is deleted");
    let left = scene.simulator.state().team(team).expect("the team is there").integrations;
    assert!(left.is_empty(), "a later destroy left it");
    scene.world.close().await;
}
