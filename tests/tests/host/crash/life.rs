//! One life: a server, a provider, a state, and the cast's objects from making to end.
//!
//! A life can be cut short at any call ([`Life::dies`]) and goes on from what the state holds then,
//! and then it is judged what comes of it ([`Life::recovers`]).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, Options, Simulator};
use terdut_tests::harness::{Binary, wait_for};
use terdut_tests::host::{Diagnostic, Failure, Host, Profile, World};

use super::Death;
use super::cast::{Known, Role, SERVER, Step};
use super::look::{self, FIRST_ID, Others};
use crate::inventory::{Thing, inventory};

/// Longer than any life.
const FOR_EVER: Duration = Duration::from_mins(10);
/// How long the provider may take until it makes the call at which it dies.
const PATIENCE: Duration = Duration::from_mins(1);
/// The names of the server's own accounts.
const OWN_ACCOUNTS: [&str; 2] = ["terraform", "second"];

pub(super) struct Life {
    pub(super) simulator: Arc<Simulator>,
    world: World,
    binary: Binary,
    cast: &'static [Role],
    others: Others,
    known: Known,
    adopting: BTreeSet<&'static str>,
    /// Accounts that were taken over for the server, and stay when it goes.
    staying: BTreeSet<i64>,
    /// Keys that nobody holds and that a person was told of.
    leftovers: BTreeSet<i64>,
    /// What a person was told by the applies since the last death.
    said: Vec<Diagnostic>,
    /// Whose turn it was from which request on.
    turns: Vec<(&'static str, usize)>,
}

impl Life {
    pub(super) async fn begin(binary: &Binary, cast: &'static [Role]) -> Self {
        let options = Options { first_id: FIRST_ID, admin: None, ..Options::default() };
        let simulator = Arc::new(Simulator::start(options));
        let others = Others::settle(&simulator);
        let known = Known { url: simulator.url().to_owned(), ..Known::default() };
        let world = World::new(Host::start(binary, Profile::modern()).await);
        let life = Self {
            simulator,
            world,
            binary: binary.clone(),
            cast,
            others,
            known,
            adopting: BTreeSet::new(),
            staying: BTreeSet::new(),
            leftovers: BTreeSet::new(),
            said: Vec::new(),
            turns: Vec::new(),
        };
        life.configure().await;
        life
    }

    /// The default provider is fed from the server's state, as in every configuration.
    async fn configure(&self) {
        let mut settings = json!({ "max_retries": 0, "request_timeout": "60s" });
        if let Some(server) = self.world.state(SERVER) {
            let kept = server["bootstrap_token"].as_str();
            settings["url"] = json!(self.known.url);
            settings["token"] = json!(kept.unwrap_or(&self.known.admin));
        }
        self.world.configure(&settings).await.expect("the settings are good");
    }

    /// Applies the configuration of a step, object after object, until one fails.
    pub(super) async fn take(&mut self, step: Step) -> Result<(), Failure> {
        // A run of its own: no list is remembered from the one before.
        self.configure().await;
        if step == Step::Destroy {
            return self.destroy().await;
        }
        if step == Step::Change && self.known.admin.is_empty() && self.cast.len() == 1 {
            self.known.admin = self.simulator.seed_admin();
        }
        for role in self.cast {
            self.begin_turn(role);
            let config = self.config(role, step);
            self.world.create_before_destroy(role.create_before_destroy);
            let applied = self.world.apply(role.address, role.type_name(), &config).await?;
            self.said.extend(applied.plan.diagnostics);
            self.said.extend(applied.diagnostics);
            self.bury(role).await?;
            if role.address == SERVER && self.cast.len() > 1 {
                self.configure().await;
            }
        }
        Ok(())
    }

    /// Destroys everything in the state.
    async fn destroy(&mut self) -> Result<(), Failure> {
        for role in self.cast.iter().rev() {
            self.begin_turn(role);
            self.bury(role).await?;
            if self.world.state(role.address).is_some() {
                let destroyed = self.world.destroy(role.address).await?;
                self.said.extend(destroyed.diagnostics);
            }
        }
        Ok(())
    }

    /// Destroys what was replaced and is still there.
    async fn bury(&mut self, role: &Role) -> Result<(), Failure> {
        let deposed = format!("{} (deposed)", role.address);
        if self.world.state(&deposed).is_some() {
            self.world.destroy(&deposed).await?;
        }
        Ok(())
    }

