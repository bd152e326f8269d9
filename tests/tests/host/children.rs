//! What only one kind below a team does: people in a rule, the key of an alert source.

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, FaultBody};
use terdut_tests::host::Action;

use crate::kinds::with;
use crate::scene::{ADDRESS, Scene};

const RULE: &str = "terdut_escalation_rule";
const SOURCE: &str = "terdut_alert_source";

#[tokio::test(flavor = "multi_thread")]
async fn a_person_whom_nobody_knows_is_named_at_the_target() {
    let mut scene = Scene::start().await;
    let targets = json!([{ "kind": "oncall" }, { "kind": "user", "username": "nobody" }]);
    let levels = json!([{ "timeout": "5m", "targets": targets }]);
    let config = json!({ "team_id": scene.fixture.team, "levels": levels });
    let before = scene.writes();
    let applied = scene.world.apply(ADDRESS, RULE, &config).await;
    let failure = applied.expect_err("there is no such person");
    assert!(failure.says("nobody"), "{failure}");
    assert_eq!(failure.paths(), ["levels[0].targets[1].username"], "{failure}");
    assert_eq!((scene.writes(), scene.world.state(ADDRESS)), (before, None));
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_left_the_list_is_shown_without_a_name_and_put_again() {
    let mut scene = Scene::start().await;
    let kind = scene.kind(RULE);
    scene.settle(&kind, &kind.full).await;
    let list = Fault::on("GET", "/api/users").always();
    scene.simulator.fault(list.answer(200, FaultBody::Json(json!([]))));
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let plan = scene.world.plan(ADDRESS, RULE, &kind.full).await.expect("a plan");
    plan.expect(Action::Update);
    let seen = scene.world.refresh(ADDRESS).await.expect("a read").expect("the rule is there");
    let target = json!({ "kind": "user", "username": null });
    assert_eq!(seen["levels"][1]["targets"][0], target, "{seen}");
    scene.simulator.clear_faults();
    scene.settle(&kind, &kind.full).await;
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_change_between_two_maps_makes_a_source_anew() {
    let mut scene = Scene::start().await;
    let kind = scene.kind(SOURCE);
    let config = |map: Json| with(&kind.small, "rotate_when_changed", &map);
    let mut last = scene.settle(&kind, &kind.small).await;
    for (map, rotates) in [
        (json!({}), false),
        (json!({ "n": "1" }), false),
        (json!({ "n": "2" }), true),
        (json!({ "n": "2", "m": "1" }), true),
        (json!(null), false),
        (json!({ "n": "3" }), false),
        (json!({}), false),
    ] {
        let before = scene.writes();
        let state = scene.settle(&kind, &config(map.clone())).await;
        assert_eq!(state["key"] != last["key"], rotates, "{map}");
        assert_eq!(state["webhook_url"] != last["webhook_url"], rotates, "{map}");
        assert_eq!(state["id"] != last["id"], rotates, "{map}");
        assert_eq!(scene.writes() > before, rotates, "{map}");
        last = state;
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_survives_a_new_name() {
    let mut scene = Scene::start().await;
    let kind = scene.kind(SOURCE);
    let before = scene.settle(&kind, &kind.small).await;
    let after = scene.settle(&kind, &with(&kind.small, "name", &json!("renamed"))).await;
    let once = |state: &Json| (state["id"].clone(), state["key"].clone());
    assert_eq!(once(&after), once(&before));
    assert!(after["key"].is_string(), "the key is there");
    scene.world.close().await;
}
