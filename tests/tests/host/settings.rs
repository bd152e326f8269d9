//! Provider settings that are unknown while planning, or not there at all.

use serde_json::json;
use terdut_tests::host::Action;

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(unknown_settings_still_make_a_plan);
for_each_kind!(validation_needs_no_settings);

async fn unknown_settings_still_make_a_plan(mut scene: Scene, kind: Kind) {
    let unknown = json!({ "url": { "$unknown": true }, "token": { "$unknown": true } });
    scene.world.configure(&unknown).await.expect("unknown settings are no error");
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect(Action::Create);
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    scene.settle(&kind, &kind.full).await;
    scene.world.configure(&unknown).await.expect("unknown settings are no error");
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    scene.world.plan_destroy(ADDRESS).await.expect("a plan").expect(Action::Delete);
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    scene.world.close().await;
}

async fn validation_needs_no_settings(scene: Scene, kind: Kind) {
    let session = scene.world.session();
    session.validate_provider(&json!({})).await.expect("no setting is required");
    session.validate(kind.type_name, &kind.small).await.expect("it is valid");
    session.validate(kind.type_name, &kind.full).await.expect("it is valid");
    scene.world.close().await;
}
