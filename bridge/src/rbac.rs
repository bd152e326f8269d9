//! The rights that the bridge has, as one list.
//!
//! The chart, the kustomization and the cluster suite are all made from [`RIGHTS`]; the suite takes
//! each right away in turn and sees something fail. A right that is not in this list is not asked
//! for anywhere, and nothing here may be wider than what a controller uses.

use serde_json::{Value as Json, json};

use crate::crd::names::GROUP;

#[cfg(test)]
mod tests;

/// Where a right holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In the bridge's own namespace.
    Own,
    /// In each tenant's namespace: what is rendered there, and the Secrets beside the CRs.
    Tenant,
    /// On the custom resources: everywhere, or in the watched namespaces only.
    Watched,
    /// On namespaces themselves: their labels decide consent by selector.
    Namespaces,
}

/// What may be done with a kind of objects, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right {
    /// Where.
    pub scope: Scope,
    /// The API group; empty: the core group.
    pub group: &'static str,
    /// The resources, plural, with their subresource if one is meant.
    pub resources: &'static [&'static str],
    /// The verbs, sorted.
    pub verbs: &'static [&'static str],
    /// What it is for, for a person who reviews it.
    pub why: &'static str,
}

const KINDS: &[&str] = &[
    "terdutalertsources",
    "terdutdeadmanswitches",
    "terdutescalationrules",
    "terdutservers",
    "terdutteams",
];

const STATUSES: &[&str] = &[
    "terdutalertsources/status",
    "terdutdeadmanswitches/status",
    "terdutescalationrules/status",
    "terdutservers/status",
    "terdutteams/status",
];

/// Every right of the bridge.
pub const RIGHTS: &[Right] = &[
    Right {
        scope: Scope::Own,
        group: "coordination.k8s.io",
        resources: &["leases"],
        verbs: &["create", "get", "update"],
        why: "one replica works at a time",
    },
    Right {
        scope: Scope::Own,
        group: "",
        resources: &["secrets"],
        verbs: &["create", "delete", "get", "list", "update", "watch"],
        why: "credentials and ownership records, kept out of the tenants' namespaces",
    },
    Right {
        scope: Scope::Watched,
        group: GROUP,
        resources: KINDS,
        verbs: &["get", "list", "patch", "watch"],
        why: "the custom resources; patch sets finalizer and record",
    },
    Right {
        scope: Scope::Watched,
        group: GROUP,
        resources: STATUSES,
        verbs: &["patch"],
        why: "conditions and what else is reported",
    },
    Right {
        scope: Scope::Watched,
        group: "events.k8s.io",
        resources: &["events"],
        verbs: &["create"],
        why: "an Event for each visible action",
    },
    Right {
        scope: Scope::Tenant,
        group: "apps",
        resources: &["deployments"],
        verbs: &["create", "get", "list", "patch", "watch"],
        why: "the server's Deployment",
    },
    Right {
        scope: Scope::Tenant,
        group: "",
        resources: &["serviceaccounts", "services"],
        verbs: &["create", "get", "list", "patch", "watch"],
        why: "the server's Service and ServiceAccount",
    },
    Right {
        scope: Scope::Tenant,
        group: "policy",
        resources: &["poddisruptionbudgets"],
        verbs: &["create", "delete", "get", "list", "patch", "watch"],
        why: "for more than one replica; deleted when there is one again",
    },
    Right {
        scope: Scope::Tenant,
        group: "gateway.networking.k8s.io",
        resources: &["httproutes"],
        verbs: &["create", "delete", "get", "list", "patch", "watch"],
        why: "the route to the server, where that kind exists",
    },
    Right {
        scope: Scope::Tenant,
        group: "acid.zalan.do",
        resources: &["postgresqls"],
        verbs: &["get"],
        why: "a database that is named by its cluster",
    },
    Right {
        scope: Scope::Tenant,
        group: "",
        resources: &["secrets"],
        verbs: &["create", "delete", "get", "list", "patch", "watch"],
        why: "webhook Secrets beside alert sources; a look at the Secrets that a server names",
    },
    Right {
        scope: Scope::Namespaces,
        group: "",
        resources: &["namespaces"],
        verbs: &["get", "list", "watch"],
        why: "labels, for allowedTeams by selector",
    },
];

/// The rules of a Role or ClusterRole for these scopes, in the order of the list.
pub fn rules(scopes: &[Scope]) -> Vec<Json> {
    RIGHTS.iter().filter(|right| scopes.contains(&right.scope)).map(Right::rule).collect()
}

impl Right {
    /// The right as a rule of a Role.
    pub fn rule(&self) -> Json {
        json!({ "apiGroups": [self.group], "resources": self.resources, "verbs": self.verbs })
    }

    /// The same, verb by verb and resource by resource: what the cluster suite takes away singly.
    pub fn singles(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let verbs = self.verbs;
        self.resources
            .iter()
            .flat_map(move |resource| verbs.iter().map(move |verb| (*resource, *verb)))
    }
}

/// The rules as YAML, a comment before each that says what it is for.
pub fn rules_yaml(scopes: &[Scope]) -> String {
    let shown = RIGHTS.iter().filter(|right| scopes.contains(&right.scope)).map(Right::yaml);
    shown.collect()
}

impl Right {
    fn yaml(&self) -> String {
        let list = |items: &[&str]| {
            let quoted: Vec<_> = items.iter().map(|item| format!("{item:?}")).collect();
            quoted.join(", ")
        };
        format!(
            "# {}\n- apiGroups: [{:?}]\n  resources: [{}]\n  verbs: [{}]\n",
            self.why,
            self.group,
            list(self.resources),
            list(self.verbs)
        )
    }
}
