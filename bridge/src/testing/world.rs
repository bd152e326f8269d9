//! A whole small world for tests of passes: a made-up API server, the simulator as the terdut server,
//! and the context of one bridge process, which can be ended at any outside call.
//!
//! Nothing runs by itself: a test makes one pass after another. The server `oncall/main` has a key
//! that was handed in; the tenant's objects are in the namespace `tenant`.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use kube::Resource;
use serde_json::{Value, json};
use terdut_client::{Gate, Observer};
use terdut_simulator::{Options, Simulator};
use tokio_util::sync::CancellationToken;

use super::life::Life;
use super::{Asked, Cluster};
use crate::clock::Clock;
use crate::context::Context;
use crate::controllers::{
    AlertSourceController, DeadmanSwitchController, EscalationRuleController, TeamController,
};
use crate::crd::names::API_VERSION;
use crate::crd::{
    TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer, TerdutTeam,
};
use crate::engine::{Controller, Engine, Next, ObjectKey, Pass, Placed, Reason};
use crate::events::Events;
use crate::fence::Fence;
use crate::metrics::Metrics;
use crate::secrets::SecretStore;
use crate::servers::Servers;

/// The path of the server.
pub(crate) const SERVER: &str =
    "/apis/terdut.ryuvia.com/v1alpha1/namespaces/oncall/terdutservers/main";
/// Where the bridge's own Secrets are.
pub(crate) const SECRETS: &str = "/api/v1/namespaces/terdut-bridge/secrets";

/// See the module.
pub(crate) struct World {
    pub(crate) cluster: Cluster,
    pub(crate) simulator: Simulator,
    pub(crate) clock: Clock,
    pub(crate) life: Life,
    pub(crate) context: Arc<Context>,
    /// How much of what was asked a test has looked at.
    writes_seen: Cell<usize>,
    events_seen: Cell<usize>,
    /// Watches that nobody starts; it owns the stores.
    _engine: Engine,
    following: Following,
}

/// The watch over the bridge's own Secrets; it ends with its process.
struct Following(tokio::task::JoinHandle<()>);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl World {
    /// A server that allows every namespace everything, and nothing else.
    pub(crate) async fn new() -> Self {
        Self::with_flags(&[]).await
    }

    /// The same under a bridge that is started with these flags.
    pub(crate) async fn with_flags(flags: &[&str]) -> Self {
        let cluster = Cluster::start().await;
        let simulator = Simulator::start(Options::default());
        let key = instance_key(&simulator);
        cluster.put_at(&format!("{SECRETS}/handed-in"), handed_in(&key));
        cluster.put_at(SERVER, server());
        let clock = Clock::manual();
        Self::start(cluster, simulator, clock, flags).await
    }

    /// The same objects and the same server under a new process.
    pub(crate) async fn restarted(self) -> Self {
        drop(self.following);
        Self::start(self.cluster, self.simulator, self.clock, &[]).await
    }

    async fn start(cluster: Cluster, simulator: Simulator, clock: Clock, flags: &[&str]) -> Self {
        let life = Life::endless();
        let cluster = cluster.behind(&life).await;
        let (fence, metrics) = (Fence::open(), Metrics::new());
        let kube = cluster.kube(&fence);
        let url = format!("--server-url={}", simulator.url());
        let flags = [&[url.as_str()], flags].concat();
        let settings = Arc::new(crate::settings::tests::check(&flags, &[]).unwrap());
        let stop = CancellationToken::new();
        let parts = (fence.clone(), clock.clone(), metrics.clone(), stop);
        let engine = Engine::new(kube.clone(), &settings, parts.0, parts.1, parts.2, parts.3);
        let secrets = SecretStore::new(kube.clone(), &settings.namespace);
        let following = Following(tokio::spawn(secrets.clone().follow(engine.wake())));
        tokio::time::timeout(super::PATIENCE, secrets.listed()).await.unwrap();
        let (asking, told) = (life.clone(), life.clone());
        let gate = Gate::new(move || asking.passes());
        let observer = Observer::new(move |_| {
            told.passes();
        });
        let context = Arc::new(Context {
            secrets,
            servers: Servers::new(&settings, gate, observer, clock.clone(), engine.wake()),
            events: Events::new(kube.clone(), clock.clone(), "test"),
            stores: engine.stores(),
            wake: engine.wake(),
            kube,
            metrics,
            settings,
            fence,
            clock: clock.clone(),
        });
        let asked = cluster.asked().len();
        let (writes_seen, events_seen) = (Cell::new(asked), Cell::new(asked));
        Self {
            cluster,
            simulator,
            clock,
            life,
            context,
            writes_seen,
            events_seen,
            _engine: engine,
            following,
        }
    }

