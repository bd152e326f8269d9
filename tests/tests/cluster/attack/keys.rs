//! What an attacker does to be sent somebody else's key, or to have a path of his own asked for.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{Cluster, Filter, conditions, kind};

use super::{Attack, RECORD, TEAM_NAME, forge_records};
use crate::scene::{self, CHILDREN, Scene, from, team};

/// A server of the attacker's own that keeps what it is sent, behind the object `trap`.
async fn set_trap(attack: &Attack<'_>, secret: &str) -> Simulator {
    let (scene, attacker) = (&attack.scene, attack.attacker());
    let trap = scene.site.serve_with(attacker, "trap", Options::default());
    let mut server = scene::server(attacker, "trap", &from("All"));
    server["spec"]["credentialsSecretRef"] = json!({ "name": secret });
    scene.client.apply(&server).await;
    scene.client.apply(&team(attacker, "trapped", (attacker, "trap"), TEAM_NAME)).await;
    scene.add_children(attacker, "trapped").await;
    trap
}

/// All keys of a server, as texts.
fn keys_of(server: &Simulator) -> Vec<String> {
    server.state().keys().into_iter().map(|key| key.text).collect()
}

/// The keys that the trap was shown and that are not its own.
fn caught(attack: &Attack<'_>, own: &[String]) -> Vec<String> {
    let to_trap = Filter::terdut().in_namespace(attack.attacker()).named("trap");
    let shown = attack.scene.site.traffic.matching(&to_trap).into_iter().map(|entry| entry.key);
    shown.filter(|key| !key.is_empty() && !own.contains(key)).collect()
}

#[tokio::test]
async fn no_credential_of_another_server_is_sent_to_the_attackers_own() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (host, guest) = (attack.scene.host().to_owned(), attack.scene.guest().to_owned());
    let secrets = [
        scene::credential_name(&host, "main"),
        format!("{host}.main-instance-credentials"),
        format!("{guest}.platform-team-credentials"),
        format!("{}.platform-team-credentials", attack.attacker()),
    ];
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    for secret in secrets {
        let before = attack.others();
        let trap = set_trap(&attack, &secret).await;
        let why = "WaitingForServer";
        client.wait_reason(kind::TEAM, attacker, "trapped", "Ready", why).await;
        attack.scene.passes(kind::TEAM, attacker, "trapped").await;
        attack.scene.children_say(attacker, "trapped", "WaitingForTeam").await;
        assert_eq!(caught(&attack, &keys_of(&trap)), [""; 0], "{secret}");
        assert_eq!(attack.others(), before, "{secret}");
        client.delete(kind::SERVER, attacker, "trap").await;
        client.wait_gone(kind::SERVER, attacker, "trap").await;
    }
    attack.let_the_bridge_work().await;
}

#[tokio::test]
async fn a_server_of_the_attackers_own_is_sent_its_own_keys_only() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (scene, attacker) = (&attack.scene, attack.attacker());
    let own = scene::credential_name(attacker, "trap");
    let trap = set_trap(&attack, &own).await;
    let mut trap_keys = Vec::new();
    attack
        .changes_nothing(async || {
            scene.hand_in(attacker, "trap", &trap.seed_admin()).await;
            scene.passes(kind::TEAM, attacker, "trapped").await;
            scene.client.wait_ready(kind::TEAM, attacker, "trapped").await;
            scene.children_ready(attacker, "trapped").await;
            // Its keys are revoked when its team is deleted.
            trap_keys = keys_of(&trap);
            // The name of a server that the attacker may use leads to the attacker's own now.
            scene.site.routes.lead(attacker, "main", trap.url());
            forge_records(&attack, false, attack.victim_id).await;
        })
        .await;
    assert!(trap.requests().len() > 10, "it was spoken to");
    assert_eq!(caught(&attack, &trap_keys), [""; 0]);
}