    fn begin_turn(&mut self, role: &Role) {
        self.turns.push((role.address, self.simulator.requests().len()));
    }

    fn config(&self, role: &Role, step: Step) -> Json {
        let id = |address: &str| {
            let state = self.world.state(address);
            state.and_then(|state| state["id"].as_str()).unwrap_or_default().to_owned()
        };
        let known = Known {
            team: id("terdut_team.main"),
            account: id("terdut_service_account.main"),
            ..self.known.clone()
        };
        let mut config = (role.config)(&known, step);
        if self.adopting.contains(role.address) {
            config["adopt_existing"] = json!(true);
        }
        config
    }

    /// Whose turn it was at a request.
    pub(super) fn turn_at(&self, request: usize) -> &'static str {
        let begun = self.turns.iter().rev().find(|(_, from)| *from <= request);
        begun.expect("a turn had begun").0
    }

    /// There is nothing more to do.
    pub(super) async fn expect_quiet(&mut self, step: Step) {
        if step == Step::Destroy {
            assert_eq!(self.world.addresses(), Vec::<&str>::new());
            return;
        }
        for role in self.cast {
            let config = self.config(role, step);
            let plan = self.world.plan(role.address, role.type_name(), &config).await;
            let plan = plan.unwrap_or_else(|failure| panic!("{}: {failure}", role.address));
            assert!(plan.is_empty(), "{}: {:#?}", role.address, plan.changes());
        }
        self.adopting.clear();
    }

    /// Applies a step until the provider dies at a call.
    pub(super) async fn dies(&mut self, step: Step, death: &Death) {
        let (first, place) = (self.simulator.requests().len(), self.simulator.faults().len());
        let nth = u32::try_from(death.call.index + 1).expect("there are not that many");
        let fault = Fault::on("*", "*").nth(nth).delay(FOR_EVER);
        let before = death.before;
        self.simulator.fault(if before { fault } else { fault.after_acting() });
        self.world.session().may_die();
        let pid = self.world.pid().expect("it runs").to_string();
        let simulator = Arc::clone(&self.simulator);
        let kill = async move {
            wait_for("the call", PATIENCE, || async {
                let met = &simulator.faults()[place];
                if before { met.struck > 0 } else { met.acted > 0 }
            })
            .await;
            let sent = std::process::Command::new("kill").args(["-KILL", &pid]).status();
            assert!(sent.expect("kill runs").success());
        };
        let (taken, ()) = tokio::join!(self.take(step), kill);
        let failure = taken.expect_err("the provider is dead");
        assert!(failure.is_death(), "{death}: {failure}");
        let met = self.simulator.requests().swap_remove(first + death.call.index);
        let address = self.turn_at(first + death.call.index);
        assert!(death.call.is(address, &met), "{death}: met {address} {met:?}");
        let killed = Host::start(&self.binary, Profile::modern()).await;
        self.world.resume(killed).await;
        self.configure().await;
    }

    /// Applies the step again after a death, and judges what comes of it.
    pub(super) async fn recovers(&mut self, step: Step, death: &Death) {
        let left = self.unheld();
        self.expect_fits(death, &left);
        self.said.clear();
        while let Err(failure) = self.take(step).await {
            self.help(death, &failure, &left);
        }
        self.look_again().await;
        for thing in self.unheld() {
            let is_key = thing.type_name == "terdut_service_account_key";
            assert!(is_key && left.contains(&thing), "{death}: {thing:?} is nobody's");
            let is_named = |said: &Diagnostic| look::numbers(&said.detail).contains(&thing.id);
            let named = step == Step::Destroy || self.said.iter().any(is_named);
            assert!(named, "{death}: nobody was told of {thing:?}: {:?}", self.said);
            self.leftovers.insert(thing.id);
        }
        self.expect_quiet(step).await;
    }

    /// The refresh of the next run, which tells of keys that were there before a new one was made.
    async fn look_again(&mut self) {
        for role in self.cast {
            if self.world.state(role.address).is_some() {
                let told = self.world.refresh_told(role.address).await;
                self.said.extend(told.unwrap_or_else(|failure| panic!("{failure}")));
            }
        }
    }

