//! Every kind's life with every sort of host.

use terdut_tests::host::{Action, ImportBy, Profile};

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(every_host_leads_it_through_its_life);
for_each_kind!(another_process_goes_on_where_one_ended);

async fn every_host_leads_it_through_its_life(first: Scene, kind: Kind) {
    first.world.close().await;
    for profile in Profile::all() {
        let name = profile.name;
        let mut scene = Scene::play(profile).await;
        let kind = scene.kind(kind.type_name);
        scene.settle(&kind, &kind.small).await;
        let state = scene.settle(&kind, &kind.full).await;
        for change in &kind.changes {
            let config = with(&kind.full, change.attribute, &change.value);
            let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await;
            let plan = plan.unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(plan.action, change.action, "{name}: {:?}", plan.changes());
        }
        scene.world.forget(ADDRESS);
        let id = filled(kind.imports[0], &state);
        let imported = scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await;
        imported.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        scene.settle(&kind, &kind.full).await;
        scene.world.plan_destroy(ADDRESS).await.expect("a plan").expect(Action::Delete);
        scene.world.destroy(ADDRESS).await.expect("a destroy");
        scene.world.close().await;
    }
}

async fn another_process_goes_on_where_one_ended(mut scene: Scene, kind: Kind) {
    scene.settle(&kind, &kind.full).await;
    scene.restart(Profile::modern()).await;
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    // An older host drops the identity and hands over the rest.
    scene.restart(Profile::terraform_1_5()).await;
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await.expect("a plan");
    plan.expect_empty();
    scene.world.refresh(ADDRESS).await.expect("a read").expect("it is there");
    scene.restart(Profile::modern()).await;
    scene.settle(&kind, &kind.full).await;
    scene.world.close().await;
}
