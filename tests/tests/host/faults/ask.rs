//! What is done beside managed objects, as rows of the matrix: data sources, lists, a key for one
//! run, a test alert.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Diagnostic, Failure, Opened, Profile, to_json};

use super::hit::{Asked, Hit, Patience, all_has_acted};
use super::judge::Became;
use super::lane::{Walked, spans, title};
use super::page::Row;
use super::sort::{PATIENCE, Sort};
use super::truth::Truth;
use crate::scene::{ADDRESS, Scene};

const RUN_KEY: &str = "terdut_service_account_key";
const TEST_ALERT: &str = "terdut_send_test_alert";
/// It asks nobody, so nothing can go wrong on the way.
const MANIFESTS: &str = "terdut_server_manifests";

/// Something that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A data source of that name.
    Data(&'static str),
    /// A list of a kind.
    List(&'static str),
    /// A key for one run.
    Open,
    /// Its end.
    Close,
    /// A test alert that is resolved.
    Alert,
}

/// A data source of each kind and one of many, and a list of each kind.
const DATA: [&str; 13] = [
    "terdut_alert_source",
    "terdut_alert_sources",
    "terdut_deadman_switch",
    "terdut_deadman_switches",
    "terdut_escalation_rule",
    "terdut_on_call",
    MANIFESTS,
    "terdut_service_account",
    "terdut_service_accounts",
    "terdut_team",
    "terdut_teams",
    "terdut_user",
    "terdut_users",
];
const LISTS: [&str; 7] = [
    "terdut_alert_source",
    "terdut_deadman_switch",
    "terdut_escalation_rule",
    "terdut_service_account",
    "terdut_service_account_key",
    "terdut_team",
    "terdut_user",
];

impl Ask {
    /// All of them, under the heads of their tables.
    pub(crate) fn all() -> Vec<(&'static str, Self)> {
        let data = DATA.into_iter().filter(|name| *name != MANIFESTS);
        let data = data.map(|name| ("data sources", Self::Data(name)));
        let lists = LISTS.map(|name| ("lists", Self::List(name)));
        let others = [
            ("a key for one run", Self::Open),
            ("a key for one run", Self::Close),
            ("a test alert", Self::Alert),
        ];
        data.chain(lists).chain(others).collect()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Data(name) | Self::List(name) => name,
            Self::Open => "open",
            Self::Close => "close",
            Self::Alert => "send",
        }
    }
}

/// What came of it: all that was found, in words, and what was told.
type Ended = Result<(Json, Vec<Diagnostic>), Failure>;

struct Booth {
    scene: Scene,
    ask: Ask,
    rule: Json,
    switch: Json,
    source: Json,
    open: Option<Opened>,
    walked: Walked,
}

/// One thing that is asked, under each fault at each of its requests.
pub(crate) async fn walk(ask: Ask) -> Walked {
    let mut booth = Booth::set(ask).await;
    booth.begin().await;
    booth.scene.simulator.clear_requests();
    let (good, _) = booth.act().await.unwrap_or_else(|failure| panic!("{ask:?}: {failure}"));
    let asked = Asked::all(&booth.scene.simulator.requests());
    let mut each: Vec<Asked> = Vec::new();
    for one in asked {
        if !each.iter().any(|other| other.is_like(&one)) {
            each.push(one);
        }
    }
    for asked in each {
        booth.row(&asked, &good).await;
    }
    booth.scene.world.close().await;
    booth.walked
}

impl Booth {
    async fn set(ask: Ask) -> Self {
        let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
        let simulator = Simulator::start(Options::default());
        let mut scene = Scene::of(simulator, &binary, Profile::modern()).await;
        let mut made = Vec::new();
        for name in ["terdut_escalation_rule", "terdut_deadman_switch", "terdut_alert_source"] {
            let kind = scene.kind(name);
            made.push(scene.settle(&kind, &kind.full).await);
            scene.world.forget(ADDRESS);
        }
        let [rule, switch, source] = made.try_into().expect("three of them");
        let known = scene.world.session().schemas();
        let (data, lists) = (known.data_sources.keys(), known.lists.keys());
        assert!(data.eq(DATA.iter()) && lists.eq(LISTS.iter()), "the rows are not all there are");
        Self { scene, ask, rule, switch, source, open: None, walked: Walked::default() }
    }

    async fn configure(&self, hurried: bool) {
        let mut settings = self.scene.settings();
        let patience = if hurried { format!("{}ms", PATIENCE.as_millis()) } else { "20s".into() };
        settings["request_timeout"] = json!(patience);
        settings["max_retries"] = json!(1);
        self.scene.world.configure(&settings).await.expect("the settings are good");
    }

    /// Opens what is to be closed, and clears what a lost answer may have left.
    async fn begin(&mut self) {
        self.configure(false).await;
        let state = self.scene.simulator.state();
        for key in state.keys().iter().filter(|key| key.name.starts_with("tf-ephemeral-")) {
            state.revoke_key(key.id);
        }
        self.open = None;
        if self.ask == Ask::Close {
            let session = self.scene.world.session();
            let config = json!({ "service_account_id": self.scene.fixture.account });
            let opened = session.open_ephemeral(RUN_KEY, &config).await;
            self.open = Some(opened.unwrap_or_else(|failure| panic!("to begin: {failure}")));
        }
    }

    fn data(&self, name: &str) -> Json {
        let team = json!({ "team_id": self.rule["team_id"] });
        let below = |id: &Json| json!({ "team_id": self.rule["team_id"], "id": id });
        match name {
            "terdut_alert_source" => below(&self.source["id"]),
            "terdut_deadman_switch" => below(&self.switch["id"]),
            "terdut_alert_sources" | "terdut_deadman_switches" | "terdut_escalation_rule" => team,
            "terdut_team" => json!({ "name": "Fixture" }),
            "terdut_user" => json!({ "name": "ada" }),
            "terdut_service_account" => json!({ "name": "robot" }),
            _ => json!({}),
        }
    }

