//! The kinds of objects that tests handle, with their places in the API.

use serde_json::Value as Json;

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The group; "" for the first one.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// As in paths and roles.
    pub plural: &'static str,
    /// As in manifests.
    pub kind: &'static str,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $group:literal, $version:literal, $plural:literal, $kind:literal;)*) => {
        $($(#[$doc])* pub const $name: Kind =
            Kind { group: $group, version: $version, plural: $plural, kind: $kind };)*
        /// Every kind of this table.
        pub const ALL: &[Kind] = &[$($name),*];
    };
}

kinds! {
    /// The project's servers.
    SERVER = "terdut.ryuvia.com", "v1alpha1", "terdutservers", "TerdutServer";
    /// The project's teams.
    TEAM = "terdut.ryuvia.com", "v1alpha1", "terdutteams", "TerdutTeam";
    /// The project's escalation rules.
    RULE = "terdut.ryuvia.com", "v1alpha1", "terdutescalationrules", "TerdutEscalationRule";
    /// The project's dead man's switches.
    SWITCH = "terdut.ryuvia.com", "v1alpha1", "terdutdeadmanswitches", "TerdutDeadmanSwitch";
    /// The project's alert sources.
    SOURCE = "terdut.ryuvia.com", "v1alpha1", "terdutalertsources", "TerdutAlertSource";
    /// Namespaces.
    NAMESPACE = "", "v1", "namespaces", "Namespace";
    /// Secrets.
    SECRET = "", "v1", "secrets", "Secret";
    /// Config maps.
    CONFIG_MAP = "", "v1", "configmaps", "ConfigMap";
    /// Services.
    SERVICE = "", "v1", "services", "Service";
    /// Service accounts.
    SERVICE_ACCOUNT = "", "v1", "serviceaccounts", "ServiceAccount";
    /// Deployments.
    DEPLOYMENT = "apps", "v1", "deployments", "Deployment";
    /// Disruption budgets.
    BUDGET = "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget";
    /// Leases.
    LEASE = "coordination.k8s.io", "v1", "leases", "Lease";
    /// Events.
    EVENT = "events.k8s.io", "v1", "events", "Event";
    /// Roles.
    ROLE = "rbac.authorization.k8s.io", "v1", "roles", "Role";
    /// Bindings of roles.
    ROLE_BINDING = "rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding";
    /// Roles of the whole cluster.
    CLUSTER_ROLE = "rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole";
    /// Bindings of roles of the whole cluster.
    CLUSTER_ROLE_BINDING =
        "rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding";
    /// Custom kinds.
    CRD = "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition";
    /// Routes of the Gateway API, if that kind is installed.
    ROUTE = "gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute";
    /// Database clusters of the Zalando operator, if that kind is installed.
    POSTGRESQL = "acid.zalan.do", "v1", "postgresqls", "postgresql";
}

impl Kind {
    /// The project's five kinds, parents first.
    pub const OURS: [Self; 5] = [SERVER, TEAM, RULE, SWITCH, SOURCE];

    /// What a manifest is.
    ///
    /// # Panics
    /// If the table does not have it.
    pub fn of(object: &Json) -> Self {
        let is = |kind: &&Self| {
            object["kind"] == kind.kind && object["apiVersion"] == kind.api_version().as_str()
        };
        let found = ALL.iter().find(is);
        *found.unwrap_or_else(|| {
            panic!("{} {} is in no table of kinds", object["apiVersion"], object["kind"])
        })
    }

    /// As a manifest says it.
    pub fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The path of its objects in a namespace; in all of them, or outside, if it is "".
    pub fn list(&self, namespace: &str) -> String {
        let root = if self.group.is_empty() { "/api" } else { "/apis" };
        let place = match namespace {
            "" => String::new(),
            namespace => format!("/namespaces/{namespace}"),
        };
        format!("{root}/{}{place}/{}", self.api_version(), self.plural)
    }

    /// The path of an object.
    pub fn object(&self, namespace: &str, name: &str) -> String {
        format!("{}/{name}", self.list(namespace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_api() {
        assert_eq!(SECRET.object("a", "b"), "/api/v1/namespaces/a/secrets/b");
        assert_eq!(DEPLOYMENT.list(""), "/apis/apps/v1/deployments");
        assert_eq!(NAMESPACE.object("", "a"), "/api/v1/namespaces/a");
        let team =
            serde_json::json!({"apiVersion": "terdut.ryuvia.com/v1alpha1", "kind": "TerdutTeam"});
        assert_eq!(Kind::of(&team), TEAM);
    }
}
