//! The files that the chart and the kustomization are made of say what the list says.

use std::collections::BTreeSet;

use expect_test::expect_file;

use super::*;

const NOTE: &str =
    "# Generated from bridge/src/rbac.rs; UPDATE_EXPECT=1 cargo test -p terdut-bridge rbac\n";

#[test]
fn the_charts_rules_are_those_of_the_list() {
    let file = |scopes: &[Scope]| format!("{NOTE}{}", rules_yaml(scopes));
    expect_file!["../../../deploy/helm/terdut-bridge/files/rbac/own.yaml"]
        .assert_eq(&file(&[Scope::Own]));
    expect_file!["../../../deploy/helm/terdut-bridge/files/rbac/tenant.yaml"]
        .assert_eq(&file(&[Scope::Tenant]));
    expect_file!["../../../deploy/helm/terdut-bridge/files/rbac/watched.yaml"]
        .assert_eq(&file(&[Scope::Watched]));
    expect_file!["../../../deploy/helm/terdut-bridge/files/rbac/namespaces.yaml"]
        .assert_eq(&file(&[Scope::Namespaces]));
}

#[test]
fn no_right_is_a_wildcard_or_listed_twice() {
    let mut seen = BTreeSet::new();
    for right in RIGHTS {
        for (resource, verb) in right.singles() {
            assert!(!resource.contains('*') && !verb.contains('*') && verb != "escalate");
            let scope = format!("{:?}", right.scope);
            assert!(seen.insert((scope, right.group, resource, verb)), "{resource} {verb} twice");
        }
    }
}

#[test]
fn secrets_are_read_only_where_roles_are_bound() {
    let everywhere = rules(&[Scope::Watched, Scope::Namespaces]);
    assert!(everywhere.iter().all(|rule| rule["resources"] != serde_json::json!(["secrets"])));
    assert_eq!(rules(&[Scope::Own]).len(), 2);
}

fn indented(scopes: &[Scope]) -> String {
    rules_yaml(scopes).lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

fn role(kind: &str, name: &str, scopes: &[Scope]) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: {name}\nrules:\n{}---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}Binding\nmetadata:\n  name: {name}\n\
         roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {kind}\n  name: {name}\n\
         subjects:\n  - kind: ServiceAccount\n    name: terdut-bridge\n    namespace: terdut-bridge\n",
        indented(scopes)
    )
}

#[test]
fn the_kustomizations_roles_are_those_of_the_list() {
    let base = format!(
        "{NOTE}{}---\n{}",
        role("Role", "terdut-bridge", &[Scope::Own]),
        role("ClusterRole", "terdut-bridge", &[Scope::Watched, Scope::Namespaces])
    );
    expect_file!["../../../deploy/kustomize/base/rbac.yaml"].assert_eq(&base);
    let tenant = format!("{NOTE}{}", role("Role", "terdut-bridge-tenant", &[Scope::Tenant]));
    expect_file!["../../../deploy/kustomize/tenant/role.yaml"].assert_eq(&tenant);
    let wide = format!("{NOTE}{}", role("ClusterRole", "terdut-bridge-tenant", &[Scope::Tenant]));
    expect_file!["../../../deploy/kustomize/cluster-wide/rbac.yaml"].assert_eq(&wide);
}
