//! What people hear of: an Event for each action that can be seen from outside, once.

use serde_json::json;
use terdut_simulator::Policy;
use terdut_tests::cluster::{Cluster, Filter, Kind, kind};
use terdut_tests::harness::wait_for;

use crate::scene::{self, CHILDREN, Scene, from, labelled};

const ROTATE: &str = "terdut.ryuvia.com/rotate-credentials";
const SOON: std::time::Duration = std::time::Duration::from_secs(20);

/// The reasons of the Events about an object, sorted.
async fn reasons(scene: &Scene<'_>, of: Kind, name: &str) -> Vec<String> {
    let events = scene.events(scene.guest(), of, name).await;
    let reason = |event: String| event.split(':').next().unwrap_or_default().to_owned();
    let mut reasons: Vec<_> = events.into_iter().map(reason).collect();
    reasons.sort();
    reasons
}

/// Waits until an object has had these Events, and sees after further passes that each came once.
async fn heard(scene: &Scene<'_>, of: Kind, name: &str, expected: &[&str]) {
    let missing = async || {
        let reasons = reasons(scene, of, name).await;
        expected.iter().any(|one| !reasons.iter().any(|reason| reason == one))
    };
    wait_for("its Events", SOON, || async { !missing().await }).await;
    scene.passes(of, scene.guest(), name).await;
    let reasons = reasons(scene, of, name).await;
    let twice = reasons.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "{} {name}: {reasons:?}", of.kind);
}

#[tokio::test]
async fn a_team_that_is_made_and_one_that_is_adopted_are_heard_of() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut allowed = from("All");
    allowed["adoption"] = "Allow".into();
    let scene = Scene::new(cluster, 2, &allowed).await;
    let (client, guest) = (&scene.client, scene.guest());
    scene.simulator.state().add_team("Adopted");
    let _bridge = scene.start().await;
    for (name, display) in [("made", "Made"), ("adopted", "Adopted")] {
        scene.add_team(guest, name, display).await;
        client.wait_ready(kind::TEAM, guest, name).await;
    }
    heard(&scene, kind::TEAM, "made", &["KeyMinted"]).await;
    heard(&scene, kind::TEAM, "adopted", &["Adopted", "KeyMinted"]).await;
    client.annotate(kind::TEAM, guest, "made", ROTATE, Some("now")).await;
    heard(&scene, kind::TEAM, "made", &["KeyMinted", "KeyRotated"]).await;
}

#[tokio::test]
async fn children_that_were_there_are_adopted_with_an_event() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.add_team(guest, "platform", "Platform").await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    let state = || scene.simulator.state();
    let team = state().team_named("Platform").expect("the team").team.id;
    let policy = json!({
        "team_id": team, "repeat_count": 9,
        "levels": [{ "timeout": "1h0m0s", "targets": [{ "kind": "oncall" }] }],
    });
    let policy: Policy = serde_json::from_value(policy).expect("a policy");
    state().set_policy(team, Some(policy)).expect("the team");
    let switch = json!({
        "id": 0, "team_id": team, "name": "watchdog", "matcher": "alertname=Watchdog",
        "timeout": "15m0s", "severity": "critical",
    });
    let switch = serde_json::from_value(switch).expect("a switch");
    let there = state().add_switch(switch).expect("the team").id;
    for child in [scene::rule(guest, "platform"), scene::switch(guest, "platform")] {
        client.apply(&child).await;
    }
    client.wait_ready(kind::RULE, guest, "platform").await;
    let adopted = client.wait_ready(kind::SWITCH, guest, "platform").await;
    assert_eq!(adopted["status"]["switchID"], there.to_string());
    heard(&scene, kind::RULE, "platform", &["Adopted"]).await;
    heard(&scene, kind::SWITCH, "platform", &["Adopted"]).await;
    let events = scene.events(guest, kind::RULE, "platform").await;
    assert!(events[0].contains("overwritten"), "{events:?}");
}

#[tokio::test]
async fn what_is_deleted_and_made_again_is_heard_of() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    scene.simulator.assume(|assumed| assumed.other_integration_kinds = true);
    let _bridge = scene.start().await;
    let team = scene.settle(guest, "Platform").await;
    let webhook = || client.get(kind::SECRET, guest, "platform-terdut-webhook");
    let before = webhook().await["data"].clone();
    client.patch(kind::SWITCH, guest, "platform", &json!({ "spec": { "timeout": "45m" } })).await;
    client.patch(kind::SOURCE, guest, "platform", &json!({ "spec": { "kind": "webhook" } })).await;
    client.wait_ready(kind::SWITCH, guest, "platform").await;
    client.wait_ready(kind::SOURCE, guest, "platform").await;
    heard(&scene, kind::SWITCH, "platform", &["Recreated"]).await;
    heard(&scene, kind::SOURCE, "platform", &["KeyRotated"]).await;
    let after = webhook().await["data"].clone();
    assert!(before["key"] != after["key"] && before["url"] != after["url"]);
    let there = scene.simulator.state().team(team).expect("the team");
    assert_eq!((there.switches.len(), there.integrations.len()), (1, 1));
    assert_eq!(there.integrations[0].kind, "webhook");
}