    /// What is left after a death says whether the server had acted.
    fn expect_fits(&self, death: &Death, left: &BTreeSet<Thing>) {
        if death.call.method != "POST" {
            return;
        }
        let is_there = !left.is_empty() || self.has_lost_bootstrap();
        let first_of_several = death.call.address == SERVER;
        if death.before {
            assert!(!is_there || first_of_several, "{death}: it had acted: {left:?}");
        } else {
            assert!(is_there, "{death}: it had not acted");
        }
    }

    /// Does what a failure after a death says. It must be one that the death explains.
    fn help(&mut self, death: &Death, failure: &Failure, left: &BTreeSet<Thing>) {
        let address = self.turns.last().expect("a turn had begun").0;
        if address == SERVER && self.has_lost_bootstrap() && !self.known.handed_in {
            for text in ["BootstrapStateLost", "Mint an instance key", "empty database"] {
                assert!(failure.says(text), "{death}: {text:?} is missing: {failure}");
            }
            self.known.admin = self.simulator.seed_admin();
            self.known.handed_in = true;
            return;
        }
        let server = address == SERVER;
        let type_name = if server { "terdut_service_account" } else { type_of(address) };
        let taken = left.iter().find(|thing| thing.type_name == type_name);
        let taken = taken.unwrap_or_else(|| panic!("{death}: nothing explains {failure}"));
        assert!(self.adopting.insert(address), "{death}: adoption does not help: {failure}");
        assert!(failure.says(&taken.id.to_string()), "{death}: {failure}");
        assert!(failure.says("adopt_existing"), "{death}: {failure}");
        assert!(server || failure.says("import {"), "{death}: {failure}");
        if server {
            self.staying.insert(taken.id);
        }
    }

    /// Whether the server was bootstrapped by an apply that nobody remembers.
    fn has_lost_bootstrap(&self) -> bool {
        self.world.state(SERVER).is_none() && self.simulator.state().user("root").is_some()
    }

    /// Ours on the server, and in no state.
    pub(super) fn unheld(&self) -> BTreeSet<Thing> {
        let addresses = self.world.addresses();
        let stored = addresses.into_iter().flat_map(|address| {
            let private = self.world.private(address).unwrap_or_default();
            let state = self.world.state(address).map(Json::to_string).unwrap_or_default();
            [state, String::from_utf8_lossy(private).into_owned()]
        });
        let stored = stored.collect::<Vec<_>>().join("\n");
        let mut held = look::numbers(&stored);
        let keys = self.simulator.state().keys();
        held.extend(keys.iter().filter(|key| stored.contains(&key.text)).map(|key| key.id));
        if self.known.handed_in || !self.known.admin.is_empty() {
            held.extend(look::keys_of_people(&self.simulator));
        }
        let people = self.simulator.state().users();
        let is_ours = |name: &str| name == "root" || name.starts_with("admin-");
        held.extend(people.iter().filter(|user| is_ours(&user.username)).map(|user| user.id));
        held.extend(self.leftovers.iter().chain(&self.staying));
        let mut all = inventory(&self.simulator);
        all.retain(|thing| !held.contains(&thing.id) && !self.others.things().contains(thing));
        all
    }

    /// All is as it is without a death.
    pub(super) fn expect_looks(&self, expected: &Json, context: &str) {
        let but: &[&str] = if self.staying.is_empty() { &[] } else { &OWN_ACCOUNTS };
        let (mut seen, mut expected) = (look::look(&self.simulator, but), expected.clone());
        for account in but {
            expected["accounts"].as_object_mut().expect("an object").remove(*account);
        }
        if self.known.handed_in {
            // Whoever lost a bootstrap may have lost it before the password was set.
            seen["people"]["root"] = json!(null);
            expected["people"]["root"] = json!(null);
        }
        assert_eq!(seen, expected, "{context}");
    }

    /// Nobody was told that something may be left.
    pub(super) fn expect_no_doubt(&self) {
        let doubtful = |said: &&Diagnostic| said.says("cut short") || said.says("not held here");
        assert_eq!(self.said.iter().find(doubtful), None);
    }

    /// What others have is as it was, and each death was died as it was meant.
    pub(super) async fn end(self) {
        self.others.expect_untouched(&self.simulator);
        for met in self.simulator.faults() {
            assert_eq!((met.struck, met.acted), (1, u32::from(met.fault.acted)), "{met:?}");
        }
        self.world.close().await;
    }
}

fn type_of(address: &str) -> &str {
    address.split('.').next().unwrap_or_default()
}
