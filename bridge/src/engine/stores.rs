//! All that the watches know: the five kinds, and what is known of namespaces.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::namespaces::Namespaces;
use super::placed::Placed;
use super::{KindStore, ObjectKey};
use crate::crd::{
    TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer, TerdutTeam,
};
use crate::metrics::Metrics;

/// A handle; all clones are the same stores.
#[derive(Debug, Clone)]
pub struct Stores(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    servers: KindStore<TerdutServer>,
    teams: KindStore<TerdutTeam>,
    escalation_rules: KindStore<TerdutEscalationRule>,
    deadman_switches: KindStore<TerdutDeadmanSwitch>,
    alert_sources: KindStore<TerdutAlertSource>,
    namespaces: Namespaces,
}

impl Stores {
    /// Empty stores for those namespaces, or for all.
    pub fn new(watched: Option<&BTreeSet<String>>) -> Self {
        let scopes = watched.map_or(1, BTreeSet::len);
        Self(Arc::new(Inner {
            servers: KindStore::new(scopes),
            teams: KindStore::new(scopes),
            escalation_rules: KindStore::new(scopes),
            deadman_switches: KindStore::new(scopes),
            alert_sources: KindStore::new(scopes),
            namespaces: Namespaces::new(),
        }))
    }

    /// All servers.
    pub fn servers(&self) -> &KindStore<TerdutServer> {
        &self.0.servers
    }

    /// All teams; `children_of` a server are its teams.
    pub fn teams(&self) -> &KindStore<TerdutTeam> {
        &self.0.teams
    }

    /// All escalation rules; `children_of` a team are its own.
    pub fn escalation_rules(&self) -> &KindStore<TerdutEscalationRule> {
        &self.0.escalation_rules
    }

    /// All dead man's switches; `children_of` a team are its own.
    pub fn deadman_switches(&self) -> &KindStore<TerdutDeadmanSwitch> {
        &self.0.deadman_switches
    }

    /// All alert sources; `children_of` a team are its own.
    pub fn alert_sources(&self) -> &KindStore<TerdutAlertSource> {
        &self.0.alert_sources
    }

    /// What is known of namespaces: labels, rights, our objects in them.
    pub fn namespaces(&self) -> &Namespaces {
        &self.0.namespaces
    }

    /// The store of a kind.
    pub fn of<K: Placed>(&self) -> &KindStore<K> {
        K::store(self)
    }

    /// Resolves when all is known that a pass may ask for.
    pub async fn listed(&self) {
        self.servers().listed().await;
        self.teams().listed().await;
        self.escalation_rules().listed().await;
        self.deadman_switches().listed().await;
        self.alert_sources().listed().await;
        self.namespaces().labels_listed().await;
    }

    /// Whether all is known that a pass may ask for.
    pub fn are_listed(&self) -> bool {
        self.servers().is_listed()
            && self.teams().is_listed()
            && self.escalation_rules().is_listed()
            && self.deadman_switches().is_listed()
            && self.alert_sources().is_listed()
            && self.namespaces().are_labels_listed()
    }

    /// Counts the objects by their state.
    pub fn count(&self, metrics: &Metrics) {
        count(self.servers(), metrics);
        count(self.teams(), metrics);
        count(self.escalation_rules(), metrics);
        count(self.deadman_switches(), metrics);
        count(self.alert_sources(), metrics);
    }
}

fn count<K: Placed>(store: &KindStore<K>, metrics: &Metrics) {
    for (ready, count) in store.count() {
        metrics.objects(K::KIND, ready, count);
    }
}

/// What an object is re-read together with: its parent, or else itself.
pub(super) fn group_of<K: Placed>(object: &K) -> ObjectKey {
    object.parent().unwrap_or_else(|| ObjectKey::of(object))
}
