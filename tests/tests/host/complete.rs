//! That the matrices forget nothing: what the schemas let a user set is in the table of kinds.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use terdut_tests::host::Action;

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(every_attribute_is_changed_by_a_matrix);
for_each_kind!(every_attribute_may_be_unknown);

/// What has a test of its own, since it cannot change alone or needs a server of another sort.
const ELSEWHERE: [(&str, &str); 2] =
    [("terdut_service_account", "scope"), ("terdut_alert_source", "kind")];

/// What a configuration may set.
fn settable(scene: &Scene, kind: &Kind) -> BTreeSet<String> {
    let attributes = &scene.world.session().schemas().resource(kind.type_name).block.attributes;
    let open = attributes.iter().filter(|(_, it)| it.required || it.optional);
    open.map(|(name, _)| name.clone()).collect()
}

async fn every_attribute_is_changed_by_a_matrix(scene: Scene, kind: Kind) {
    let mut changed: BTreeSet<_> =
        kind.changes.iter().map(|change| change.attribute.to_owned()).collect();
    let elsewhere = ELSEWHERE.iter().filter(|(type_name, _)| *type_name == kind.type_name);
    changed.extend(elsewhere.map(|(_, attribute)| (*attribute).to_owned()));
    assert_eq!(changed, settable(&scene, &kind));
    scene.world.close().await;
}

async fn every_attribute_may_be_unknown(mut scene: Scene, kind: Kind) {
    for attribute in settable(&scene, &kind) {
        let open = with(&kind.full, &attribute, &json!({ "$unknown": true }));
        let world = &mut scene.world;
        let applied = world.apply_resolved(ADDRESS, kind.type_name, &open, &kind.full).await;
        applied.unwrap_or_else(|failure| panic!("{attribute} at creation: {failure}"));
        let applied = world.apply_resolved(ADDRESS, kind.type_name, &open, &kind.full).await;
        applied.unwrap_or_else(|failure| panic!("{attribute} later: {failure}"));
        scene.settle(&kind, &kind.full).await;
        scene.world.destroy(ADDRESS).await.expect("a destroy");
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_scope_replaces_the_account() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_service_account");
    let instance: Json = json!({ "name": "ci", "scope": "instance" });
    for (from, to) in [(&kind.full, &instance), (&instance, &kind.full)] {
        scene.settle(&kind, from).await;
        let plan = scene.world.plan(ADDRESS, kind.type_name, to).await.expect("a plan");
        plan.expect(Action::Replace);
        assert_eq!(plan.replace_paths, ["scope", "team_id"]);
        scene.settle(&kind, to).await;
    }
    scene.world.close().await;
}
