//! One life: a site with one bridge at a time, a server's objects, and what is looked at.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use terdut_simulator::{Owner, Simulator};
use terdut_tests::cluster::{Bridge, Client, Cluster, Kind, Site, kind};
use terdut_tests::harness::wait_for;

use super::Death;
use super::step::{Act, Step};
use crate::scene;

const SERVER: &str = "main";
const NAME: &str = "platform";
const WEBHOOK: &str = "platform-terdut-webhook";
const FOREIGN: &str = "Somebody else's";
const SOON: Duration = Duration::from_secs(40);

pub(super) struct Life<'a> {
    pub(super) site: Site<'a>,
    client: Client,
    simulator: Simulator,
    bridge: Bridge,
    /// What belongs to nobody here, and the keys that it has.
    foreign: Json,
    /// The keys before the step.
    keys: Vec<String>,
}

impl<'a> Life<'a> {
    /// An empty namespace, and a server with things that are not ours.
    pub(super) async fn begin(cluster: &'a Cluster) -> Self {
        let site = Site::new(cluster, 1).await;
        let simulator = site.serve(site.tenant(0), SERVER);
        seed(&simulator);
        let client = site.client().within(SOON);
        let bridge = start(&site).await;
        let foreign = foreign(&simulator);
        let life = Self { site, client, simulator, bridge, foreign, keys: Vec::new() };
        let metadata = json!({ "name": "database", "namespace": life.namespace() });
        let password = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": metadata,
            "stringData": { "password": "not for the logs at all" },
        });
        life.client.apply(&password).await;
        life
    }

    fn namespace(&self) -> &str {
        self.site.tenant(0)
    }

    /// Does what a person does in this step.
    pub(super) async fn take(&mut self, step: Step) {
        self.keys = self.simulator.state().keys().into_iter().map(|key| key.text).collect();
        let (kind, namespace, name) = (step.kind(), self.namespace(), name_of(step.kind()));
        match step.act() {
            Act::Make => drop(self.client.apply(&self.manifest(kind)).await),
            Act::Patch(spec) => {
                self.client.patch(kind, namespace, name, &json!({ "spec": spec })).await;
            }
            Act::ReplaceKey => {
                let key = "terdut.ryuvia.com/rotate-credentials";
                self.client.annotate(kind, namespace, name, key, Some("now")).await;
            }
            Act::Delete => self.client.delete(kind, namespace, name).await,
        }
    }

    /// Waits until the bridge has done its part.
    pub(super) async fn wait_done(&self, step: Step) {
        let (kind, namespace, name) = (step.kind(), self.namespace(), name_of(step.kind()));
        match step.act() {
            Act::Delete => {
                self.client.wait_gone(kind, namespace, name).await;
                if step == Step::DeleteSource {
                    // It goes a moment later, by its owner reference.
                    self.client.wait_gone(kind::SECRET, namespace, WEBHOOK).await;
                }
            }
            Act::ReplaceKey => {
                let replaced = || {
                    let left = self.simulator.state().keys();
                    let left = left.iter().filter(|key| self.keys.contains(&key.text)).count();
                    left + 1 == self.keys.len()
                };
                wait_for("one key is replaced", SOON, || async { replaced() }).await;
                self.client.wait_ready(kind, namespace, name).await;
            }
            Act::Make | Act::Patch(_) => {
                self.client.wait_ready(kind, namespace, name).await;
            }
        }
    }

    /// Waits until the bridge is dead.
    pub(super) async fn dies(&self, death: &Death) {
        let what = format!(
            "the bridge dies at {} in {:?}\n{}",
            death.call,
            death.step,
            self.bridge.lines().tail(10)
        );
        wait_for(&what, SOON, || async { self.bridge.ended() }).await;
    }

    /// The next bridge.
    pub(super) async fn goes_on(&mut self) {
        self.bridge = start(&self.site).await;
    }

    /// Waits until all looks as it did without a death.
    pub(super) async fn looks_like(&self, expected: &Json, step: Step, death: Option<&Death>) {
        let deadline = std::time::Instant::now() + SOON;
        loop {
            let look = self.look().await;
            if look == *expected {
                return;
            }
            assert!(
                std::time::Instant::now() < deadline,
                "after {step:?} with {death:?}\nis {look:#}\nnot {expected:#}\n{}",
                self.bridge.lines().tail(40)
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What is there of ours, ids and times aside.
    pub(super) async fn look(&self) -> Json {
        assert_eq!(foreign(&self.simulator), self.foreign, "what is not ours was touched");
        let state = self.simulator.state();
        let teams = state.teams().into_iter().filter(|team| team.team.name != FOREIGN);
        let teams = without_ids(json!(teams.collect::<Vec<_>>()));
        let ours = state.accounts().into_iter().filter(|account| account.name != FOREIGN);
        let accounts = ours.map(|account| {
            let keys = state.keys_of(Owner::Account(account.id));
            json!([account.team_id.is_some(), account.name.contains("-team-"), keys.len()])
        });
        let of_people = state
            .users()
            .into_iter()
            .map(|user| json!([user.username, state.keys_of(Owner::User(user.id)).len()]));
        json!({
            "teams": teams,
            "accounts": accounts.collect::<Vec<_>>(),
            "people": of_people.collect::<Vec<_>>(),
            "records": self.records().await,
            "webhook": self.webhook().await,
        })
    }

    /// The bridge's Secrets, and whether the key in each is one that the server knows.
    async fn records(&self) -> Vec<Json> {
        let keys = self.simulator.state().keys();
        let known = |text: &str| keys.iter().any(|key| key.text == text);
        let prefix = format!("{}.", self.namespace());
        let secrets = self.client.list(kind::SECRET, &self.site.own).await;
        let record = |secret: &Json| {
            let name = secret["metadata"]["name"].as_str()?.strip_prefix(&prefix)?.to_owned();
            Some(json!([name, text_of(secret, "token").map(|token| known(&token))]))
        };
        secrets.iter().filter_map(record).collect()
    }

    /// Whether the webhook's Secret holds the key of the one alert source; null if there is none.
    async fn webhook(&self) -> Json {
        let found = self.client.find(kind::SECRET, self.namespace(), WEBHOOK).await;
        let Some(secret) = found else {
            return Json::Null;
        };
        let state = self.simulator.state();
        let teams = state.teams().into_iter().filter(|team| team.team.name != FOREIGN);
        let sources = teams.flat_map(|team| team.integrations);
        let mut keys = sources.filter_map(|one| state.integration_key(one.team_id, one.id));
        let held = text_of(&secret, "key");
        json!(keys.any(|key| Some(key) == held))
    }

    /// The server says that its only bootstrap is spent, and what a person can do.
    pub(super) async fn says_that_its_key_is_lost(&self) {
        let reason = "BootstrapStateLost";
        let (client, namespace) = (&self.client, self.namespace());
        let lost = client.wait_reason(kind::SERVER, namespace, SERVER, "Ready", reason).await;
        let said = scene::message(&lost, "Ready");
        assert!(said.contains("instance key") && said.contains("empty database"), "{said}");
        assert_eq!(self.simulator.state().users().len(), 1);
    }

    /// Nothing of ours is left but what the API cannot take away: the person whom the bootstrap
    /// made, and the instance account, without a key.
    pub(super) fn check_end(&self) {
        let state = self.simulator.state();
        let ours = state.accounts().into_iter().filter(|account| account.name != FOREIGN);
        let ours: Vec<_> = ours.collect();
        assert!(ours.len() <= 1 && ours.iter().all(|one| one.team_id.is_none()), "{ours:#?}");
        let keys = ours.iter().flat_map(|one| state.keys_of(Owner::Account(one.id))).count();
        assert_eq!((state.team_count(), keys), (1, 0));
        assert_eq!(foreign(&self.simulator), self.foreign);
    }

    fn manifest(&self, kind: Kind) -> Json {
        let namespace = self.namespace();
        match kind {
            kind::SERVER => {
                let mut server = scene::server(namespace, SERVER, &scene::from("Same"));
                let spec = server["spec"].as_object_mut().expect("a server has a spec");
                spec.remove("credentialsSecretRef");
                server
            }
            kind::TEAM => scene::team(namespace, NAME, (namespace, SERVER), "Platform"),
            kind::RULE => scene::rule(namespace, NAME),
            kind::SWITCH => scene::switch(namespace, NAME),
            _ => scene::source(namespace, NAME),
        }
    }
}

/// A bridge whose lease is soon free when it is dead, and which looks often.
async fn start(site: &Site<'_>) -> Bridge {
    let options = site.options("bridge").flag("resync-interval", "1s").flag("log-level", "info");
    let options = options.flag("lease-duration", "1500ms").flag("lease-deadline", "1200ms");
    site.start_with(options.flag("lease-retry", "300ms")).await
}

fn name_of(kind: Kind) -> &'static str {
    if kind == kind::SERVER { SERVER } else { NAME }
}

/// Things of others that have the names of ours.
fn seed(simulator: &Simulator) {
    let state = simulator.state();
    let team = state.add_team(FOREIGN);
    state.add_integration(team.id, "alertmanager");
    state.add_account(FOREIGN, Some(team.id));
}

fn foreign(simulator: &Simulator) -> Json {
    let state = simulator.state();
    let account = state.account(FOREIGN);
    let keys = account.as_ref().map(|one| state.keys_of(Owner::Account(one.id)));
    json!([state.team_named(FOREIGN), account, keys])
}

fn text_of(secret: &Json, key: &str) -> Option<String> {
    let bytes = STANDARD.decode(secret["data"][key].as_str()?).ok()?;
    String::from_utf8(bytes).ok()
}

fn without_ids(value: Json) -> Json {
    const CHANGING: [&str; 4] = ["id", "team_id", "created_at", "last_seen_at"];
    match value {
        Json::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| !CHANGING.contains(&name.as_str()))
            .map(|(name, value)| (name, without_ids(value)))
            .collect(),
        Json::Array(items) => items.into_iter().map(without_ids).collect(),
        other => other,
    }
}