#[tokio::test]
async fn bad_news_is_heard_of_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let (client, guest) = (&scene.client, scene.guest());
    let options = scene.site.options("bridge-a").flag("retry-base", "100ms");
    let _bridge = scene.site.start_with(options.flag("retry-cap", "500ms")).await;
    scene.settle(guest, "Platform").await;
    client.delete(kind::SECRET, guest, "platform-terdut-webhook").await;
    heard(&scene, kind::SOURCE, "platform", &["WebhookSecretLost"]).await;
    scene.allow(&json!({ "namespaces": { "from": "None", "selector": null } })).await;
    heard(&scene, kind::TEAM, "platform", &["ConsentRevoked", "KeyMinted"]).await;
    scene.allow(&labelled()).await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    client.wait_ready(kind::SWITCH, guest, "platform").await;
    scene.site.traffic.cut_off(Filter::terdut());
    client.delete(kind::SWITCH, guest, "platform").await;
    client.wait_reason(kind::SWITCH, guest, "platform", "Ready", "DeletionBlocked").await;
    // Several tries to delete it, and one Event.
    let tries = Filter::terdut().of("/api/teams/{}/deadman-switches");
    let mark = scene.site.traffic.mark();
    wait_for("further tries", SOON, || async {
        scene.site.traffic.count(&tries.clone().after(mark)) >= 4
    })
    .await;
    let blocked = reasons(&scene, kind::SWITCH, "platform").await;
    assert_eq!(blocked.iter().filter(|reason| *reason == "DeletionBlocked").count(), 1);
    scene.site.traffic.restore();
    client.wait_gone(kind::SWITCH, guest, "platform").await;
}

#[tokio::test]
async fn an_object_that_fails_for_many_passes_makes_two_events_at_most() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let options = scene.site.options("bridge-a").flag("retry-base", "50ms");
    let bridge = scene.site.start_with(options.flag("retry-cap", "100ms")).await;
    scene.add_team(guest, "platform", "Platform").await;
    let mut rule = scene::rule(guest, "platform");
    rule["spec"]["levels"][0]["targets"][0] = json!({ "kind": "user", "username": "nobody" });
    client.apply(&rule).await;
    client.wait_reason(kind::RULE, guest, "platform", "Ready", "UnknownUser").await;
    let (mark, writes) = (scene.site.traffic.mark(), Filter::api().writes());
    let passes = async || bridge.metric("controller_runtime_reconcile_total").await;
    let enough = passes().await + 30.0;
    wait_for("many passes", SOON, || async { passes().await > enough }).await;
    assert_eq!(reasons(&scene, kind::RULE, "platform").await, ["UnknownUser"]);
    let written =
        scene.site.traffic.matching(&writes.of("terdutescalationrules/status").after(mark));
    assert!(written.is_empty(), "nothing new is written: {written:?}");
    // It comes and goes, and comes again.
    let mut oncall = rule.clone();
    oncall["spec"]["levels"][0]["targets"][0] = json!({ "kind": "oncall", "username": "" });
    for _ in 0..3 {
        client.apply(&oncall).await;
        client.wait_ready(kind::RULE, guest, "platform").await;
        client.apply(&rule).await;
        client.wait_reason(kind::RULE, guest, "platform", "Ready", "UnknownUser").await;
    }
    let events = reasons(&scene, kind::RULE, "platform").await;
    assert_eq!(events, ["UnknownUser", "UnknownUser"]);
}

#[tokio::test]
async fn what_kubectl_describes_is_for_people() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let guest = scene.guest();
    let _bridge = scene.start().await;
    scene.settle(guest, "Platform").await;
    let described = async |of: Kind| {
        let object = format!("{}/platform", of.plural);
        cluster.kubectl().run(&["describe", "-n", guest, &object]).await.expect_ok()
    };
    let team = described(kind::TEAM).await;
    for words in ["Display Name:", "Platform", "Conditions:", "Reason:", "Applied", "Team ID:"] {
        assert!(team.contains(words), "{words} is missing:\n{team}");
    }
    let (_, events) = team.split_once("Events:").expect("Events are shown");
    assert!(events.contains("Normal") && events.contains("KeyMinted"), "{events}");
    assert!(events.contains("terdut.ryuvia.com/bridge"), "who says it: {events}");
    let rule = json!({ "spec": { "levels": [
        { "timeout": "5m", "targets": [{ "kind": "user", "username": "nobody" }] },
    ]}});
    scene.client.patch(kind::RULE, guest, "platform", &rule).await;
    scene.client.wait_reason(kind::RULE, guest, "platform", "Ready", "UnknownUser").await;
    let rule = described(kind::RULE).await;
    let (status, events) = rule.split_once("Events:").expect("Events are shown");
    assert!(status.contains("Degraded") && status.contains("UnknownUser"), "{status}");
    assert!(events.contains("Warning") && events.contains("nobody"), "{events}");
    for of in CHILDREN {
        let shown = described(of).await;
        assert!(!has_key(&scene, &shown), "{shown}");
    }
}

/// Whether a text holds a key that went over the wire.
fn has_key(scene: &Scene<'_>, text: &str) -> bool {
    scene.site.traffic.secrets().iter().any(|secret| text.contains(secret.as_str()))
}
