//! `cargo xtask notes`: what CHANGELOG.md says of the version that is released.
//!
//! The release's first step: it fails where tag, workspace, chart, kustomization and changelog do
//! not name one version, before anything is built. What it prints becomes the text of the release.

use anyhow::{Context, Result, bail};

use super::Set;
use crate::shell;

/// Which release.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tag that is released.
    #[arg(value_name = "TAG")]
    tag: String,
}

/// Where the workspace's version is repeated: a file, and the key that it stands under.
const REPEATED: [(&str, &str); 3] = [
    ("deploy/helm/terdut-bridge/Chart.yaml", "version"),
    ("deploy/helm/terdut-bridge/Chart.yaml", "appVersion"),
    ("deploy/kustomize/base/kustomization.yaml", "newTag"),
];

/// Checks the versions and prints the section.
pub(crate) fn run(args: &Args) -> Result<()> {
    let set = Set::current()?;
    let faults = faults(&set, &args.tag, read)?;
    if !faults.is_empty() {
        bail!("{}", faults.join("; "));
    }
    let changelog = read("CHANGELOG.md")?;
    let version = set.version();
    let section = section(&changelog, version)
        .with_context(|| format!("CHANGELOG.md says nothing under `## {version}`"))?;
    shell::say(section);
    Ok(())
}

fn read(name: &str) -> Result<String> {
    std::fs::read_to_string(shell::root().join(name)).with_context(|| format!("reading {name}"))
}

/// What names another version than the workspace.
fn faults(set: &Set, tag: &str, read: impl Fn(&str) -> Result<String>) -> Result<Vec<String>> {
    let (version, wanted) = (set.version(), set.tag());
    let mut faults = Vec::new();
    if tag != wanted {
        faults.push(format!("the tag is {tag}, not {wanted}"));
    }
    for (file, key) in REPEATED {
        let line = format!("{key}: {version}");
        if !read(file)?.lines().any(|found| found.trim() == line) {
            faults.push(format!("{file} has no line `{line}`"));
        }
    }
    Ok(faults)
}

/// What stands between a version's heading, which may have a date, and the next one.
fn section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let is_it = |part: &&str| {
        let heading = part.lines().next().unwrap_or_default();
        heading.split_whitespace().next() == Some(version)
    };
    let part = changelog.split("\n## ").skip(1).find(is_it)?;
    let text = part.split_once('\n')?.1.trim();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHART: &str = "name: terdut-bridge\nversion: 1.2.3\nappVersion: 1.2.3\n";
    const KUSTOMIZATION: &str = "images:\n  - name: terdut-bridge\n    newTag: 1.2.3\n";

    fn of(file: &str) -> String {
        if file.ends_with("Chart.yaml") { CHART } else { KUSTOMIZATION }.to_owned()
    }

    #[test]
    fn tag_chart_and_kustomization_have_the_version_of_the_workspace() {
        let set = Set::of("1.2.3").unwrap();
        let none = Vec::<String>::new();
        assert_eq!(faults(&set, "v1.2.3", |file| Ok(of(file))).unwrap(), none);
        let old = |file: &str| {
            let chart = of(file).replace("appVersion: 1.2.3", "appVersion: 1.2.2");
            Ok(chart.replace("newTag: 1.2.3", "newTag: 1.2.30"))
        };
        assert_eq!(
            faults(&set, "1.2.3", old).unwrap(),
            [
                "the tag is 1.2.3, not v1.2.3",
                "deploy/helm/terdut-bridge/Chart.yaml has no line `appVersion: 1.2.3`",
                "deploy/kustomize/base/kustomization.yaml has no line `newTag: 1.2.3`",
            ]
        );
    }

    #[test]
    fn this_source_names_one_version_already_before_it_is_tagged() {
        let set = Set::current().unwrap();
        assert_eq!(faults(&set, &set.tag(), read).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_section_ends_where_the_next_begins_and_an_empty_one_is_none() {
        let text =
            "# Changelog\n\n## 1.10.0 (2026-01-02)\n\n- New.\n\n## 1.1.0\n\n## 1.0.0\n- Old.\n";
        assert_eq!(section(text, "1.10.0"), Some("- New."));
        assert_eq!(section(text, "1.1.0"), None);
        assert_eq!(section(text, "1.0.0"), Some("- Old."));
        assert_eq!(section(text, "2.0.0"), None);
    }
}