    /// The watch over the bridge's own Secrets ends.
    pub(crate) fn stop_following(&self) {
        self.following.0.abort();
    }

    /// Nothing goes wrong any more, and so much later that a server which did not answer is asked
    /// again.
    pub(crate) fn recovers(&self) {
        self.simulator.clear_faults();
        self.clock.advance(Duration::from_mins(10));
    }

    /// One pass over an object; none if the process ended in it.
    pub(crate) async fn pass<C>(&self, controller: C, path: &str, reason: Reason) -> Option<Next>
    where
        C: Controller,
        C::Object: Placed,
    {
        self.sync();
        let Some(object) = self.cluster.at(path) else { return Some(Next::Gone) };
        let object: C::Object = serde_json::from_value(object).unwrap();
        let meta = object.meta();
        let uid = meta.uid.clone().unwrap_or_default();
        let pass = Pass::new(reason, meta.generation.unwrap_or_default(), &uid);
        tokio::select! {
            biased;
            () = self.life.ends() => None,
            next = Box::pin(controller.reconcile(Arc::new(object), &pass)) => Some(next),
        }
    }

    /// A pass over a team.
    pub(crate) async fn team(&self, name: &str) -> Option<Next> {
        let controller = TeamController::new(Arc::clone(&self.context));
        self.pass(controller, &path("terdutteams", name), Reason::Changed).await
    }

    /// A pass over an escalation rule.
    pub(crate) async fn rule(&self, name: &str) -> Option<Next> {
        let controller = EscalationRuleController::new(Arc::clone(&self.context));
        self.pass(controller, &path("terdutescalationrules", name), Reason::Changed).await
    }

    /// A pass over a dead man's switch.
    pub(crate) async fn switch(&self, name: &str) -> Option<Next> {
        let controller = DeadmanSwitchController::new(Arc::clone(&self.context));
        self.pass(controller, &path("terdutdeadmanswitches", name), Reason::Changed).await
    }

    /// A pass over an alert source.
    pub(crate) async fn source(&self, name: &str) -> Option<Next> {
        let controller = AlertSourceController::new(Arc::clone(&self.context));
        self.pass(controller, &path("terdutalertsources", name), Reason::Changed).await
    }

    /// Puts a tenant's object there.
    pub(crate) fn put(&self, kind: &str, name: &str, spec: &Value) {
        let object = json!({
            "apiVersion": "terdut.ryuvia.com/v1alpha1", "kind": singular(kind),
            "metadata": {}, "spec": spec,
        });
        self.cluster.put_at(&path(kind, name), object);
    }

    /// A team `platform` that is on the server, with its key.
    pub(crate) async fn with_team() -> Self {
        let world = Self::new().await;
        world.put("terdutteams", "platform", &team_spec("Platform"));
        assert_eq!(
            world.team("platform").await,
            Some(Next::Settled),
            "{:?}",
            world.cluster.at(&path("terdutteams", "platform"))
        );
        world.take_writes();
        world.take_events();
        world
    }

    /// Method and path of every write of the bridge since the last time, Events left out.
    pub(crate) fn take_writes(&self) -> Vec<String> {
        let asked = self.cluster.asked();
        let new = asked.iter().skip(self.writes_seen.replace(asked.len()));
        let writes = new.filter(|asked| asked.method != "GET" && !asked.path.ends_with("/events"));
        writes.map(Asked::line).collect()
    }

    /// The reasons of the Events since the last time.
    pub(crate) fn take_events(&self) -> Vec<String> {
        let asked = self.cluster.asked();
        let new = asked.iter().skip(self.events_seen.replace(asked.len()));
        let events = new.filter(|asked| asked.path.ends_with("/events"));
        events.map(|event| event.body["reason"].as_str().unwrap().to_owned()).collect()
    }

