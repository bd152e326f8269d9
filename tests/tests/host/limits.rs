//! Settings and limits: what is missing is named, what takes too long ends, secrets stay secret.

use std::time::{Duration, Instant};

use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::host::{Action, ImportBy};

use crate::kinds::{Kind, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_missing_setting_is_named_at_its_first_use);
for_each_kind!(a_create_ends_with_its_timeout);

async fn a_missing_setting_is_named_at_its_first_use(mut scene: Scene, kind: Kind) {
    for (settings, variable) in [
        (json!({ "token": "0123456789abcdef" }), "TERDUT_URL"),
        (json!({ "url": scene.api.base() }), "TERDUT_TOKEN"),
    ] {
        scene.world.configure(&settings).await.expect("nothing is required to configure");
        let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await;
        plan.expect("nothing is required to plan").expect(Action::Create);
        let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
        let failure = applied.expect_err("it cannot be made");
        assert!(failure.says(variable), "{failure}");
        assert_eq!(scene.world.state(ADDRESS), None);
    }
    let unknown = json!({ "url": { "$unknown": true }, "token": "0123456789abcdef" });
    scene.world.configure(&unknown).await.expect("unknown settings are no error");
    let imported = scene.world.import(ADDRESS, kind.type_name, ImportBy::Id("1")).await;
    let failure = imported.expect_err("it cannot be looked up");
    assert!(failure.says("url"), "{failure}");
    scene.world.close().await;
}

async fn a_create_ends_with_its_timeout(mut scene: Scene, kind: Kind) {
    let mut settings = scene.settings();
    settings["request_timeout"] = json!("60s");
    scene.world.configure(&settings).await.expect("the settings are good");
    scene.simulator.fault(Fault::on("*", "*").always().delay(Duration::from_secs(30)));
    let config = with(&kind.full, "timeouts", &json!({ "create": "1s" }));
    let begun = Instant::now();
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
    let failure = applied.expect_err("it takes too long");
    assert!(begun.elapsed() < Duration::from_secs(10), "it took {:?}", begun.elapsed());
    let told = failure.diagnostics.iter().any(|one| one.says("timeouts.create"));
    assert!(told, "{failure}");
    assert_eq!(scene.world.state(ADDRESS), None);
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_are_sent_and_never_shown() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_team");
    let mut settings = scene.settings();
    settings["headers"] = json!({ "X-Gate": "open-sesame-open-sesame" });
    scene.world.configure(&settings).await.expect("the settings are good");
    scene.settle(&kind, &kind.full).await;
    scene.simulator.fault(Fault::on("GET", "*").always().error(401, "open-sesame-open-sesame"));
    scene.world.configure(&settings).await.expect("the settings are good");
    scene.world.refresh(ADDRESS).await.expect_err("an answer that echoes a secret");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kind_of_source_is_the_servers_to_refuse() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_alert_source");
    let config = with(&kind.small, "kind", &json!("webhook"));
    let failure = scene.world.apply(ADDRESS, kind.type_name, &config).await.expect_err("refused");
    assert!(!failure.diagnostics.is_empty());
    scene.simulator.assume(|it| it.other_integration_kinds = true);
    scene.settle(&kind, &kind.small).await;
    let plan = scene.world.plan(ADDRESS, kind.type_name, &config).await.expect("a plan");
    plan.expect(Action::Replace);
    assert_eq!(plan.replace_paths, ["kind"]);
    scene.settle(&kind, &config).await;
    scene.world.close().await;
}
