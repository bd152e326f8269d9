//! States that another program wrote: what is missing is null, and a read fills in the rest.

use serde_json::{Value as Json, json};

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_state_of_configuration_and_id_is_filled_up);

/// What only creation tells.
const ONCE: [&str; 4] = ["token", "key", "webhook_url", "created_at"];

async fn a_state_of_configuration_and_id_is_filled_up(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let version = scene.world.session().schemas().resource(kind.type_name).version;
    let mut partial = kind.full.clone();
    partial["id"] = state["id"].clone();
    scene.world.put_state(ADDRESS, kind.type_name, version, partial);
    let filled = scene.world.refresh(ADDRESS).await.expect("a read").expect("it is there");
    for (attribute, value) in state.as_object().into_iter().flatten() {
        let told_once = ONCE.contains(&attribute.as_str());
        assert!(told_once || filled[attribute] == *value, "{attribute}: {}", filled[attribute]);
    }
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    let leftover = with_leftover(&state);
    scene.world.put_state(ADDRESS, kind.type_name, version, leftover);
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    scene.world.close().await;
}

/// The same with an attribute that no schema knows.
fn with_leftover(state: &Json) -> Json {
    let mut state = state.clone();
    state["of_long_ago"] = json!(true);
    state
}
