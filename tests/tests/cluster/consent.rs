//! Who may use a server: what its owner says, now and later.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, Site, conditions, kind};
use terdut_tests::harness::wait_for;

use crate::scene::{self, CHILDREN, LABEL, Scene, from, labelled, message, team};

const SOON: Duration = Duration::from_secs(45);

/// What an owner may say, and whether the owner's own namespace, a labelled and a bare one may use
/// the server then.
fn policies() -> Vec<(&'static str, Json, [bool; 3])> {
    let demand = |key: &str, operator: &str, values: &[&str]| {
        let values = if values.is_empty() { Json::Null } else { json!(values) };
        let mut one = json!({ "key": key, "operator": operator });
        if !values.is_null() {
            one["values"] = values;
        }
        one
    };
    let selector =
        |selector: Json| json!({ "namespaces": { "from": "Selector", "selector": selector } });
    let expressions = |all: &[Json]| selector(json!({ "matchExpressions": all }));
    vec![
        ("unsaid", json!({}), [false, false, false]),
        ("none", from("None"), [false, false, false]),
        ("same", from("Same"), [true, false, false]),
        ("all", from("All"), [true, true, true]),
        ("labels", labelled(), [true, true, false]),
        ("value", selector(json!({ "matchLabels": { LABEL: "no" } })), [false, false, false]),
        ("in", expressions(&[demand(LABEL, "In", &["maybe", "true"])]), [true, true, false]),
        ("notin", expressions(&[demand(LABEL, "NotIn", &["true"])]), [false, false, true]),
        ("exists", expressions(&[demand("tier", "Exists", &[])]), [false, false, true]),
        ("absent", expressions(&[demand("tier", "DoesNotExist", &[])]), [true, true, false]),
        (
            "both",
            expressions(&[demand(LABEL, "Exists", &[]), demand("tier", "Exists", &[])]),
            [false, false, false],
        ),
    ]
}

#[tokio::test]
async fn a_server_is_used_by_whom_its_owner_names_and_by_nobody_else() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut site = Site::new(cluster, 2).await;
    site.add_tenant(&json!({ "tier": "free" })).await;
    let scene = Scene::over(site, &from("None")).await;
    let namespaces = [0, 1, 2].map(|number| scene.site.tenant(number).to_owned());
    let mut expected = Vec::new();
    for (name, allowed, may) in policies() {
        scene.add_server(scene.host(), name, &allowed).await;
        for (number, namespace) in namespaces.iter().enumerate() {
            let display = format!("{name} {number}");
            scene.client.apply(&team(namespace, name, (scene.host(), name), &display)).await;
            expected.extend(may[number].then_some(display));
        }
    }
    let _bridge = scene.start().await;
    for (name, _, may) in policies() {
        for (namespace, may) in namespaces.iter().zip(may) {
            if may {
                scene.client.wait_ready(kind::TEAM, namespace, name).await;
            } else {
                let refused = "RefNotPermitted";
                let wait = scene.client.wait_reason(kind::TEAM, namespace, name, "Ready", refused);
                let team = wait.await;
                assert!(team["metadata"]["finalizers"].is_null(), "nothing was begun: {team}");
            }
        }
    }
    let teams = scene.simulator.state().teams();
    let mut made: Vec<_> = teams.into_iter().map(|team| team.team.name).collect();
    made.sort();
    expected.sort();
    assert_eq!(made, expected);
}

/// What the server had, with a switch gone that somebody removed by hand.
fn lose_switch(scene: &Scene<'_>, team: i64) -> Json {
    let switch = scene.simulator.state().team(team).expect("the team").switches[0].id;
    scene.simulator.state().delete_switch(team, switch).expect("the switch");
    scene.on_server()
}

/// The bridge works again: it makes anew what was removed meanwhile, and nothing twice.
async fn is_mended(scene: &Scene<'_>, team: i64) {
    let there = || scene.simulator.state().team(team).expect("the same team");
    // What a server listed a moment ago may still be believed by the first pass.
    wait_for("the switch is back", SOON, || async { there().switches.len() == 1 }).await;
    assert_eq!(there().integrations.len(), 1);
}

/// Consent was withdrawn: nothing is touched, nothing is deleted, and what people delete goes.
async fn nothing_happens_without_consent(scene: &Scene<'_>, before: &Json) {
    let (client, guest) = (&scene.client, scene.guest());
    let team = client.wait_reason(kind::TEAM, guest, "platform", "Ready", "RefNotPermitted").await;
    assert!(conditions::holds(&team, "Synced"), "what was applied is applied still");
    assert!(message(&team, "Ready").contains("spec.allowedTeams"), "{team}");
    scene.children_say(guest, "platform", "WaitingForTeam").await;
    // A pass that was asked for does no more than one by itself.
    for kind in CHILDREN {
        let spec = json!({ "spec": { "deletionPolicy": "Delete" } });
        client.patch(kind, guest, "platform", &spec).await;
        client.wait_reason(kind, guest, "platform", "Ready", "WaitingForTeam").await;
    }
    assert_eq!(scene.on_server(), *before);
}

