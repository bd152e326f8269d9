//! What a tenant can do to others: nothing. Each test lets one tenant write whatever the API server
//! lets it write, and compares what is not the tenant's before and after.

mod forged;
mod keys;

use serde_json::{Value as Json, json};
use terdut_simulator::Owner;
use terdut_tests::cluster::{Bridge, Cluster, Entry, Filter, Kind, kind};

use crate::scene::{CHILDREN, Scene, from};

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
            Owner::User(_) => true,
            Owner::Account(account) => theirs(account),
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
        let mark = self.scene.site.traffic.mark();
        attack().await;
        self.let_the_bridge_work().await;
        self.only_the_victim_asked(mark);
        assert_eq!(self.others(), before);
        assert_eq!(self.victims_objects().await, objects);
    }

    /// Nobody spoke of the victim's team to the server but with the victim's own key: that the
    /// server would have refused it is no excuse.
    fn only_the_victim_asked(&self, mark: usize) {
        let state = self.scene.simulator.state();
        let account = state.accounts().into_iter().find(|one| one.team_id == Some(self.victim_id));
        let account = account.expect("the victim's account").id;
        let keys = state.keys_of(Owner::Account(account));
        let below = format!("/api/teams/{}", self.victim_id);
        let asked = self.scene.site.traffic.matching(&Filter::terdut().after(mark));
        let strangers = asked.iter().filter(|entry| {
            entry.path.starts_with(&below) && !keys.iter().any(|key| key.text == entry.key)
        });
        let strangers: Vec<_> = strangers.map(Entry::line).collect();
        assert!(strangers.is_empty(), "{strangers:?}");
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
