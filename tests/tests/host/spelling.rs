//! The user's spelling survives, and nothing is the same in every way of saying it.

use serde_json::Value as Json;
use terdut_tests::host::Action;

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(every_spelling_of_a_value_settles);
for_each_kind!(every_way_to_set_nothing_settles);

async fn every_spelling_of_a_value_settles(mut scene: Scene, kind: Kind) {
    for (attribute, values) in &kind.spellings {
        for first in values {
            scene.world.destroy(ADDRESS).await.expect("a destroy");
            scene.settle(&kind, &with(&kind.small, attribute, first)).await;
            for second in values {
                respell(&mut scene, &kind, attribute, second).await;
            }
        }
    }
    scene.world.close().await;
}

async fn respell(scene: &mut Scene, kind: &Kind, attribute: &str, value: &Json) {
    let config = with(&kind.small, attribute, value);
    let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
    plan.unwrap_or_else(|failure| panic!("{attribute} = {value}: {failure}")).expect_empty();
}

async fn every_way_to_set_nothing_settles(mut scene: Scene, kind: Kind) {
    for (attribute, values) in &kind.empties {
        for first in values {
            for second in values {
                scene.world.destroy(ADDRESS).await.expect("a destroy");
                let created = scene.settle(&kind, &with(&kind.small, attribute, first)).await;
                let spelt =
                    |state: &Json, value: &Json| state[attribute].is_null() == value.is_null();
                assert!(spelt(&created, first), "{attribute} = {first}: {}", created[attribute]);
                let before = scene.writes();
                let config = with(&kind.small, attribute, second);
                let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
                let plan = plan.unwrap_or_else(|failure| panic!("{first} to {second}: {failure}"));
                let in_place = matches!(plan.action, Action::NoOp | Action::Update);
                assert!(in_place, "{attribute} from {first} to {second}: {:?}", plan.changes());
                scene.settle(&kind, &config).await;
                assert_eq!(scene.writes(), before, "{attribute} from {first} to {second} writes");
            }
        }
    }
    scene.world.close().await;
}
