//! Reasons of teams that have to do with their server and their name.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, conditions, kind};

use crate::scene::{self, CHILDREN, Scene, from, team};

const PAUSE: &str = "terdut.ryuvia.com/reconcile";

pub(super) async fn what_is_applied_says_so(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let _bridge = scene.start().await;
    let id = scene.settle(scene.guest(), "Platform").await;
    let team = scene.client.get(kind::TEAM, scene.guest(), "platform").await;
    assert_eq!(conditions::reason(&team, "Synced"), Some("Applied"));
    assert_eq!(team["status"]["teamID"], id.to_string());
    assert_eq!(team["status"]["observedGeneration"], team["metadata"]["generation"]);
    assert!(conditions::find(&team, "Degraded").is_none());
}

pub(super) async fn a_team_waits_for_its_server_and_for_its_key(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, host) = (&scene.client, scene.host());
    client.apply(&team(host, "early", (host, "late"), "Early")).await;
    let _bridge = scene.start().await;
    client.wait_reason(kind::TEAM, host, "early", "Ready", "WaitingForServer").await;
    // The server comes, its key does not yet.
    client.apply(&scene::server(host, "late", &from("Same"))).await;
    scene.site.routes.lead(host, "late", scene.simulator.url());
    scene.passes(kind::TEAM, host, "early").await;
    let waiting = client.wait_reason(kind::TEAM, host, "early", "Ready", "WaitingForServer").await;
    assert!(scene::message(&waiting, "Ready").contains("key"), "{waiting}");
    assert_eq!(scene.simulator.count("*", "/api/bootstrap"), 0, "the one bootstrap is not spent");
    scene.hand_in(host, "late", &scene.simulator.seed_admin()).await;
    client.wait_ready(kind::TEAM, host, "early").await;
}

pub(super) async fn a_reference_is_followed_once_it_is_permitted(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("Same")).await;
    scene.add_team(scene.guest(), "guest", "Guest").await;
    let _bridge = scene.start().await;
    let refused = "RefNotPermitted";
    scene.client.wait_reason(kind::TEAM, scene.guest(), "guest", "Ready", refused).await;
    assert_eq!(scene.simulator.state().team_count(), 0);
    scene.allow(&from("All")).await;
    scene.client.wait_ready(kind::TEAM, scene.guest(), "guest").await;
}

/// A finalizer of somebody else's, which keeps a server in deletion as long as a test wants.
async fn hold(scene: &Scene<'_>, held: bool) {
    let server = scene.client.get(kind::SERVER, scene.host(), "main").await;
    let mut finalizers = server["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    finalizers.retain(|one| one != "tests.example.org/hold");
    if held {
        finalizers.push("tests.example.org/hold".into());
    }
    let patch = json!({ "metadata": { "finalizers": finalizers } });
    scene.client.patch(kind::SERVER, scene.host(), "main", &patch).await;
}

pub(super) async fn below_a_server_that_is_being_deleted_nothing_is_done(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let id = scene.settle(guest, "Platform").await;
    hold(&scene, true).await;
    client.delete(kind::SERVER, scene.host(), "main").await;
    client.wait_reason(kind::TEAM, guest, "platform", "Ready", "ServerDeleting").await;
    scene.children_say(guest, "platform", "ServerDeleting").await;
    assert!(scene.simulator.state().team(id).is_some_and(|team| team.switches.len() == 1));
    let team = client.get(kind::TEAM, guest, "platform").await;
    assert_eq!(team["metadata"]["finalizers"], json!(["terdut.ryuvia.com/cleanup"]));
    // What is deleted below it goes without a word to the server.
    client.delete(kind::SWITCH, guest, "platform").await;
    client.wait_gone(kind::SWITCH, guest, "platform").await;
    hold(&scene, false).await;
    client.wait_gone(kind::SERVER, scene.host(), "main").await;
    client.wait_reason(kind::TEAM, guest, "platform", "Ready", "RefNotPermitted").await;
    client.delete(kind::TEAM, guest, "platform").await;
    client.wait_gone(kind::TEAM, guest, "platform").await;
}

pub(super) async fn a_second_object_for_a_team_changes_nothing_until_the_first_goes(
    cluster: &Cluster,
) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.add_team(guest, "first", "Platform").await;
    client.wait_ready(kind::TEAM, guest, "first").await;
    let mut second = team(guest, "second", (scene.host(), "main"), "Platform");
    second["spec"]["oidc"] = json!({ "memberGroup": "others" });
    client.apply(&second).await;
    client.wait_reason(kind::TEAM, guest, "second", "Ready", "NameClaimed").await;
    let there = scene.simulator.state().team_named("Platform").expect("the team");
    assert_eq!(there.team.oidc_member_group, None);
    client.delete(kind::TEAM, guest, "first").await;
    client.wait_ready(kind::TEAM, guest, "second").await;
    let there = scene.simulator.state().team_named("Platform").expect("the team");
    assert_eq!(there.team.oidc_member_group.as_deref(), Some("others"));
    assert_eq!(scene.simulator.state().team_count(), 1);
}

