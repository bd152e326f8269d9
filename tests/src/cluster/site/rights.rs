//! The rights that a bridge gets: exactly those of the chart.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::cluster::manifests;

/// Rules of a role.
#[derive(Debug, Clone)]
pub struct Rights(Vec<Json>);

impl Rights {
    /// In a tenant's namespace, for a bridge that watches named namespaces only.
    pub fn tenant(namespace: &str) -> Self {
        let labels = json!({
            "apiGroups": [""], "resources": ["namespaces"],
            "resourceNames": [namespace], "verbs": ["get"],
        });
        of_chart("tenant").and(&of_chart("watched")).and(&Self(vec![labels]))
    }

    /// In the bridge's own namespace.
    pub fn own() -> Self {
        of_chart("own")
    }

    /// In the whole cluster, for a bridge that watches it; the tenants' namespaces need theirs too.
    pub fn everywhere() -> Self {
        of_chart("watched").and(&of_chart("namespaces"))
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

    /// The same without a verb on a resource.
    #[must_use]
    pub fn without(&self, resource: &str, verb: &str) -> Self {
        Self(self.0.iter().flat_map(|rule| split(rule, resource, verb)).collect())
    }

    /// As a role holds them.
    pub fn rules(&self) -> &[Json] {
        &self.0
    }
}

/// A file of the chart, which is generated from the bridge's own list.
fn of_chart(name: &str) -> Rights {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/helm/terdut-bridge");
    let documents = manifests::read(&folder.join(format!("files/rbac/{name}.yaml")));
    Rights(documents.iter().filter_map(Json::as_array).flatten().cloned().collect())
}

/// A rule as one for the resource without the verb, and one for the others.
fn split(rule: &Json, resource: &str, verb: &str) -> Vec<Json> {
    let texts = |field: &str| rule[field].as_array().cloned().unwrap_or_default();
    let (named, others): (Vec<_>, Vec<_>) =
        texts("resources").into_iter().partition(|one| one == resource);
    let verbs = texts("verbs").into_iter().filter(|one| one != verb).collect::<Vec<_>>();
    let with = |field: &str, value: Vec<Json>| {
        let mut rule = rule.clone();
        rule[field] = value.into();
        rule
    };
    let mut kept = Vec::new();
    if !others.is_empty() {
        kept.push(with("resources", others));
    }
    if !named.is_empty() && !verbs.is_empty() {
        let mut less = with("resources", named);
        less["verbs"] = verbs.into();
        kept.push(less);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_verb_is_taken_from_one_resource() {
        let rule = json!({ "apiGroups": [""], "resources": ["secrets", "services"], "verbs": ["get", "list"] });
        let less = Rights::of(vec![rule]).without("secrets", "list");
        let expected = json!([
            { "apiGroups": [""], "resources": ["services"], "verbs": ["get", "list"] },
            { "apiGroups": [""], "resources": ["secrets"], "verbs": ["get"] },
        ]);
        assert_eq!(Json::from(less.rules().to_vec()), expected);
    }

    #[test]
    fn the_chart_has_rules_for_each_place() {
        for rights in [Rights::own(), Rights::tenant("a"), Rights::everywhere()] {
            assert!(rights.rules().len() >= 2, "{rights:?}");
        }
    }
}
