//! Reasons of rules, switches and alert sources.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, conditions, kind};
use terdut_tests::harness::wait_for;

use crate::scene::{self, CHILDREN, Scene, from};

const WEBHOOK: &str = "platform-terdut-webhook";
/// How soon a person hears of a lost Secret.
const HEARD_WITHIN: Duration = Duration::from_secs(5);

pub(super) async fn what_is_there_says_so(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let _bridge = scene.start().await;
    let id = scene.settle(scene.guest(), "Platform").await;
    for of in CHILDREN {
        let child = scene.client.get(of, scene.guest(), "platform").await;
        assert_eq!(conditions::reason(&child, "Ready"), Some("Available"));
        assert_eq!(conditions::reason(&child, "Synced"), Some("Applied"));
        assert!(conditions::find(&child, "Degraded").is_none());
    }
    let team = scene.simulator.state().team(id).expect("the team");
    assert!(team.policy.is_some() && team.switches.len() == 1 && team.integrations.len() == 1);
}

pub(super) async fn a_child_waits_for_its_team(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let _bridge = scene.start().await;
    scene.add_children(scene.guest(), "platform").await;
    scene.children_say(scene.guest(), "platform", "WaitingForTeam").await;
    scene.add_team(scene.guest(), "platform", "Platform").await;
    scene.children_ready(scene.guest(), "platform").await;
}

pub(super) async fn a_source_of_a_name_that_is_taken_is_never_taken_over(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.add_team(guest, "platform", "Platform").await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    let team = scene.simulator.state().team_named("Platform").expect("the team").team.id;
    let by_hand = scene.simulator.state().add_integration(team, "alertmanager").id;
    client.apply(&scene::source(guest, "platform")).await;
    client.wait_reason(kind::SOURCE, guest, "platform", "Ready", "NameTaken").await;
    let there = scene.simulator.state().team(team).expect("the team").integrations;
    assert_eq!(there.iter().map(|source| source.id).collect::<Vec<_>>(), [by_hand]);
    scene.simulator.state().delete_integration(team, by_hand);
    client.wait_ready(kind::SOURCE, guest, "platform").await;
}

/// A rule with a name and a number of repeats.
fn rule(scene: &Scene<'_>, name: &str, repeats: i64) -> Json {
    let mut rule = scene::rule(scene.guest(), "platform");
    rule["metadata"]["name"] = name.into();
    rule["spec"]["repeatCount"] = repeats.into();
    rule
}

fn repeats(scene: &Scene<'_>) -> Option<i64> {
    let team = scene.simulator.state().team_named("Platform")?;
    team.policy.map(|policy| policy.repeat_count)
}

pub(super) async fn the_older_rule_rules_until_it_goes(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.add_team(guest, "platform", "Platform").await;
    client.apply(&rule(&scene, "z-older", 1)).await;
    client.wait_ready(kind::RULE, guest, "z-older").await;
    // Objects' ages are told apart by the second.
    let made = |name: &'static str| async move {
        let rule = client.get(kind::RULE, guest, name).await;
        rule["metadata"]["creationTimestamp"].as_str().unwrap_or_default().to_owned()
    };
    let first = made("z-older").await;
    for younger in ["a-second", "b-third"] {
        wait_for("a later second", HEARD_WITHIN, || async {
            client.apply(&rule(&scene, younger, 2)).await;
            let later = made(younger).await > first;
            if !later {
                client.delete(kind::RULE, guest, younger).await;
                client.wait_gone(kind::RULE, guest, younger).await;
            }
            later
        })
        .await;
        let taken = "TeamAlreadyHasRule";
        let said = client.wait_reason(kind::RULE, guest, younger, "Ready", taken).await;
        assert!(scene::message(&said, "Ready").contains("z-older"), "{said}");
    }
    assert_eq!(repeats(&scene), Some(1));
    client.delete(kind::RULE, guest, "b-third").await;
    client.wait_gone(kind::RULE, guest, "b-third").await;
    assert_eq!(repeats(&scene), Some(1), "one that never ruled resets nothing");
    client.delete(kind::RULE, guest, "z-older").await;
    client.wait_gone(kind::RULE, guest, "z-older").await;
    client.wait_ready(kind::RULE, guest, "a-second").await;
    assert_eq!(repeats(&scene), Some(2));
}

