//! How a change of one object brings others to their passes.
//!
//! [`Wake`] is given to whoever learns that something changed that a watch of the five kinds does
//! not show: the Secret store, the registry of servers, the watches of rendered objects. It never
//! waits. On a replica that does not lead, nothing is queued: the one that takes over starts with
//! everything.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::placed::Placed;
use super::queue::Queue;
use super::stores::Stores;
use super::{KindKey, ObjectKey, Reason};
use crate::clock::Clock;
use crate::crd::{
    Child, Kind, TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer,
    TerdutTeam,
};
use crate::metrics::Metrics;

/// The queue of one kind, with a bell.
#[derive(Debug)]
pub struct KindQueue {
    kind: &'static str,
    /// None while this replica does not lead.
    queue: Mutex<Option<Queue>>,
    bell: Notify,
    metrics: Metrics,
}

impl KindQueue {
    fn new<K: Kind>(metrics: &Metrics) -> Self {
        Self {
            kind: K::KIND,
            queue: Mutex::new(None),
            bell: Notify::new(),
            metrics: metrics.clone(),
        }
    }

    /// Starts with nothing, when this replica leads; forgets everything, when it no longer does.
    pub(super) fn open(&self, leads: bool) {
        *self.lock() = leads.then(Queue::default);
        self.metrics.queue_depth(self.kind, 0);
    }

    /// Queues an object.
    pub(super) fn add(
        &self,
        key: &ObjectKey,
        reason: Reason,
        version: Option<&str>,
        clock: &Clock,
    ) {
        let added = self.with(|queue| queue.add(key, reason, version, clock.now()));
        if added == Some(true) {
            self.metrics.queued(self.kind);
            self.bell.notify_one();
        }
    }

    /// Uses the queue, if this replica leads.
    pub(super) fn with<T>(&self, used: impl FnOnce(&mut Queue) -> T) -> Option<T> {
        let mut queue = self.lock();
        let result = queue.as_mut().map(used);
        if let Some(queue) = queue.as_ref() {
            self.metrics.queue_depth(self.kind, queue.depth());
        }
        result
    }

