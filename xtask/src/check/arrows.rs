//! The dependency arrows between the crates, and what each crate may never reach.
//!
//! The table is ARCHITECTURE.md's, as data. A crate may use what its arrows reach; an outside crate
//! that it may never reach is looked for in its whole tree of ordinary dependencies.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

use crate::shell;

#[cfg(test)]
mod tests;

struct Rule {
    package: &'static str,
    /// Crates of ours that it may depend on.
    may: &'static [&'static str],
    /// Outside crates that may be nowhere in its tree.
    never: &'static [&'static str],
}

const RULES: [Rule; 9] = [
    Rule {
        package: "terdut-core",
        may: &[],
        never: &["tokio", "reqwest", "hyper", "kube", "k8s-openapi", "tonic", "prost", "rand"],
    },
    Rule { package: "terdut-client", may: &["terdut-core"], never: &["kube", "tonic", "prost"] },
    Rule { package: "terdut-proto", may: &[], never: &["kube", "hyper-rustls"] },
    Rule { package: "terdut-plugin", may: &["terdut-proto"], never: &["kube", "hyper-rustls"] },
    Rule {
        package: "terraform-provider-terdut",
        may: &["terdut-client", "terdut-core", "terdut-plugin", "terdut-proto"],
        never: &["kube"],
    },
    Rule {
        package: "terdut-bridge",
        may: &["terdut-client", "terdut-core"],
        never: &["tonic", "prost"],
    },
    Rule { package: "terdut-simulator", may: &[], never: &["kube", "tonic", "prost"] },
    Rule {
        package: "terdut-tests",
        may: &[
            "terdut-bridge",
            "terdut-client",
            "terdut-core",
            "terdut-plugin",
            "terdut-proto",
            "terdut-simulator",
            "terraform-provider-terdut",
        ],
        never: &[],
    },
    Rule {
        package: "xtask",
        may: &["terdut-simulator", "terdut-bridge", "terraform-provider-terdut"],
        never: &[],
    },
];

/// Walks `cargo metadata` and names every arrow that the table does not have.
pub(super) fn check() -> Result<()> {
    let metadata = MetadataCommand::new().current_dir(shell::root()).exec()?;
    let wrong = faults_of(&metadata);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n   "));
    }
    Ok(())
}

fn faults_of(metadata: &Metadata) -> Vec<String> {
    let mut wrong = unknown_members(metadata);
    for rule in &RULES {
        wrong.extend(wrong_arrows(metadata, rule));
        wrong.extend(reached(metadata, rule));
    }
    wrong
}

fn unknown_members(metadata: &Metadata) -> Vec<String> {
    metadata
        .workspace_packages()
        .iter()
        .filter(|package| RULES.iter().all(|rule| rule.package != package.name.as_str()))
        .map(|package| format!("{} is in no rule: name its arrows", package.name))
        .collect()
}

fn wrong_arrows(metadata: &Metadata, rule: &Rule) -> Vec<String> {
    let ours: BTreeSet<&str> = RULES.iter().map(|rule| rule.package).collect();
    let packages = metadata.workspace_packages();
    let Some(package) = packages.iter().find(|package| package.name.as_str() == rule.package)
    else {
        return vec![format!("{} is not a member of the workspace", rule.package)];
    };
    package
        .dependencies
        .iter()
        // A test may stand on anything: what is shipped is what counts.
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .filter(|dependency| ours.contains(dependency.name.as_str()))
        .filter(|dependency| !rule.may.contains(&dependency.name.as_str()))
        .map(|dependency| format!("{} must not depend on {}", rule.package, dependency.name))
        .collect()
}

fn reached(metadata: &Metadata, rule: &Rule) -> Vec<String> {
    let names: BTreeMap<&PackageId, &str> =
        metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    let start = metadata.packages.iter().find(|package| package.name.as_str() == rule.package);
    let tree = start.map(|package| tree_of(metadata, &package.id)).unwrap_or_default();
    let tree: BTreeSet<&str> = tree.iter().filter_map(|id| names.get(id).copied()).collect();
    let found = rule.never.iter().filter(|never| tree.contains(*never));
    found.map(|never| format!("{} must never reach {never}", rule.package)).collect()
}

fn tree_of<'a>(metadata: &'a Metadata, start: &'a PackageId) -> BTreeSet<&'a PackageId> {
    let nodes: BTreeMap<&PackageId, _> = metadata
        .resolve
        .iter()
        .flat_map(|resolve| resolve.nodes.iter().map(|node| (&node.id, node)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map(|node| node.deps.as_slice()).unwrap_or_default();
        let shipped = dependencies.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        });
        open.extend(shipped.map(|dependency| &dependency.pkg));
    }
    seen
}