    async fn act(&mut self) -> Ended {
        let session = self.scene.world.session().clone();
        match self.ask {
            Ask::Data(name) => {
                let (found, told) = session.read_data(name, &self.data(name)).await?;
                Ok((to_json(&found), told))
            }
            Ask::List(name) => {
                let listed = session.list(name, &Json::Null, true, 100).await;
                let names = json!(listed.names());
                listed.outcome.map(|told| (names, told))
            }
            Ask::Open => {
                let config = json!({ "service_account_id": self.scene.fixture.account });
                let opened = session.open_ephemeral(RUN_KEY, &config).await?;
                let told = opened.warnings.clone();
                self.open = Some(opened);
                Ok((Json::Null, told))
            }
            Ask::Close => {
                let open = self.open.as_ref().expect("it was opened");
                Ok((Json::Null, session.close_ephemeral(RUN_KEY, open).await?))
            }
            Ask::Alert => {
                let url = &self.source["webhook_url"];
                let config = json!({ "webhook_url": url, "timeout": "1s", "resolve": true });
                let invoked = session.invoke(TEST_ALERT, &config).await;
                invoked.outcome.map(|told| (Json::Null, told))
            }
        }
    }

    async fn row(&mut self, asked: &Asked, good: &Json) {
        for acted in [false, true] {
            if acted && !asked.writes() {
                continue;
            }
            let mut cells = Vec::new();
            for sort in Sort::ALL {
                let mut cell = String::new();
                for span in spans(sort, asked, acted, false) {
                    let hit = Hit { sort, asked: asked.clone(), acted, span };
                    self.walked.count(&hit);
                    cell.push(match self.cell(&hit, good).await {
                        Ok(became) => became.letter(),
                        Err(lie) => {
                            self.walked.lies.push(format!("{:?}: {hit:?}: {lie}", self.ask));
                            '!'
                        }
                    });
                }
                cells.push(cell);
            }
            let request = title(asked, acted, None);
            self.walked.rows.push(Row { deed: self.ask.name(), request, cells });
        }
    }

    /// What was there before, and what came of it under the fault.
    async fn met(&mut self, hit: &Hit) -> (Truth, Ended) {
        let patience = Patience::with(hit);
        loop {
            self.begin().await;
            self.configure(hit.sort.is_slow()).await;
            let before = Truth::look(&self.scene.simulator);
            self.scene.simulator.clear_requests();
            hit.set(&self.scene.simulator);
            let ended = self.act().await;
            all_has_acted(&self.scene.simulator).await;
            self.scene.simulator.clear_faults();
            self.scene.simulator.come_back();
            if patience.is_met(&self.scene.simulator.requests()) {
                return (before, ended);
            }
        }
    }

    async fn cell(&mut self, hit: &Hit, good: &Json) -> Result<Became, String> {
        let (before, ended) = self.met(hit).await;
        if let Err(failure) = &ended
            && !hit.sort.words().iter().any(|word| failure.says(word))
            && !(hit.sort == Sort::NotFound && failure.says("has no escalation rule"))
            // A webhook has nothing to answer: what was not kept comes up nowhere.
            && !(hit.sort == Sort::Empty && failure.says("did not come up"))
        {
            return Err(format!("says none of {:?}: {failure}", hit.sort.words()));
        }
        // The server's own word that a team has no policy.
        let is_none = hit.sort == Sort::NotFound && hit.asked.is_policy();
        if !is_none {
            self.is_true(&before, &ended, good)?;
        }
        self.configure(false).await;
        self.begin().await;
        let again = self.act().await.map_err(|failure| format!("the next one: {failure}"))?;
        if again.0 != *good {
            return Err(format!("the next one finds {}", again.0));
        }
        let after = Truth::look(&self.scene.simulator);
        Ok(match ended {
            _ if is_none => Became::Absent,
            Ok((_, told)) if told.is_empty() => Became::Done,
            Ok(_) => Became::Warned,
            Err(failure) if failure.says("may ") => Became::Unsure,
            Err(_) if after == before => Became::Failed,
            Err(_) => Became::Begun,
        })
    }

    /// What is found is all there is; a key that is left is the one that was opened, or is told.
    fn is_true(&self, before: &Truth, ended: &Ended, good: &Json) -> Result<(), String> {
        if let Ok((found, _)) = ended
            && found != good
        {
            return Err(format!("found {found} instead of {good}"));
        }
        let now = Truth::look(&self.scene.simulator);
        let changed: Vec<_> = now.changed_since(before).into_iter().collect();
        let keys = self.scene.simulator.state().keys().into_iter();
        let keys = keys.filter(|key| key.name.starts_with("tf-ephemeral-")).count();
        let told = match ended {
            Ok((_, told)) => !told.is_empty(),
            Err(_) => true,
        };
        match self.ask {
            Ask::Data(_) | Ask::List(_) | Ask::Alert if changed.is_empty() => Ok(()),
            Ask::Open if changed.iter().all(|path| path.contains("/key/")) => {
                let held = usize::from(ended.is_ok());
                let fits = keys == held || (told && keys > held);
                if fits { Ok(()) } else { Err(format!("{keys} keys: {ended:?}")) }
            }
            Ask::Close if changed.iter().all(|path| path.contains("/key/")) => {
                let fits = keys == 0 || told;
                if fits { Ok(()) } else { Err(format!("it is left without a word: {ended:?}")) }
            }
            _ => Err(format!("changed {changed:?}: {ended:?}")),
        }
    }
}
