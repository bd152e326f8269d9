//! What an attacker writes into objects of his own: records, status, names, copies.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Cluster, kind};

use super::{Attack, TEAM_NAME, forge_records};
use crate::scene::from;

#[tokio::test]
async fn a_forged_record_of_another_team_reaches_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let forge = async || forge_records(&attack, false, attack.victim_id).await;
    attack.changes_nothing(forge).await;
}

#[tokio::test]
async fn a_forged_record_with_ids_of_another_reaches_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let own = attack.attackers_team();
    attack.changes_nothing(async || forge_records(&attack, false, own).await).await;
}

#[tokio::test]
async fn a_record_of_another_object_reaches_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let forge = async || forge_records(&attack, true, attack.victim_id).await;
    attack.changes_nothing(forge).await;
}

#[tokio::test]
async fn a_forged_status_is_not_believed_and_is_put_right() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let (switch, source) = attack.victims_children();
    let guest = attack.scene.guest();
    let secret = json!({ "name": format!("{guest}.platform-team-credentials"), "key": "token" });
    let applied =
        json!({ "name": "x", "matcher": "a=b", "timeout": "1m0s", "severity": "warning" });
    let forged = [
        (
            kind::TEAM,
            json!({ "teamID": attack.victim_id.to_string(), "credentialsSecretRef": secret }),
        ),
        (kind::SWITCH, json!({ "switchID": switch.to_string(), "applied": applied })),
        (
            kind::SOURCE,
            json!({
                "integrationID": source.to_string(),
                "webhookURLSecretRef": { "name": "platform-terdut-webhook-of-another" },
            }),
        ),
    ];
    let forge = async || {
        for (of, status) in &forged {
            let before = client.get(*of, attacker, "platform").await["status"].clone();
            let patch = json!({ "status": status });
            client.patch_status(*of, attacker, "platform", &patch).await;
            let right = |found: Option<&Json>| {
                found.is_some_and(|found| {
                    let fields = status.as_object().expect("fields").keys();
                    fields.into_iter().all(|field| found["status"][field] == before[field])
                })
            };
            client.wait(*of, attacker, "platform", "as it was", right).await;
        }
    };
    attack.changes_nothing(forge).await;
}

#[tokio::test]
async fn a_team_is_not_taken_over_by_its_name() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let by_hand = attack.scene.simulator.state().add_team("By hand").id;
    let spy = async |name: &str, display: &str| {
        attack.scene.add_team(attacker, name, display).await;
        let children = client.list(kind::TEAM, attacker).await;
        assert!(!children.is_empty());
    };
    let take_over = async || {
        spy("claimed", TEAM_NAME).await;
        spy("padded", " Platform ").await;
        spy("not-adopted", "By hand").await;
        let expected = [
            ("claimed", "NameClaimed"),
            ("padded", "NameClaimed"),
            ("not-adopted", "AdoptionNotPermitted"),
        ];
        for (name, reason) in expected {
            client.wait_reason(kind::TEAM, attacker, name, "Ready", reason).await;
        }
        // Where adoption is allowed, what somebody owns is not adopted either.
        let mut allowed = from("All");
        allowed["adoption"] = "Allow".into();
        attack.scene.allow(&allowed).await;
        attack.scene.passes(kind::TEAM, attacker, "claimed").await;
        client.wait_reason(kind::TEAM, attacker, "claimed", "Ready", "NameClaimed").await;
        let rename = json!({ "spec": { "displayName": TEAM_NAME } });
        client.patch(kind::TEAM, attacker, "platform", &rename).await;
        client.wait_reason(kind::TEAM, attacker, "platform", "Ready", "NameTaken").await;
        client.delete(kind::TEAM, attacker, "not-adopted").await;
        client.wait_gone(kind::TEAM, attacker, "not-adopted").await;
        let left = attack.scene.simulator.state().team(by_hand);
        assert!(left.is_none_or(|left| left.team.name == "By hand"));
        attack.scene.simulator.state().delete_team(by_hand);
        attack.scene.simulator.state().add_team("By hand");
    };
    let before = attack.others()["teams"].as_array().map(Vec::len);
    take_over().await;
    attack.let_the_bridge_work().await;
    let teams = attack.others()["teams"].clone();
    assert_eq!(teams.as_array().map(Vec::len), before);
    let victim = attack.scene.simulator.state().team(attack.victim_id).expect("it is there");
    assert_eq!(victim.team.name, TEAM_NAME);
}

#[tokio::test]
async fn a_copied_manifest_is_another_object() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let copy = async || {
        for of in [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE] {
            let mut copied = client.get(of, attack.scene.guest(), "platform").await;
            let metadata = &mut copied["metadata"];
            for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
                metadata.as_object_mut().expect("metadata").remove(field);
            }
            metadata["namespace"] = attacker.into();
            metadata["name"] = "copy".into();
            if of != kind::TEAM {
                copied["spec"]["teamRef"]["name"] = "copy".into();
            }
            copied.as_object_mut().expect("an object").remove("status");
            client.create(&copied).await;
        }
        client.wait_reason(kind::TEAM, attacker, "copy", "Ready", "NameClaimed").await;
        attack.scene.children_say(attacker, "copy", "WaitingForTeam").await;
    };
    attack.changes_nothing(copy).await;
}
