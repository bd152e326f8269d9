//! A name that is taken already: an error with the import block, or adoption where wanted.

use serde_json::json;

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_taken_name_is_an_error_that_names_the_import: team, escalation_rule,
    deadman_switch, alert_source, user, service_account);
for_each_kind!(a_taken_name_is_adopted_where_wanted: team, escalation_rule, deadman_switch,
    alert_source, user, service_account);

async fn a_taken_name_is_an_error_that_names_the_import(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let before = scene.writes();
    scene.world.forget(ADDRESS);
    let applied = scene.world.apply("thing.second", kind.type_name, &kind.full).await;
    let failure = applied.expect_err("the name is taken");
    let id = state["id"].as_str().expect("an id");
    assert!(failure.says(id) && failure.says("import"), "{failure}");
    assert!(failure.says("adopt_existing"), "{failure}");
    assert_eq!(scene.world.state("thing.second"), None);
    assert!(scene.writes() <= before + 1, "a taken name led to writing");
    scene.world.close().await;
}

async fn a_taken_name_is_adopted_where_wanted(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    scene.world.forget(ADDRESS);
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let adopted = scene.settle(&kind, &config).await;
    assert_eq!(adopted["id"], state["id"]);
    scene.world.close().await;
}
