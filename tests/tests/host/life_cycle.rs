//! Create, every change, import in every form, destroy.

use serde_json::{Value as Json, json};
use terdut_tests::host::{Action, ImportBy};

use crate::kinds::{Change, Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(every_change_does_what_the_schema_says);
for_each_kind!(every_form_of_import_leads_to_a_quiet_plan);
for_each_kind!(a_destroyed_object_is_gone);

async fn every_change_does_what_the_schema_says(mut scene: Scene, kind: Kind) {
    scene.settle(&kind, &kind.small).await;
    for change in &kind.changes {
        scene.settle(&kind, &kind.full).await;
        one_change(&mut scene, &kind, change).await;
    }
    scene.world.close().await;
}

async fn one_change(scene: &mut Scene, kind: &Kind, change: &Change) {
    let label = format!("{} = {}", change.attribute, change.value);
    let config = with(&kind.full, change.attribute, &change.value);
    let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
    let plan = plan.unwrap_or_else(|failure| panic!("{label}: {failure}"));
    assert_eq!(plan.action, change.action, "{label}: {:#?}", plan.changes());
    assert!(plan.changed().contains(&change.attribute.to_owned()), "{label}: {:?}", plan.changed());
    if change.action == Action::Replace {
        let because = |path: &String| path.starts_with(change.attribute);
        assert!(plan.replace_paths.iter().all(because), "{label}: {:?}", plan.replace_paths);
        if let Some(loss) = loss(kind) {
            assert!(plan.warns(loss), "{label}: {:?}", plan.diagnostics);
        }
    }
    let before = scene.writes();
    scene.settle(kind, &config).await;
    assert_eq!(scene.writes() > before, change.calls, "{label}: wrong number of writing requests");
}

/// What a plan must say that a replacement costs.
fn loss(kind: &Kind) -> Option<&'static str> {
    match kind.type_name {
        "terdut_deadman_switch" => Some("Not watched while it is replaced"),
        "terdut_alert_source" => Some("key rotates"),
        "terdut_user" => Some("are lost"),
        _ => None,
    }
}

async fn every_form_of_import_leads_to_a_quiet_plan(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let identity = scene.world.identity(ADDRESS).cloned().expect("every kind has an identity");
    for form in &kind.imports {
        let id = filled(form, &state);
        import(&mut scene, &kind, ImportBy::Id(&id)).await;
    }
    import(&mut scene, &kind, ImportBy::Identity(&identity)).await;
    let mut without_url = identity.clone();
    without_url["url"] = json!(null);
    import(&mut scene, &kind, ImportBy::Identity(&without_url)).await;
    scene.world.close().await;
}

async fn import(scene: &mut Scene, kind: &Kind, by: ImportBy<'_>) {
    scene.world.forget(ADDRESS);
    let imported = scene.world.import(ADDRESS, kind.type_name, by).await;
    imported.unwrap_or_else(|failure| panic!("{by:?}: {failure}"));
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await;
    let plan = plan.unwrap_or_else(|failure| panic!("{by:?}: {failure}"));
    assert_eq!(plan.changed(), kind.unreadable, "{by:?}: {:#?}", plan.changes());
    let before = scene.writes();
    scene.settle(kind, &kind.full).await;
    assert_eq!(scene.writes(), before, "{by:?}: the first apply after it writes");
}

async fn a_destroyed_object_is_gone(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let list = filled(kind.list, &state);
    scene.world.plan_destroy(ADDRESS).await.expect("a plan").expect(Action::Delete);
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    let (_, left) = scene.api.send(http::Method::GET, &list, None).await;
    let id = state["id"].as_str().and_then(|id| id.parse::<i64>().ok());
    let is_left = |item: &Json| item["id"].as_i64() == id;
    assert!(!left.as_array().into_iter().flatten().any(is_left), "{left}");
    if let Some(levels) = left.get("levels").and_then(Json::as_array) {
        assert!(levels.is_empty(), "{left}");
    }
    scene.world.close().await;
}
