//! A provider that is killed in the midst of a create: no duplicate, and the way back is told.

use std::time::Duration;

use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::harness::{Binary, wait_for};
use terdut_tests::host::{Host, Profile, World};

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_create_that_was_killed_is_found_and_adopted: team, deadman_switch, alert_source,
    user, service_account);

async fn a_create_that_was_killed_is_found_and_adopted(mut scene: Scene, kind: Kind) {
    let (method, route) = kind.create;
    let slow = Fault::on(method, route).after_acting().delay(Duration::from_secs(30));
    scene.simulator.fault(slow);
    let mut settings = scene.settings();
    settings["request_timeout"] = json!("60s");
    scene.world.configure(&settings).await.expect("the settings are good");
    kill_while_creating(&scene, &kind).await;
    scene.simulator.clear_faults();
    scene.world = World::new(Host::start(&Binary::provider(), Profile::modern()).await);
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
    let failure = applied.expect_err("the name is taken by what the killed one made");
    assert!(failure.says("import") && failure.says("adopt_existing"), "{failure}");
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let state = scene.settle(&kind, &config).await;
    let list = scene.api.get(&filled(kind.list, &state)).await;
    let name = state.get("name").or(state.get("username")).cloned();
    let field = if kind.type_name == "terdut_user" { "username" } else { "name" };
    let items = list.as_array().into_iter().flatten();
    assert_eq!(items.filter(|item| name.as_ref() == Some(&item[field])).count(), 1, "{list}");
    scene.world.close().await;
}

/// Starts a create and kills the provider once the server has acted.
async fn kill_while_creating(scene: &Scene, kind: &Kind) {
    let pid = scene.world.pid().expect("it runs").to_string();
    let mut world = World::over(scene.world.session().clone());
    let (type_name, config) = (kind.type_name, kind.full.clone());
    let create = tokio::spawn(async move { world.apply(ADDRESS, type_name, &config).await });
    wait_for("the server acts", Duration::from_secs(20), || async {
        scene.simulator.faults()[0].struck > 0 && is_made(scene, kind)
    })
    .await;
    let sent = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    assert!(sent.expect("kill runs").success());
    create.await.expect_err("the host loses the provider");
}

/// Whether the object is there, seen past the API.
fn is_made(scene: &Scene, kind: &Kind) -> bool {
    let state = scene.simulator.state();
    let team = scene.fixture.team.parse().ok().and_then(|id| state.team(id));
    match kind.type_name {
        "terdut_team" => state.team_named("Platform").is_some(),
        "terdut_user" => state.user("eve").is_some(),
        "terdut_service_account" => state.account("ci").is_some(),
        "terdut_deadman_switch" => team.is_some_and(|team| !team.switches.is_empty()),
        _ => team.is_some_and(|team| !team.integrations.is_empty()),
    }
}