#[tokio::test]
async fn secrets_beside_the_attackers_objects_give_nothing_away() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let (own, guest) = (attack.scene.site.own.as_str(), attack.scene.guest());
    attack
        .changes_nothing(async || {
            // The bridge's own Secrets, forged in the attacker's namespace under every useful name.
            let mut forged =
                client.get(kind::SECRET, own, &format!("{guest}.platform-team-credentials")).await;
            let labels = forged["metadata"]["labels"].take();
            for name in ["platform", "forged"] {
                forged["metadata"] = json!({
                    "name": format!("{attacker}.{name}-team-credentials"),
                    "namespace": attacker, "labels": labels,
                });
                client.create(&forged).await;
            }
            attack.scene.add_team(attacker, "forged", TEAM_NAME).await;
            client.wait_reason(kind::TEAM, attacker, "forged", "Ready", "NameClaimed").await;
            // A credential for the host's server that does not lie where credentials lie.
            let host = attack.scene.host();
            client.create(&scene::credential(attacker, host, "other", "0123456789abcdef")).await;
            // A webhook's Secret of somebody's own is not overwritten.
            let theirs = json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": { "name": "second-terdut-webhook", "namespace": attacker },
                "stringData": { "url": "http://example.org" },
            });
            client.create(&theirs).await;
            let mut second = scene::source(attacker, "platform");
            second["metadata"]["name"] = "second".into();
            second["spec"]["name"] = "second".into();
            client.create(&second).await;
            let second =
                client.wait_reason(kind::SOURCE, attacker, "second", "Ready", "ForeignObject");
            assert_eq!(conditions::reason(&second.await, "Synced"), Some("ForeignObject"));
            let kept = client.get(kind::SECRET, attacker, "second-terdut-webhook").await;
            assert!(kept["data"]["key"].is_null(), "{kept}");
        })
        .await;
}

#[tokio::test]
async fn a_secret_of_another_namespace_cannot_be_named() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let webhook = format!("{}/platform-terdut-webhook", scene.host());
    for pointer in ["/spec/database/passwordSecretRef/name", "/spec/credentialsSecretRef/name"] {
        let mut server = scene::server(scene.guest(), "trap", &from("All"));
        *server.pointer_mut(pointer).expect("the field") = webhook.as_str().into();
        let answer = scene.client.try_create(&server).await;
        assert_eq!(answer.status, 422, "{}", answer.json);
        assert!(answer.message().contains(&pointer[1..].replace('/', ".")), "{}", answer.message());
    }
}

#[tokio::test]
async fn a_reference_is_a_name_and_never_a_path() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let guest = attack.scene.guest();
    attack
        .changes_nothing(async || {
            let path = "main/../../terdutteams/platform";
            let mut astray = team(attacker, "astray", (attack.scene.host(), path), "Astray");
            client.apply(&astray).await;
            astray["metadata"]["name"] = "astray-too".into();
            astray["spec"]["serverRef"] = json!({ "name": "main", "namespace": "../.." });
            client.apply(&astray).await;
            for name in ["astray", "astray-too"] {
                let refused = "RefNotPermitted";
                client.wait_reason(kind::TEAM, attacker, name, "Ready", refused).await;
            }
            let elsewhere = format!("../../{guest}/terdutteams/platform");
            for of in CHILDREN {
                let mut child = client.get(of, attacker, "platform").await;
                let record = child["metadata"]["annotations"][RECORD].as_str().unwrap_or_default();
                let mut record: Json = serde_json::from_str(record).expect("a record");
                let spec = child["spec"].as_object_mut().expect("a spec");
                spec.insert("teamRef".to_owned(), json!({ "name": elsewhere }));
                child["metadata"] = json!({
                    "name": "astray", "namespace": attacker,
                    "finalizers": ["terdut.ryuvia.com/cleanup"],
                });
                child.as_object_mut().expect("an object").remove("status");
                // A record that counts, so that the team is looked for when it is deleted.
                record["uid"] = client.create(&child).await["metadata"]["uid"].clone();
                let record = record.to_string();
                client.annotate(of, attacker, "astray", RECORD, Some(&record)).await;
            }
            attack.scene.children_say(attacker, "astray", "WaitingForTeam").await;
        })
        .await;
    let astray = |path: &str| path.contains("..") || path.contains("%2e");
    let entries = attack.scene.site.traffic.entries();
    let found = entries.iter().find(|entry| astray(&entry.path));
    assert!(found.is_none(), "{found:?}");
}
