//! What a tenant can do to others: nothing. Each test lets one tenant write whatever the API server
//! lets it write, and compares what is not the tenant's before and after.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{Bridge, Cluster, Filter, Kind, conditions, kind};

use crate::scene::{self, CHILDREN, Scene, from, team};

const RECORD: &str = "terdut.ryuvia.com/record";
const TEAM_NAME: &str = "Platform";

/// A server, a victim's team with children, and an attacker who has the same of his own.
struct Attack<'a> {
    scene: Scene<'a>,
    victim_id: i64,
    _bridge: Bridge,
}

impl<'a> Attack<'a> {
    async fn prepare(cluster: &'a Cluster) -> Self {
        let scene = Scene::new(cluster, 3, &from("All")).await;
        let bridge = scene.start().await;
        let victim_id = scene.settle(scene.guest(), TEAM_NAME).await;
        scene.settle(scene.site.tenant(2), "Attackers").await;
        Self { scene, victim_id, _bridge: bridge }
    }

    fn attacker(&self) -> &str {
        self.scene.site.tenant(2)
    }

    /// All on the server that is not the attacker's: the victim's team, accounts and keys.
    fn others(&self) -> Json {
        let mut all = self.scene.on_server();
        let own = self.scene.simulator.state().team_named("Attackers").map(|own| own.team.id);
        let own_account = |account: &Json| account["team_id"].as_i64() == own && own.is_some();
        retain(&mut all["teams"], |team| team["team"]["id"].as_i64() != own);
        retain(&mut all["accounts"], |account| !own_account(account));
        let state = self.scene.simulator.state();
        let accounts = state.accounts();
        let theirs = |owner| accounts.iter().any(|one| one.team_id != own && owner == one.id);
        let keys = state.keys();
        let keys = keys.iter().filter(|key| match key.owner {
            terdut_simulator::Owner::User(_) => true,
            terdut_simulator::Owner::Account(account) => theirs(account),
        });
        all["keys"] = keys.map(|key| key.id).collect();
        let source = state.team(self.victim_id).map(|team| team.integrations[0].id);
        all["webhook"] =
            source.and_then(|source| state.integration_key(self.victim_id, source)).into();
        all
    }

    /// The victim's objects as people see them.
    async fn victims_objects(&self) -> Vec<Json> {
        let mut found = Vec::new();
        for kind in [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE, kind::SECRET] {
            found.extend(self.scene.client.list(kind, self.scene.guest()).await);
        }
        found
    }

    /// Has the bridge look twice at each of the attacker's objects, then deletes them all.
    async fn let_the_bridge_work(&self) {
        let (client, attacker) = (&self.scene.client, self.attacker());
        let all = [CHILDREN.as_slice(), &[kind::TEAM]].concat();
        for kind in &all {
            for object in client.list(*kind, attacker).await {
                self.scene.passes(*kind, attacker, name_of(&object)).await;
            }
        }
        self.nothing_is_learnt().await;
        for kind in &all {
            for object in client.list(*kind, attacker).await {
                client.delete(*kind, attacker, name_of(&object)).await;
                client.wait_gone(*kind, attacker, name_of(&object)).await;
            }
        }
    }

    /// What the bridge says to the attacker names nothing of the victim's.
    async fn nothing_is_learnt(&self) {
        let client = &self.scene.client;
        let mut said = Vec::new();
        for kind in Kind::OURS {
            let objects = client.list(kind, self.attacker()).await;
            said.extend(objects.into_iter().map(|mut object| object["status"].take()));
        }
        said.extend(client.list(kind::EVENT, self.attacker()).await);
        let said = Json::from(said).to_string();
        for secret in self.foreign_words() {
            assert!(!said.contains(&secret), "{secret} is learnt: {said}");
        }
    }

    /// The victim's namespace, and all ids of what is the victim's.
    fn foreign_words(&self) -> Vec<String> {
        let state = self.scene.simulator.state();
        let victim = state.team(self.victim_id).expect("the victim's team is there");
        let account = state.accounts().into_iter().find(|one| one.team_id == Some(self.victim_id));
        let mut ids = vec![self.victim_id, account.expect("the victim's account").id];
        ids.extend(victim.switches.iter().map(|switch| switch.id));
        ids.extend(victim.integrations.iter().map(|source| source.id));
        let ids = ids.into_iter().map(|id| id.to_string());
        ids.chain([format!("{:?}", self.scene.guest())]).collect()
    }

    /// Runs an attack and its clean-up; nothing of others may be another then.
    async fn changes_nothing(&self, attack: impl AsyncFnOnce()) {
        let (before, objects) = (self.others(), self.victims_objects().await);
        attack().await;
        self.let_the_bridge_work().await;
        assert_eq!(self.others(), before);
        assert_eq!(self.victims_objects().await, objects);
    }

    /// The victim's ids: of the switch and the source.
    fn victims_children(&self) -> (i64, i64) {
        let victim = self.scene.simulator.state().team(self.victim_id).expect("the victim's team");
        (victim.switches[0].id, victim.integrations[0].id)
    }

    fn attackers_team(&self) -> i64 {
        let team = self.scene.simulator.state().team_named("Attackers");
        team.expect("the attacker's team").team.id
    }
}

fn retain(list: &mut Json, keep: impl Fn(&Json) -> bool) {
    if let Some(items) = list.as_array_mut() {
        items.retain(|item| keep(item));
    }
}

fn name_of(object: &Json) -> &str {
    object["metadata"]["name"].as_str().expect("an object has a name")
}

/// Records that an attacker may think of: of another team, of another UID, with another's id.
async fn forge_records(attack: &Attack<'_>, uid_of_victim: bool, team: i64) {
    let (client, attacker) = (&attack.scene.client, attack.attacker());
    let (switch, source) = attack.victims_children();
    let cases = [
        (kind::RULE, "EscalationRule", "", attack.victim_id),
        (kind::SWITCH, "DeadmanSwitch", "watchdog", switch),
        (kind::SOURCE, "AlertSource", "alertmanager", source),
    ];
    for (of, word, name, id) in cases {
        let namespace = if uid_of_victim { attack.scene.guest() } else { attacker };
        let owner = client.get(of, namespace, "platform").await;
        let record = json!({
            "uid": owner["metadata"]["uid"], "team": team, "kind": word, "name": name,
            "before": [], "id": id,
        });
        let text = record.to_string();
        client.annotate(of, attacker, "platform", RECORD, Some(&text)).await;
    }
}

#[tokio::test]
async fn a_forged_record_of_another_team_reaches_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let attack = Attack::prepare(cluster).await;
    let forge = async || forge_records(&attack, false, attack.victim_id).await;
    attack.changes_nothing(forge).await;
}

#[tokio::test]
async fn a_forged_record_with_anothers_ids_reaches_nothing() {
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