    /// Status and reason of one condition of a tenant's object.
    pub(crate) fn condition(&self, kind: &str, name: &str, condition: &str) -> (String, String) {
        let object = self.cluster.at(&path(kind, name)).expect("the object");
        let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found = conditions.iter().find(|one| one["type"] == condition);
        let text = |key: &str| {
            found.map(|found| found[key].as_str().unwrap().to_owned()).unwrap_or_default()
        };
        (text("status"), text("reason"))
    }

    /// The reason of Ready.
    pub(crate) fn ready(&self, kind: &str, name: &str) -> String {
        let (status, reason) = self.condition(kind, name, "Ready");
        format!("{status} {reason}")
    }

    /// Makes the stores what the watches would have made them.
    fn sync(&self) {
        self.sync_kind::<TerdutServer>();
        self.sync_kind::<TerdutTeam>();
        self.sync_kind::<TerdutEscalationRule>();
        self.sync_kind::<TerdutDeadmanSwitch>();
        self.sync_kind::<TerdutAlertSource>();
    }

    fn sync_kind<K: Placed>(&self) {
        let store = self.context.stores.of::<K>();
        let mut seen = HashSet::new();
        for object in self.cluster.list(K::KIND) {
            let object: K = serde_json::from_value(object).unwrap();
            seen.insert(ObjectKey::of(&object));
            store.set(object);
        }
        store.keep_only(&seen);
    }
}

/// The path of a tenant's object.
pub(crate) fn path(kind: &str, name: &str) -> String {
    format!("/apis/{API_VERSION}/namespaces/tenant/{kind}/{name}")
}

/// The path of a record in the bridge's namespace.
pub(crate) fn record(team: &str) -> String {
    format!("{SECRETS}/tenant.{team}-team-credentials")
}

/// A Secret's value.
pub(crate) fn value(secret: &Value, key: &str) -> String {
    let bytes: ByteString = serde_json::from_value(secret["data"][key].clone()).unwrap_or_default();
    String::from_utf8(bytes.0).unwrap()
}

/// The spec of a team of that name.
pub(crate) fn team_spec(name: &str) -> Value {
    json!({ "serverRef": { "name": "main", "namespace": "oncall" }, "displayName": name })
}

/// The spec of a switch of that name.
pub(crate) fn switch_spec(name: &str) -> Value {
    json!({
        "teamRef": { "name": "platform" }, "name": name,
        "matcher": "alertname=Watchdog", "timeout": "15m",
    })
}

/// The spec of a source of that name.
pub(crate) fn source_spec(name: &str) -> Value {
    json!({ "teamRef": { "name": "platform" }, "name": name })
}

/// The spec of a rule that pages whoever is on call.
pub(crate) fn rule_spec() -> Value {
    json!({
        "teamRef": { "name": "platform" }, "repeatCount": 2,
        "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
    })
}

fn singular(kind: &str) -> &'static str {
    match kind {
        "terdutteams" => "TerdutTeam",
        "terdutescalationrules" => "TerdutEscalationRule",
        "terdutdeadmanswitches" => "TerdutDeadmanSwitch",
        "terdutalertsources" => "TerdutAlertSource",
        other => panic!("{other} is not a tenant's"),
    }
}

fn instance_key(simulator: &Simulator) -> String {
    simulator.state().add_account("handed-in", None).1.text
}

fn handed_in(key: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "labels": { "terdut.ryuvia.com/credential": "true" },
            "annotations": { "terdut.ryuvia.com/server": "oncall/main" },
        },
        "data": { "token": ByteString(key.as_bytes().to_vec()) },
    })
}

fn server() -> Value {
    json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1", "kind": "TerdutServer",
        "metadata": {},
        "spec": {
            "image": { "tag": "1" }, "database": { "dsn": "postgres://db/terdut" },
            "credentialsSecretRef": { "name": "handed-in" },
            "allowedTeams": { "namespaces": { "from": "All" }, "adoption": "Allow" },
        },
    })
}