    /// Resolves when something was queued since the last time.
    pub(super) async fn rung(&self) {
        self.bell.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Queue>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The queues of the five kinds.
#[derive(Debug)]
pub struct Queues {
    pub(super) servers: KindQueue,
    pub(super) teams: KindQueue,
    pub(super) escalation_rules: KindQueue,
    pub(super) deadman_switches: KindQueue,
    pub(super) alert_sources: KindQueue,
}

/// A handle; all clones wake the same objects.
#[derive(Debug, Clone)]
pub struct Wake {
    queues: Arc<Queues>,
    stores: Stores,
    clock: Clock,
}

impl Wake {
    /// Queues that are closed.
    pub fn new(stores: Stores, clock: Clock, metrics: &Metrics) -> Self {
        let queues = Queues {
            servers: KindQueue::new::<TerdutServer>(metrics),
            teams: KindQueue::new::<TerdutTeam>(metrics),
            escalation_rules: KindQueue::new::<TerdutEscalationRule>(metrics),
            deadman_switches: KindQueue::new::<TerdutDeadmanSwitch>(metrics),
            alert_sources: KindQueue::new::<TerdutAlertSource>(metrics),
        };
        Self { queues: Arc::new(queues), stores, clock }
    }

    /// One server.
    pub fn server(&self, namespace: &str, name: &str) {
        self.one::<TerdutServer>(&ObjectKey::new(namespace, name));
    }

    /// One team.
    pub fn team(&self, namespace: &str, name: &str) {
        self.one::<TerdutTeam>(&ObjectKey::new(namespace, name));
    }

    /// One alert source.
    pub fn alert_source(&self, namespace: &str, name: &str) {
        self.one::<TerdutAlertSource>(&ObjectKey::new(namespace, name));
    }

    /// All children of one team.
    pub fn children_of_team(&self, namespace: &str, name: &str) {
        self.children(&ObjectKey::new(namespace, name));
    }

    /// The children of that kind that are not Ready: what another had of the team may be free now.
    pub fn heirs<K: Child + Placed>(&self, team: &ObjectKey) {
        for key in self.stores.of::<K>().waiting_of(team) {
            self.one::<K>(&key);
        }
    }

    /// All teams of one server.
    pub fn teams_of_server(&self, namespace: &str, name: &str) {
        for key in self.stores.teams().keys_of(&ObjectKey::new(namespace, name)) {
            self.one::<TerdutTeam>(&key);
        }
    }

    /// One object of any kind.
    pub fn object(&self, object: &KindKey) {
        match object.kind {
            TerdutServer::KIND => self.one::<TerdutServer>(&object.key),
            TerdutTeam::KIND => self.one::<TerdutTeam>(&object.key),
            TerdutEscalationRule::KIND => self.one::<TerdutEscalationRule>(&object.key),
            TerdutDeadmanSwitch::KIND => self.one::<TerdutDeadmanSwitch>(&object.key),
            TerdutAlertSource::KIND => self.one::<TerdutAlertSource>(&object.key),
            _ => {}
        }
    }

    /// All objects in one namespace.
    pub fn all_in_namespace(&self, namespace: &str) {
        self.kind_in::<TerdutServer>(namespace);
        self.kind_in::<TerdutTeam>(namespace);
        self.kind_in::<TerdutEscalationRule>(namespace);
        self.kind_in::<TerdutDeadmanSwitch>(namespace);
        self.kind_in::<TerdutAlertSource>(namespace);
    }

    /// All servers.
    pub fn all_servers(&self) {
        for (key, _) in self.stores.servers().keys() {
            self.one::<TerdutServer>(&key);
        }
    }

    pub(super) fn dependants_of_server(&self, server: &ObjectKey) {
        for team in self.stores.teams().keys_of(server) {
            self.one::<TerdutTeam>(&team);
            self.children(&team);
        }
    }

    pub(super) fn children(&self, team: &ObjectKey) {
        self.children_of_kind::<TerdutEscalationRule>(team);
        self.children_of_kind::<TerdutDeadmanSwitch>(team);
        self.children_of_kind::<TerdutAlertSource>(team);
    }

    /// Puts an object into its queue.
    pub(super) fn add<K: Placed>(&self, key: &ObjectKey, reason: Reason, version: Option<&str>) {
        self.queue::<K>().add(key, reason, version, &self.clock);
    }

    pub(super) fn queue<K: Placed>(&self) -> &KindQueue {
        K::queue(&self.queues)
    }

    fn children_of_kind<K: Placed>(&self, team: &ObjectKey) {
        for key in self.stores.of::<K>().keys_of(team) {
            self.one::<K>(&key);
        }
    }

    fn kind_in<K: Placed>(&self, namespace: &str) {
        for key in self.stores.of::<K>().keys_in(namespace) {
            self.one::<K>(&key);
        }
    }

    /// Kind and name of all that was woken since the last time, for tests of passes without a
    /// runner. Before the first time nothing is queued.
    #[cfg(test)]
    pub(crate) fn woken(&self) -> Vec<String> {
        let queues = &self.queues;
        let queues = [
            &queues.servers,
            &queues.teams,
            &queues.escalation_rules,
            &queues.deadman_switches,
            &queues.alert_sources,
        ];
        let taken = queues.into_iter().flat_map(|kind| {
            let now = self.clock.now();
            let next = || kind.with(|queue| queue.next(now)).flatten();
            let taken: Vec<_> = std::iter::from_fn(next).collect();
            kind.open(true);
            taken.into_iter().map(|start| format!("{} {}", kind.kind, start.key.name))
        });
        taken.collect()
    }

    /// An object that the store does not have needs no pass: a new one is queued by its watch.
    fn one<K: Placed>(&self, key: &ObjectKey) {
        if self.stores.of::<K>().contains(key) {
            self.add::<K>(key, Reason::Woken, None);
        }
    }
}
