//! Writes that the server refuses: what it said is told, and the state says what is true.

use serde_json::Value as Json;
use terdut_simulator::Fault;
use terdut_tests::host::Action;

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_refused_create_leaves_nothing_behind);
for_each_kind!(a_refused_change_keeps_the_state);
for_each_kind!(a_refused_delete_keeps_the_object);

const REFUSALS: [(u16, &str); 4] = [
    (400, "the colour is wrong"),
    (403, "out of scope"),
    (422, "cannot be processed"),
    (500, "out of luck"),
];

async fn a_refused_create_leaves_nothing_behind(mut scene: Scene, kind: Kind) {
    let (method, route) = kind.create;
    for (status, words) in REFUSALS {
        scene.simulator.fault(Fault::on(method, route).always().error(status, words));
        let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
        let failure = applied.expect_err("the server refuses");
        assert!(failure.says(words), "{status}: {failure}");
        assert_eq!(scene.world.state(ADDRESS), None, "{status}");
        scene.simulator.clear_faults();
    }
    scene.settle(&kind, &kind.full).await;
    scene.world.close().await;
}

async fn a_refused_change_keeps_the_state(mut scene: Scene, kind: Kind) {
    let writing = |it: &&crate::kinds::Change| it.calls && it.action == Action::Update;
    let changes: Vec<_> = kind.changes.iter().filter(writing).cloned().collect();
    for change in changes {
        let before = scene.settle(&kind, &kind.full).await;
        let config = with(&kind.full, change.attribute, &change.value);
        for method in ["PUT", "PATCH", "POST"] {
            scene.simulator.fault(Fault::on(method, "*").always().error(403, "out of scope"));
        }
        let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
        let failure = applied.expect_err("the server refuses");
        assert!(failure.says("out of scope"), "{}: {failure}", change.attribute);
        assert!(!scene.world.is_tainted(ADDRESS), "{}", change.attribute);
        let kept = |state: Option<&Json>| state.map(|state| state["id"].clone());
        assert_eq!(kept(scene.world.state(ADDRESS)), kept(Some(&before)), "{}", change.attribute);
        scene.simulator.clear_faults();
        scene.settle(&kind, &config).await;
    }
    scene.world.close().await;
}

async fn a_refused_delete_keeps_the_object(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let (method, route) = kind.delete;
    scene.simulator.fault(Fault::on(method, route).always().error(403, "out of scope"));
    let failure = scene.world.destroy(ADDRESS).await.expect_err("the server refuses");
    assert!(failure.says("out of scope"), "{failure}");
    assert_eq!(scene.world.state(ADDRESS), Some(&state));
    scene.simulator.clear_faults();
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    scene.world.close().await;
}