#[tokio::test]
async fn what_a_server_no_longer_allows_stays_and_goes_on_when_it_allows_it_again() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let _bridge = scene.start().await;
    let team = scene.settle(scene.guest(), "Platform").await;
    scene.allow(&json!({ "namespaces": { "from": "None", "selector": null } })).await;
    scene
        .client
        .wait_reason(kind::TEAM, scene.guest(), "platform", "Ready", "RefNotPermitted")
        .await;
    let before = lose_switch(&scene, team);
    nothing_happens_without_consent(&scene, &before).await;
    scene.allow(&labelled()).await;
    scene.client.wait_ready(kind::TEAM, scene.guest(), "platform").await;
    scene.children_ready(scene.guest(), "platform").await;
    is_mended(&scene, team).await;
    assert_eq!(scene.simulator.state().team_count(), 1);
}

#[tokio::test]
async fn a_namespace_that_loses_its_label_loses_the_server_and_gets_it_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let _bridge = scene.start().await;
    let team = scene.settle(scene.guest(), "Platform").await;
    let client = &scene.client;
    let label = |value: Json| json!({ "metadata": { "labels": { LABEL: value } } });
    client.patch(kind::NAMESPACE, "", scene.guest(), &label(Json::Null)).await;
    client.wait_reason(kind::TEAM, scene.guest(), "platform", "Ready", "RefNotPermitted").await;
    let before = lose_switch(&scene, team);
    nothing_happens_without_consent(&scene, &before).await;
    client.patch(kind::NAMESPACE, "", scene.guest(), &label("true".into())).await;
    client.wait_ready(kind::TEAM, scene.guest(), "platform").await;
    scene.children_ready(scene.guest(), "platform").await;
    is_mended(&scene, team).await;
}

#[tokio::test]
async fn what_was_made_can_be_deleted_without_consent() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let _bridge = scene.start().await;
    let (client, guest) = (&scene.client, scene.guest());
    let team = scene.settle(guest, "Platform").await;
    scene.allow(&json!({ "namespaces": { "from": "None", "selector": null } })).await;
    client.wait_reason(kind::TEAM, guest, "platform", "Ready", "RefNotPermitted").await;
    for kind in CHILDREN {
        client.delete(kind, guest, "platform").await;
        client.wait_gone(kind, guest, "platform").await;
    }
    let left = scene.simulator.state().team(team).expect("the team stays");
    assert!(left.policy.is_none() && left.switches.is_empty() && left.integrations.is_empty());
    client.delete(kind::TEAM, guest, "platform").await;
    client.wait_gone(kind::TEAM, guest, "platform").await;
    assert_eq!(scene.simulator.state().team_count(), 0);
    assert!(scene.simulator.state().accounts().is_empty(), "its account is gone with it");
}

/// An object as a stranger sees it, without what tells any two objects apart.
fn seen(mut object: Json) -> String {
    object["spec"]["serverRef"].take();
    for field in ["name", "uid", "resourceVersion", "creationTimestamp", "managedFields"] {
        object["metadata"][field].take();
    }
    for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
        condition["lastTransitionTime"].take();
    }
    object.to_string()
}

#[tokio::test]
async fn a_stranger_cannot_tell_a_server_that_is_not_there_from_one_that_is_forbidden() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 3, &from("Same")).await;
    let (client, guest) = (&scene.client, scene.guest());
    // One that has no key yet, one of a namespace that is watched, and one of none.
    client.apply(&scene::server(scene.host(), "keyless", &from("None"))).await;
    let host = scene.host().to_owned();
    let places = [
        ("forbidden", host.as_str(), "main"),
        ("keyless", host.as_str(), "keyless"),
        ("missing", host.as_str(), "nobody"),
        ("elsewhere", scene.site.tenant(2), "main"),
        ("nowhere", "kube-system", "main"),
    ];
    for (name, namespace, server) in places {
        client.apply(&team(guest, name, (namespace, server), "Spy")).await;
    }
    let _bridge = scene.start().await;
    let mut views = Vec::new();
    for (name, ..) in places {
        client.wait_reason(kind::TEAM, guest, name, "Ready", "RefNotPermitted").await;
        views.push((name, seen(client.get(kind::TEAM, guest, name).await)));
    }
    let events = async |name| scene.events(guest, kind::TEAM, name).await;
    let first = events("forbidden").await;
    for (name, view) in &views {
        assert_eq!(*view, views[0].1, "{name}");
        assert_eq!(events(name).await, first, "{name}");
    }
    let asked = scene.simulator.count("*", "/api/teams");
    assert_eq!(asked, 0, "the server is not asked on a stranger's behalf");
}
