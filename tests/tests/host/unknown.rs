//! Unknown in every place of a configuration, at creation and later.

use serde_json::{Value as Json, json};

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(an_unknown_anywhere_can_be_planned_and_filled_in);
for_each_kind!(an_unknown_that_may_be_null_is_no_mistake);

async fn an_unknown_anywhere_can_be_planned_and_filled_in(mut scene: Scene, kind: Kind) {
    for pointer in pointers(&kind.full) {
        let mut config = kind.full.clone();
        *config.pointer_mut(&pointer).expect("a place in it") = json!({ "$unknown": true });
        let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
        plan.unwrap_or_else(|failure| panic!("unknown {pointer} at creation: {failure}"));
        let world = &mut scene.world;
        let applied = world.apply_resolved(ADDRESS, kind.type_name, &config, &kind.full).await;
        applied.unwrap_or_else(|failure| panic!("{pointer} filled in at creation: {failure}"));
        let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
        plan.unwrap_or_else(|failure| panic!("unknown {pointer} later: {failure}"));
        let world = &mut scene.world;
        let applied = world.apply_resolved(ADDRESS, kind.type_name, &config, &kind.full).await;
        applied.unwrap_or_else(|failure| panic!("{pointer} filled in later: {failure}"));
        scene.settle(&kind, &kind.full).await;
        scene.world.destroy(ADDRESS).await.expect("a destroy");
    }
    scene.world.close().await;
}

async fn an_unknown_that_may_be_null_is_no_mistake(scene: Scene, kind: Kind) {
    let session = scene.world.session();
    let attributes = &session.schemas().resource(kind.type_name).block.attributes;
    let open: Vec<_> = attributes.iter().filter(|(_, it)| it.required || it.optional).collect();
    for config in [&kind.small, &kind.full] {
        for (first, _) in &open {
            for (second, _) in &open {
                let mut config = config.clone();
                config[first.as_str()] = json!({ "$unknown": true });
                config[second.as_str()] = json!({ "$unknown": true });
                let judged = session.validate(kind.type_name, &config).await;
                judged.unwrap_or_else(|failure| panic!("{first}, {second}: {failure}"));
            }
        }
    }
    scene.world.close().await;
}

/// The pointers to everything that is set.
fn pointers(json: &Json) -> Vec<String> {
    let below: Vec<(String, &Json)> = match json {
        Json::Object(entries) => entries.iter().map(|(key, it)| (key.clone(), it)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(i, it)| (i.to_string(), it)).collect(),
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for (step, value) in below.into_iter().filter(|(_, value)| !value.is_null()) {
        found.push(format!("/{step}"));
        found.extend(pointers(value).into_iter().map(|rest| format!("/{step}{rest}")));
    }
    found
}
