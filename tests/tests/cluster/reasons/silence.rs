//! Reasons of those whose server does not answer.

use serde_json::json;
use terdut_tests::cluster::{Cluster, Filter, Kind, conditions, kind};

use crate::scene::{self, CHILDREN, Scene, from};

const ON_DELETE: &str = "terdut.ryuvia.com/on-delete";

pub(super) async fn a_dead_server_costs_one_probe_and_its_objects_heal(cluster: &Cluster) {
    let scene = Scene::new(cluster, 3, &from("All")).await;
    let (client, traffic) = (&scene.client, &scene.site.traffic);
    let options = scene.site.options("bridge-a").flag("resync-interval", "0");
    let options = options.flag("retry-base", "10s").flag("retry-cap", "10s");
    let _bridge = scene.site.start_with(options).await;
    let places = [scene.guest(), scene.site.tenant(2)];
    for (place, display) in places.iter().zip(["One", "Two"]) {
        scene.settle(place, display).await;
    }
    let all: Vec<(Kind, &str)> = [kind::TEAM]
        .iter()
        .chain(&CHILDREN)
        .flat_map(|of| places.map(|place| (*of, place)))
        .collect();
    traffic.cut_off(Filter::terdut());
    let rename = json!({ "spec": { "displayName": "Renamed" } });
    client.patch(kind::TEAM, scene.guest(), "platform", &rename).await;
    client.wait_reason(kind::TEAM, scene.guest(), "platform", "Ready", "Unreachable").await;
    let mark = traffic.mark();
    for (of, place) in &all {
        scene.passes(*of, place, "platform").await;
        client.wait_reason(*of, place, "platform", "Ready", "Unreachable").await;
    }
    // Sixteen passes; a probe is tried once more at once.
    let probes = traffic.count(&Filter::terdut().after(mark));
    assert!(probes <= 2, "{probes} requests to a dead server");
    traffic.restore();
    let patient = client.within(std::time::Duration::from_mins(1));
    for (of, place) in &all {
        patient.wait_ready(*of, place, "platform").await;
    }
    assert!(scene.simulator.state().team_named("Renamed").is_some());
}

pub(super) async fn a_blocked_deletion_ends_when_the_server_answers_or_is_given_up(
    cluster: &Cluster,
) {
    let scene = Scene::new(cluster, 3, &from("All")).await;
    let (client, traffic) = (&scene.client, &scene.site.traffic);
    let (patient, given_up) = (scene.guest(), scene.site.tenant(2));
    let _bridge = scene.start().await;
    scene.settle(patient, "Patient").await;
    let left = scene.settle(given_up, "Given up").await;
    let before = scene.on_server();
    traffic.cut_off(Filter::terdut());
    for place in [patient, given_up] {
        for of in CHILDREN {
            client.delete(of, place, "platform").await;
            let reason = "DeletionBlocked";
            let blocked = client.wait_reason(of, place, "platform", "Ready", reason).await;
            assert_eq!(conditions::status(&blocked, "Degraded"), Some("True"));
            assert!(scene::message(&blocked, "Ready").contains("on-delete: abandon"), "{blocked}");
        }
        client.delete(kind::TEAM, place, "platform").await;
    }
    for of in [CHILDREN.as_slice(), &[kind::TEAM]].concat() {
        // Children of a team that is being deleted wait for nothing any more.
        if client.find(of, given_up, "platform").await.is_some() {
            let path = of.object(given_up, "platform");
            let note = json!({ "metadata": { "annotations": { ON_DELETE: "abandon" } } });
            let merge = "application/merge-patch+json";
            client.send(http::Method::PATCH, &path, merge, Some(&note)).await;
        }
        client.wait_gone(of, given_up, "platform").await;
    }
    client.wait_reason(kind::TEAM, patient, "platform", "Ready", "DeletionBlocked").await;
    assert_eq!(scene.on_server(), before);
    traffic.restore();
    client.wait_gone(kind::TEAM, patient, "platform").await;
    let teams = scene.simulator.state().teams();
    let ids: Vec<_> = teams.iter().map(|team| team.team.id).collect();
    assert_eq!(ids, [left], "what was given up stays, what was waited for is gone");
}
