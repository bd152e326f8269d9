//! What a server or a proxy answers that is not "gone": the state stays, the error says what to do.

use std::time::Duration;

use terdut_tests::harness::not_gone;

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_strange_answer_never_empties_the_state);

async fn a_strange_answer_never_empties_the_state(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    for (fault, rule) in not_gone(Duration::from_secs(1)) {
        scene.simulator.fault(rule);
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        let failure = match scene.world.refresh(ADDRESS).await {
            Err(failure) => failure,
            Ok(seen) => panic!("{fault:?} was taken for {seen:?}"),
        };
        assert!(failure.errors().all(|error| !error.detail.is_empty()), "{fault:?}: {failure}");
        assert_eq!(scene.world.state(ADDRESS), Some(&state), "{fault:?}");
        let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await;
        assert!(plan.is_err(), "{fault:?}: {plan:?}");
        scene.simulator.clear_faults();
    }
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    scene.world.close().await;
}
