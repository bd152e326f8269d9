//! Made-up workspaces with a wrong arrow each.

use serde_json::{Value, json};

use super::*;

/// An arrow: from, to, and its kind as cargo writes it (null is an ordinary dependency).
type Arrow = (&'static str, &'static str, Option<&'static str>);

fn id(name: &str) -> String {
    format!("path+file:///w/{name}#{name}@0.1.0")
}

fn package(name: &str, arrows: &[Arrow]) -> Value {
    let dependency = |(_, to, kind): &Arrow| {
        json!({
            "name": to, "source": null, "req": "*", "kind": kind, "rename": null,
            "optional": false, "uses_default_features": true, "features": [], "target": null,
        })
    };
    let own: Vec<_> = arrows.iter().filter(|arrow| arrow.0 == name).map(dependency).collect();
    json!({
        "name": name, "version": "0.1.0", "id": id(name), "dependencies": own, "targets": [],
        "features": {}, "manifest_path": format!("/w/{name}/Cargo.toml"),
    })
}

fn node(name: &str, arrows: &[Arrow]) -> Value {
    let own = || arrows.iter().filter(|arrow| arrow.0 == name);
    let deps: Vec<_> = own()
        .map(|(_, to, kind)| {
            let kinds = [json!({ "kind": kind, "target": null })];
            json!({ "name": to, "pkg": id(to), "dep_kinds": kinds })
        })
        .collect();
    let ids: Vec<_> = own().map(|arrow| id(arrow.1)).collect();
    json!({ "id": id(name), "dependencies": ids, "deps": deps, "features": [] })
}

/// What is said of a workspace with all our crates, these further members and these arrows.
fn faults(further: &[&str], arrows: &[Arrow]) -> Vec<String> {
    let members: Vec<_> = RULES.iter().map(|rule| rule.package).chain(further.to_vec()).collect();
    let mut all: BTreeSet<&str> = members.iter().copied().collect();
    all.extend(arrows.iter().map(|arrow| arrow.1));
    let packages: Vec<_> = all.iter().map(|name| package(name, arrows)).collect();
    let nodes: Vec<_> = all.iter().map(|name| node(name, arrows)).collect();
    let ids: Vec<_> = members.iter().map(|name| id(name)).collect();
    let metadata = json!({
        "packages": packages, "workspace_members": ids, "workspace_default_members": ids,
        "resolve": { "nodes": nodes, "root": null }, "target_directory": "/w/target",
        "workspace_root": "/w", "version": 1,
    });
    faults_of(&serde_json::from_value(metadata).unwrap())
}

#[test]
fn the_arrows_of_the_table_are_no_faults() {
    let arrows = [
        ("terdut-client", "terdut-core", None),
        ("terdut-client", "tokio", None),
        ("terraform-provider-terdut", "terdut-client", None),
        ("terraform-provider-terdut", "terdut-plugin", None),
        ("terdut-plugin", "terdut-proto", None),
    ];
    assert_eq!(faults(&[], &arrows), Vec::<String>::new());
}

#[test]
fn an_arrow_that_is_not_in_the_table_is_named() {
    for kind in [None, Some("build")] {
        let wrong = faults(&[], &[("terdut-simulator", "terdut-core", kind)]);
        assert_eq!(wrong, ["terdut-simulator must not depend on terdut-core"]);
    }
    let arrow = ("terdut-core", "terdut-client", None);
    assert_eq!(faults(&[], &[arrow]), ["terdut-core must not depend on terdut-client"]);
}

#[test]
fn a_forbidden_crate_is_found_behind_others() {
    let arrows = [("terdut-core", "middle", None), ("middle", "tokio", None)];
    assert_eq!(faults(&[], &arrows), ["terdut-core must never reach tokio"]);
}

#[test]
fn a_test_may_stand_on_anything() {
    let arrows =
        [("terdut-core", "tokio", Some("dev")), ("terdut-client", "terdut-simulator", Some("dev"))];
    assert_eq!(faults(&[], &arrows), Vec::<String>::new());
}

#[test]
fn a_member_without_a_rule_is_named() {
    assert_eq!(faults(&["stray"], &[]), ["stray is in no rule: name its arrows"]);
}
