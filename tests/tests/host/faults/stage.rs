//! One kind's server, provider and state, brought to the same beginning before each deed.

use serde_json::{Value as Json, json};
use terdut_simulator::{Level, Options, Owner, Policy, Simulator, Switch, Target};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Action, ApplyOutcome, Diagnostic, Failure, ImportBy, Profile};

use super::deed::Deed;
use super::sort::PATIENCE;
use super::truth::{Truth, is_of, path_of};
use crate::kinds::{Kind, filled, number};
use crate::scene::{ADDRESS, Scene};

/// How a deed ended: with warnings of its own, or not.
pub(crate) type Ended = Result<Vec<Diagnostic>, Failure>;

pub(crate) struct Stage {
    pub(crate) scene: Scene,
    pub(crate) kind: Kind,
    pub(crate) deed: Deed,
    /// What is on the server beside the object.
    home: Truth,
    /// The object's state when the deed begins.
    pub(crate) prior: Option<Json>,
}

impl Stage {
    pub(crate) async fn set(type_name: &str, deed: Deed) -> Self {
        // Pauses of the usual length would take hours; what they are is tested where they are made.
        Self::of(&Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms"), type_name, deed).await
    }

    /// With another environment of the provider.
    pub(crate) async fn of(binary: &Binary, type_name: &str, deed: Deed) -> Self {
        let mut scene =
            Scene::of(Simulator::start(Options::default()), binary, Profile::modern()).await;
        let kind = scene.kind(type_name);
        decoys(&scene);
        // What a create cannot finish is remembered until the next read.
        scene.world.session().may_forget();
        scene.world.create_before_destroy(deed == Deed::ReplaceNewFirst);
        let home = Truth::look(&scene.simulator);
        Self { scene, kind, deed, home, prior: None }
    }

    /// Settings as a person would have them, or with little patience.
    pub(crate) async fn configure(&self, hurried: bool) {
        let mut settings = self.scene.settings();
        let patience = if hurried { format!("{}ms", PATIENCE.as_millis()) } else { "20s".into() };
        settings["request_timeout"] = json!(patience);
        settings["max_retries"] = json!(1);
        self.scene.world.configure(&settings).await.expect("the settings are good");
    }

    /// Brings all to where the deed begins.
    pub(crate) async fn begin(&mut self) {
        self.configure(false).await;
        let same = self.deed.only_reads() && self.prior.is_some();
        if !same {
            if !self.is_one_object() {
                self.clear().await;
            }
            if let Some(config) = self.deed.before(&self.kind) {
                self.configure(false).await;
                let applied = self.scene.world.apply(ADDRESS, self.kind.type_name, &config).await;
                let made = applied.unwrap_or_else(|failure| panic!("to begin: {failure}"));
                self.prior = Some(made.state);
            }
        }
        if self.deed.begins_without_state() {
            self.scene.world.forget(ADDRESS);
        }
    }

    /// Whether the one object is there and stored, so that it may become what it was before.
    fn is_one_object(&self) -> bool {
        let now = Truth::look(&self.scene.simulator);
        let others = self.home.changed_since(&now).into_iter().filter(|path| self.home.has(path));
        let stored = self.stored();
        self.deed != Deed::Create
            && stored.len() == 1
            && stored == self.objects(&now)
            && others.count() == 0
            && now.new_since(&self.home).len() == 1
    }

    /// Removes the object, and what a lost answer may have left.
    async fn clear(&mut self) {
        self.prior = None;
        let stored: Vec<_> =
            self.scene.world.addresses().into_iter().map(ToOwned::to_owned).collect();
        for address in stored {
            let destroyed = self.scene.world.destroy(&address).await;
            destroyed.unwrap_or_else(|failure| panic!("to clear: {failure}"));
        }
        let state = self.scene.simulator.state();
        for path in Truth::look(&self.scene.simulator).new_since(&self.home) {
            let parts: Vec<_> = path.split('/').collect();
            let id = |at: usize| parts.get(at).and_then(|id| id.parse().ok()).unwrap_or(0);
            match parts.as_slice() {
                [_, _, "key", _] => drop(state.revoke_key(id(3))),
                [_, _, "switch", _] => drop(state.delete_switch(id(1), id(3))),
                [_, _, "source", _] => drop(state.delete_integration(id(1), id(3))),
                [_, _, "policy"] => drop(state.set_policy(id(1), None)),
                ["user", _] => drop(state.delete_user(id(1))),
                ["account", _] => drop(state.delete_account(id(1))),
                _ => drop(state.delete_team(id(1))),
            }
        }
        let left = Truth::look(&self.scene.simulator).changed_since(&self.home);
        assert!(left.is_empty(), "what is beside the object is another: {left:?}");
    }

    /// Does the deed.
    pub(crate) async fn act(&mut self) -> Ended {
        let type_name = self.kind.type_name;
        let world = &mut self.scene.world;
        let told = |applied: ApplyOutcome| applied.diagnostics;
        match self.deed {
            Deed::Refresh => world.refresh(ADDRESS).await.map(|_| Vec::new()),
            Deed::Plan => {
                let plan = world.plan(ADDRESS, type_name, &self.kind.full).await?;
                // Only of a policy the server itself says that there is none.
                let may_lack = type_name == "terdut_escalation_rule";
                let fits = plan.is_empty() || (may_lack && plan.action == Action::Create);
                assert!(fits, "planned {:?}: {:?}", plan.action, plan.changes());
                Ok(plan.diagnostics)
            }
            Deed::Destroy => world.destroy(ADDRESS).await.map(told),
            Deed::ImportById => self.import(0).await,
            Deed::ImportByName => self.import(1).await,
            Deed::Create | Deed::Adopt | Deed::Update | Deed::Replace | Deed::ReplaceNewFirst => {
                let config = self.deed.after(&self.kind);
                world.apply(ADDRESS, type_name, &config).await.map(told)
            }
        }
    }

    async fn import(&mut self, form: usize) -> Ended {
        let prior = self.prior.as_ref().expect("an import begins with an object");
        let id = filled(self.kind.imports[form], prior);
        // What an import cannot fill in is told each time.
        let by = ImportBy::Id(&id);
        self.scene.world.import(ADDRESS, self.kind.type_name, by).await.map(|_| Vec::new())
    }

    /// The next run, after the fault: it must end well, whatever the last one left.
    pub(crate) async fn end_well(&mut self, may_have_made: bool) -> Result<(), String> {
        self.configure(false).await;
        let (type_name, config) = (self.kind.type_name, self.deed.after(&self.kind));
        if self.deed == Deed::Destroy {
            let again = self.scene.world.destroy(ADDRESS).await;
            again.map_err(|failure| format!("the next destroy: {failure}"))?;
            return self.expect_objects(0, may_have_made);
        }
        if matches!(self.deed, Deed::ImportById | Deed::ImportByName) {
            if self.scene.world.state(ADDRESS).is_none() {
                let again = self.act().await;
                again.map_err(|failure| format!("the next import: {failure}"))?;
            }
            return self.expect_objects(1, false);
        }
        let deposed = self.scene.world.addresses().into_iter().find(|address| *address != ADDRESS);
        if let Some(deposed) = deposed.map(ToOwned::to_owned) {
            let ended = self.scene.world.destroy(&deposed).await;
            ended.map_err(|failure| format!("the one that is replaced: {failure}"))?;
        }
        if self.deed.only_reads() && self.scene.world.state(ADDRESS).is_some() {
            let plan = self.scene.world.plan(ADDRESS, type_name, &config).await;
            let plan = plan.map_err(|failure| format!("the next plan: {failure}"))?;
            let quiet = plan.is_empty();
            return if quiet { self.expect_objects(1, false) } else { Err(format!("{plan:?}")) };
        }
        let mut again = self.scene.world.apply(ADDRESS, type_name, &config).await;
        let taken = |failure: &Failure| failure.says("adopt_existing") || failure.says("import");
        // What was said not to be there is there after all.
        let absent = self.deed.only_reads();
        if (may_have_made || absent) && again.as_ref().is_err_and(taken) {
            let config = crate::kinds::with(&config, "adopt_existing", &json!(true));
            self.configure(false).await;
            again = self.scene.world.apply(ADDRESS, type_name, &config).await;
        }
        again.map_err(|failure| format!("the next apply: {failure}"))?;
        let plan = self.scene.world.plan(ADDRESS, type_name, &config).await;
        let plan = plan.map_err(|failure| format!("the plan after it: {failure}"))?;
        let quiet = plan.is_empty() || plan.changed() == ["adopt_existing"];
        if !quiet {
            return Err(format!("the plan after it is {:?}: {:?}", plan.action, plan.changes()));
        }
        self.expect_objects(1, may_have_made)
    }

    /// Wants so many objects of the kind, and all else as it was. Of what nobody holds, a key may
    /// be left where that was told.
    fn expect_objects(&self, wanted: usize, may_have_made: bool) -> Result<(), String> {
        let now = Truth::look(&self.scene.simulator);
        let there = self.objects(&now);
        let spare = usize::from(may_have_made && self.kind.type_name.ends_with("_key"));
        if !(wanted..=wanted + spare).contains(&there.len()) {
            return Err(format!("{wanted} wanted, there are {there:?}"));
        }
        if let Some(state) = self.scene.world.state(ADDRESS) {
            let path = path_of(self.kind.type_name, state);
            if !now.has(&path) {
                return Err(format!("{path} is in the state and not on the server"));
            }
        }
        let others: Vec<_> =
            self.home.changed_since(&now).into_iter().filter(|path| self.home.has(path)).collect();
        if others.is_empty() { Ok(()) } else { Err(format!("others were touched: {others:?}")) }
    }

    /// The objects of the kind that are not somebody else's.
    pub(crate) fn objects(&self, now: &Truth) -> Vec<String> {
        let new = now.new_since(&self.home).into_iter();
        new.filter(|path| is_of(self.kind.type_name, path)).collect()
    }

    /// Where the objects of the state are.
    pub(crate) fn stored(&self) -> Vec<String> {
        let world = &self.scene.world;
        let states = world.addresses().into_iter().filter_map(|address| world.state(address));
        states.map(|state| path_of(self.kind.type_name, state)).collect()
    }
}

/// Objects of others that look like ours, so that touching them is seen.
fn decoys(scene: &Scene) {
    let state = scene.simulator.state();
    let ours = number(&json!({ "id": scene.fixture.team }), "id");
    let account = number(&json!({ "id": scene.fixture.account }), "id");
    let theirs = state.add_team("platform").id;
    let switch = |team_id, name: &str| Switch {
        id: 0,
        team_id,
        name: name.to_owned(),
        matcher: "alertname=Watchdog,env=prod".into(),
        timeout: "15m0s".into(),
        severity: "high".into(),
        last_seen_at: None,
    };
    for (team, name) in [(theirs, "watchdog"), (ours, "Watchdog"), (ours, "watchdog-of-another")] {
        state.add_switch(switch(team, name)).expect("the team is there");
    }
    state.add_integration(theirs, "prod");
    state.add_integration(ours, "Prod");
    let target = Target { kind: "oncall".into(), user_id: None };
    let level = Level { timeout: "5m0s".into(), targets: vec![target] };
    let policy =
        Policy { team_id: theirs, repeat_count: 1, fallback_topic: None, levels: vec![level] };
    state.set_policy(theirs, Some(policy)).expect("the team is there");
    state.add_user("eve.another", "eve.another@example.org");
    state.add_account("CI", None);
    state.add_key(Owner::Account(account), "deploy");
}
