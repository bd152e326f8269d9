//! Requests and answers that get lost on the way, and steps that fail after the first.

use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::host::{Action, World};

use crate::kinds::{Kind, filled};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_lost_answer_to_a_create_leaves_one_object);
for_each_kind!(a_create_that_never_arrived_is_sent_again);
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

/// How many objects are listed where this one is.
async fn listed(scene: &Scene, kind: &Kind, state: &Json) -> usize {
    let list = scene.api.get(&filled(kind.list, state)).await;
    list.as_array().map_or(1, Vec::len)
}

async fn a_lost_answer_to_a_create_leaves_one_object(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let before = listed(&scene, &kind, &state).await;
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    patient(&scene).await;
    let (method, route) = kind.create;
    scene.simulator.fault(Fault::on(method, route).drop_after());
    let state = scene.settle(&kind, &kind.full).await;
    assert_eq!(scene.simulator.faults()[0].struck, 1, "the fault was met");
    assert_eq!(listed(&scene, &kind, &state).await, before, "one object and no other");
    scene.world.close().await;
}

async fn a_create_that_never_arrived_is_sent_again(mut scene: Scene, kind: Kind) {
    patient(&scene).await;
    let (method, route) = kind.create;
    scene.simulator.fault(Fault::on(method, route).drop_before());
    scene.settle(&kind, &kind.full).await;
    assert_eq!(scene.simulator.faults()[0].struck, 1, "the fault was met");
    scene.world.close().await;
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
    assert!(failure.says("adopt_existing") || failure.says("import"), "{failure}");
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
