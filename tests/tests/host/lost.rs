//! Requests and answers that get lost on the way, and steps that fail after the first.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use terdut_simulator::{Fault, Owner, Simulator};
use terdut_tests::harness::wait_for;
use terdut_tests::host::{Action, World};

use crate::inventory::inventory;
use crate::kinds::{Fixture, Kind};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_create_that_is_lost_once_or_three_times_leaves_one_object);
for_each_kind!(two_new_ones_of_the_name_are_an_error_and_stay: alert_source, service_account_key);
for_each_kind!(a_lost_answer_to_a_delete_is_no_failure);
for_each_kind!(a_busy_server_is_asked_again);
for_each_kind!(two_of_one_name_at_once_are_one_object_and_one_error: team, escalation_rule,
    deadman_switch, alert_source, user, service_account);

/// Settings that try again.
async fn patient(scene: &Scene) {
    let mut settings = scene.settings();
    settings["max_retries"] = json!(3);
    scene.world.configure(&settings).await.expect("the settings are good");
}

/// Before the server acts and after it, once and three times in a row, side by side.
async fn a_create_that_is_lost_once_or_three_times_leaves_one_object(scene: Scene, kind: Kind) {
    scene.world.close().await;
    let fates = [(1, false), (1, true), (3, false), (3, true)];
    join_all(fates.map(|(times, acted)| lost_create(kind.type_name, times, acted))).await;
}

async fn lost_create(type_name: &str, times: u32, acted: bool) {
    let mut scene = Scene::start().await;
    let kind = scene.kind(type_name);
    patient(&scene).await;
    let context = format!("{times} times, acted: {acted}");
    let there = inventory(&scene.simulator);
    let (method, route) = kind.create;
    let fault = Fault::on(method, route).times(times);
    scene.simulator.fault(if acted { fault.drop_after() } else { fault.drop_before() });
    let state = scene.settle(&kind, &kind.full).await;
    let met = scene.simulator.faults().swap_remove(0);
    assert!(met.struck > 0 && (acted || met.struck == times), "{context}: {met:?}");
    scene.simulator.clear_faults();
    let new = &inventory(&scene.simulator) - &there;
    let new: Vec<_> = new.iter().map(|thing| json!(thing.id.to_string())).collect();
    let expected = if method == "POST" { vec![state["id"].clone()] } else { Vec::new() };
    assert_eq!(new, expected, "{context}");
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    assert_eq!(inventory(&scene.simulator), there, "{context}");
    scene.world.close().await;
}

/// Where names may repeat, somebody makes another of the name while the answer is on its way.
async fn two_new_ones_of_the_name_are_an_error_and_stay(mut scene: Scene, kind: Kind) {
    patient(&scene).await;
    scene.simulator.assume(|assumed| assumed.integration_names_unique = false);
    let there = inventory(&scene.simulator);
    let (method, route) = kind.create;
    let slow = Duration::from_millis(500);
    scene.simulator.fault(Fault::on(method, route).drop_after().delay(slow));
    let simulator = &scene.simulator;
    let other = async {
        let acted = || async { simulator.faults()[0].acted > 0 };
        wait_for("the server acts", Duration::from_secs(20), acted).await;
        make_another(&scene.fixture, simulator, &kind);
    };
    let (applied, ()) = tokio::join!(scene.world.apply(ADDRESS, kind.type_name, &kind.full), other);
    let failure = applied.expect_err("which of the two is ours cannot be told");
    let new = &inventory(simulator) - &there;
    assert_eq!(new.len(), 2, "{new:?}");
    for thing in new {
        assert!(failure.says(&thing.id.to_string()), "{thing:?}: {failure}");
    }
    assert!(failure.says("none was touched"), "{failure}");
    assert_eq!(scene.world.state(ADDRESS), None);
    scene.world.close().await;
}

fn make_another(fixture: &Fixture, simulator: &Simulator, kind: &Kind) {
    let number = |id: &str| id.parse().expect("a number");
    if kind.type_name == "terdut_alert_source" {
        simulator.state().add_integration(number(&fixture.team), "prod");
    } else {
        simulator.state().add_key(Owner::Account(number(&fixture.account)), "deploy");
    }
}

async fn a_lost_answer_to_a_delete_is_no_failure(mut scene: Scene, kind: Kind) {
    scene.settle(&kind, &kind.full).await;
    patient(&scene).await;
    let (method, route) = kind.delete;
    scene.simulator.fault(Fault::on(method, route).drop_after());
    scene.world.destroy(ADDRESS).await.expect("it is gone");
    assert_eq!(scene.simulator.faults()[0].struck, 1, "the fault was met");
    scene.world.close().await;
}

async fn a_busy_server_is_asked_again(mut scene: Scene, kind: Kind) {
    patient(&scene).await;
    let (method, route) = kind.create;
    scene.simulator.fault(Fault::on(method, route).rate_limit(1));
    scene.simulator.fault(Fault::on("GET", "*").error(503, "starting"));
    scene.settle(&kind, &kind.full).await;
    scene.world.close().await;
}

async fn two_of_one_name_at_once_are_one_object_and_one_error(scene: Scene, kind: Kind) {
    let mut first = World::over(scene.world.session().clone());
    let mut second = World::over(scene.world.session().clone());
    let (one, other) = tokio::join!(
        first.apply(ADDRESS, kind.type_name, &kind.full),
        second.apply("thing.other", kind.type_name, &kind.full),
    );
    let failure = match (one, other) {
        (Ok(_), Err(failure)) | (Err(failure), Ok(_)) => failure,
        (one, other) => panic!("{one:?} and {other:?}"),
    };
    let told = ["adopt_existing", "import", "another resource of this configuration"];
    assert!(told.iter().any(|text| failure.says(text)), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_step_that_fails_is_a_warning_and_the_next_apply_finishes_it() {
    for (type_name, method, route, attribute) in [
        ("terdut_team", "PUT", "/api/teams/{id}/oidc-groups", "oidc"),
        ("terdut_user", "PUT", "/api/users/{id}/notify", "ntfy_topic"),
    ] {
        let mut scene = Scene::start().await;
        let kind = scene.kind(type_name);
        scene.world.session().may_forget();
        scene.simulator.fault(Fault::on(method, route).always().error(500, "no luck"));
        let applied = scene.world.apply(ADDRESS, type_name, &kind.full).await;
        let applied = applied.unwrap_or_else(|failure| panic!("{type_name}: {failure}"));
        assert!(!applied.diagnostics.is_empty(), "{type_name}: nothing is said");
        assert!(!scene.world.is_tainted(ADDRESS), "{type_name}");
        scene.simulator.clear_faults();
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        let plan = scene.world.plan(ADDRESS, type_name, &kind.full).await.expect("a plan");
        plan.expect(Action::Update);
        assert_eq!(plan.changed(), [attribute], "{type_name}");
        let id = applied.state["id"].clone();
        assert_eq!(scene.settle(&kind, &kind.full).await["id"], id, "{type_name}");
        scene.world.close().await;
    }
}
