//! The least rights that a bridge works with.

use serde_json::{Value as Json, json};

/// Rules of a role.
#[derive(Debug, Clone)]
pub struct Rights(Vec<Json>);

const OURS: &str = "terdut.ryuvia.com";
const READ: [&str; 3] = ["get", "list", "watch"];
const ALL: [&str; 7] = ["get", "list", "watch", "create", "update", "patch", "delete"];

impl Rights {
    /// In a tenant's namespace.
    pub fn tenant(namespace: &str) -> Self {
        let mut this = Self::custom_resources().and(&Self::rendered());
        this.0.push(json!({
            "apiGroups": [""], "resources": ["namespaces"],
            "resourceNames": [namespace], "verbs": ["get"],
        }));
        this
    }

    /// In the bridge's own namespace.
    pub fn own() -> Self {
        Self(vec![
            rule("", &["secrets"], &ALL),
            rule("coordination.k8s.io", &["leases"], &ALL),
            events(),
        ])
    }

    /// What a bridge that watches the whole cluster needs beside the tenants' roles.
    pub fn cluster_wide() -> Self {
        let mut this = Self::custom_resources();
        this.0.push(rule("", &["namespaces"], &READ));
        this
    }

    /// The five kinds: reads, their own marks and their status.
    pub fn custom_resources() -> Self {
        Self(vec![rule(OURS, &["*"], &["get", "list", "watch", "patch", "update"]), events()])
    }

    /// What a `TerdutServer` renders to, and Secrets.
    pub fn rendered() -> Self {
        Self(vec![
            rule("", &["services", "serviceaccounts", "secrets"], &ALL),
            rule("apps", &["deployments"], &ALL),
            rule("policy", &["poddisruptionbudgets"], &ALL),
            rule("gateway.networking.k8s.io", &["httproutes"], &ALL),
            rule("acid.zalan.do", &["postgresqls"], &READ),
        ])
    }

    /// These rules.
    pub fn of(rules: Vec<Json>) -> Self {
        Self(rules)
    }

    /// Both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// As a role holds them.
    pub(super) fn rules(&self) -> &[Json] {
        &self.0
    }
}

fn events() -> Json {
    rule("events.k8s.io", &["events"], &["create", "patch"])
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Json {
    json!({ "apiGroups": [group], "resources": resources, "verbs": verbs })
}