pub(super) async fn a_rename_to_a_name_that_is_taken_waits_for_it(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let other = scene.simulator.state().add_team("Other").id;
    scene.add_team(guest, "platform", "Platform").await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    let rename = json!({ "spec": { "displayName": "Other" } });
    client.patch(kind::TEAM, guest, "platform", &rename).await;
    let taken = client.wait_reason(kind::TEAM, guest, "platform", "Ready", "NameTaken").await;
    assert_eq!(conditions::status(&taken, "Degraded"), Some("True"), "an update failed");
    assert!(scene.simulator.state().team_named("Platform").is_some(), "it is as it was");
    scene.simulator.state().delete_team(other);
    let renamed = client.wait_ready(kind::TEAM, guest, "platform").await;
    assert!(conditions::find(&renamed, "Degraded").is_none());
    let there = scene.simulator.state().team_named("Other").expect("it is renamed");
    assert_eq!(renamed["status"]["teamID"], there.team.id.to_string());
}

pub(super) async fn a_team_that_is_there_is_adopted_once_that_is_allowed(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let by_hand = scene.simulator.state().add_team("Platform").id;
    scene.add_team(guest, "platform", "Platform").await;
    let _bridge = scene.start().await;
    let refused = "AdoptionNotPermitted";
    let waiting = client.wait_reason(kind::TEAM, guest, "platform", "Ready", refused).await;
    assert!(scene::message(&waiting, "Ready").contains("spec.allowedTeams.adoption"), "{waiting}");
    assert!(!waiting.to_string().contains(&by_hand.to_string()), "{waiting}");
    let mut allowed = from("All");
    allowed["adoption"] = "Allow".into();
    scene.allow(&allowed).await;
    let adopted = client.wait_ready(kind::TEAM, guest, "platform").await;
    assert_eq!(adopted["status"]["teamID"], by_hand.to_string());
    // In the server's own namespace no leave is needed.
    scene.allow(&from("All")).await;
    let own = scene.simulator.state().add_team("Own").id;
    scene.add_team(scene.host(), "own", "Own").await;
    let adopted = client.wait_ready(kind::TEAM, scene.host(), "own").await;
    assert_eq!(adopted["status"]["teamID"], own.to_string());
}

pub(super) async fn a_paused_object_is_left_alone_and_can_be_deleted(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let id = scene.settle(guest, "Platform").await;
    let all = [CHILDREN.as_slice(), &[kind::TEAM]].concat();
    for of in &all {
        client.annotate(*of, guest, "platform", PAUSE, Some("disabled")).await;
        let paused = client.wait_reason(*of, guest, "platform", "Synced", "Paused").await;
        assert_eq!(conditions::status(&paused, "Synced"), Some("Unknown"));
        assert_eq!(conditions::reason(&paused, "Ready"), Some("Available"), "as it was");
    }
    let before = scene.on_server();
    let changes = [
        (kind::TEAM, json!({ "displayName": "Renamed" })),
        (kind::RULE, json!({ "repeatCount": 7 })),
        (kind::SWITCH, json!({ "timeout": "45m" })),
        (kind::SOURCE, json!({ "name": "renamed" })),
    ];
    for (of, spec) in &changes {
        client.patch(*of, guest, "platform", &json!({ "spec": spec })).await;
        client.wait_reason(*of, guest, "platform", "Synced", "Paused").await;
    }
    assert_eq!(scene.on_server(), before);
    client.annotate(kind::RULE, guest, "platform", PAUSE, None).await;
    client.wait_ready(kind::RULE, guest, "platform").await;
    let policy = scene.simulator.state().team(id).and_then(|team| team.policy);
    assert_eq!(policy.map(|policy| policy.repeat_count), Some(7), "its pause is over");
    for of in all {
        client.delete(of, guest, "platform").await;
        client.wait_gone(of, guest, "platform").await;
    }
    assert_eq!(scene.simulator.state().teams().len(), 0, "a pause blocks no deletion");
    assert_eq!(scene.on_server()["accounts"], Json::from([Json::Null; 0].to_vec()));
}
