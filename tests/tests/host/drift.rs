//! What somebody else changes or deletes is shown by the plan and repaired by the apply.

use terdut_tests::host::Action;

use crate::kinds::{Kind, filled};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_change_outside_is_shown_and_repaired);
for_each_kind!(a_deletion_outside_is_shown_and_repaired);

async fn a_change_outside_is_shown_and_repaired(mut scene: Scene, kind: Kind) {
    for drift in &kind.drift {
        let state = scene.settle(&kind, &kind.full).await;
        (drift.change)(&scene.simulator, &state);
        fresh_reads(&scene).await;
        let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
        plan.expect(drift.action);
        let shown = plan.changed().contains(&drift.attribute.to_owned());
        assert!(shown, "{}: {:?}", drift.attribute, plan.changed());
        scene.settle(&kind, &kind.full).await;
    }
    scene.world.close().await;
}

async fn a_deletion_outside_is_shown_and_repaired(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let path = filled(kind.object, &state);
    if kind.type_name == "terdut_escalation_rule" {
        let empty = serde_json::json!({ "repeat_count": 0, "levels": [] });
        scene.api.put(&path, &empty).await;
    } else {
        scene.api.delete(&path).await;
    }
    fresh_reads(&scene).await;
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect(Action::Create);
    scene.settle(&kind, &kind.full).await;
    scene.world.close().await;
}

/// A new run configures the provider anew, which ends what it remembered of lists.
async fn fresh_reads(scene: &Scene) {
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
}