pub(super) async fn a_person_who_is_unknown_is_waited_for(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let id = scene.settle(guest, "Platform").await;
    let levels = json!([{
        "timeout": "5m", "targets": [{ "kind": "user", "username": "ada" }, { "kind": "oncall" }],
    }]);
    client.patch(kind::RULE, guest, "platform", &json!({ "spec": { "levels": levels } })).await;
    let said = client.wait_reason(kind::RULE, guest, "platform", "Ready", "UnknownUser").await;
    let message = scene::message(&said, "Ready");
    assert!(message.contains("spec.levels[0].targets[0].username"), "{message}");
    assert!(message.contains("ada"), "{message}");
    let targets = || {
        let policy = scene.simulator.state().team(id).and_then(|team| team.policy);
        policy.map(|policy| policy.levels[0].targets.len())
    };
    assert_eq!(targets(), Some(1), "the policy is as it was");
    scene.simulator.state().add_user("ada", "ada@example.org");
    client.wait_ready(kind::RULE, guest, "platform").await;
    assert_eq!(targets(), Some(2));
}

pub(super) async fn a_lost_webhook_secret_is_not_healed_and_a_lost_label_is(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let id = scene.settle(guest, "Platform").await;
    let sources = || scene.simulator.state().team(id).expect("the team").integrations;
    let before = sources();
    let labels = client.get(kind::SECRET, guest, WEBHOOK).await["metadata"]["labels"].clone();
    let none = json!({ "metadata": { "labels": null } });
    client.patch(kind::SECRET, guest, WEBHOOK, &none).await;
    let put_back =
        |found: Option<&Json>| found.is_some_and(|found| found["metadata"]["labels"] == labels);
    client.wait(kind::SECRET, guest, WEBHOOK, "labelled again", put_back).await;
    client.wait_ready(kind::SOURCE, guest, "platform").await;

    let lost = Instant::now();
    client.delete(kind::SECRET, guest, WEBHOOK).await;
    wait_for("people hear of it", HEARD_WITHIN, || async {
        let events = client.list(kind::EVENT, guest).await;
        events.iter().any(|one| one["reason"] == "WebhookSecretLost" && one["type"] == "Warning")
    })
    .await;
    assert!(lost.elapsed() < HEARD_WITHIN);
    client.wait_reason(kind::SOURCE, guest, "platform", "Ready", "WebhookSecretLost").await;
    scene.passes(kind::SOURCE, guest, "platform").await;
    let said = client.get(kind::SOURCE, guest, "platform").await;
    assert_eq!(conditions::reason(&said, "Ready"), Some("WebhookSecretLost"));
    assert_eq!(sources(), before, "no new key is made");
    assert!(client.find(kind::SECRET, guest, WEBHOOK).await.is_none());

    client.delete(kind::SOURCE, guest, "platform").await;
    client.wait_gone(kind::SOURCE, guest, "platform").await;
    client.apply(&scene::source(guest, "platform")).await;
    client.wait_ready(kind::SOURCE, guest, "platform").await;
    assert!(client.find(kind::SECRET, guest, WEBHOOK).await.is_some());
    assert!(sources().len() == 1 && sources()[0].id != before[0].id, "the old one is gone");
}

pub(super) async fn a_foreign_secret_of_the_webhooks_name_is_left_alone(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let foreign = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": WEBHOOK, "namespace": guest },
        "stringData": { "url": "http://example.org" },
    });
    client.create(&foreign).await;
    let before = client.get(kind::SECRET, guest, WEBHOOK).await;
    scene.add_team(guest, "platform", "Platform").await;
    client.apply(&scene::source(guest, "platform")).await;
    let _bridge = scene.start().await;
    client.wait_reason(kind::SOURCE, guest, "platform", "Ready", "ForeignObject").await;
    scene.passes(kind::SOURCE, guest, "platform").await;
    assert_eq!(client.get(kind::SECRET, guest, WEBHOOK).await, before);
    let team = scene.simulator.state().team_named("Platform").expect("the team");
    assert!(team.integrations.is_empty(), "no key is made that could not be kept");
    client.delete(kind::SECRET, guest, WEBHOOK).await;
    client.wait_ready(kind::SOURCE, guest, "platform").await;
}
