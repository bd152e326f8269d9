//! `cargo xtask notes`: what CHANGELOG.md says of the version that is released.
//!
//! The release's first step: it fails where tag, workspace, chart and changelog do not name one
//! version, before anything is built. What it prints becomes the text of the release.

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

/// Checks the versions and prints the section.
pub(crate) fn run(args: &Args) -> Result<()> {
    let read = |name: &str| {
        std::fs::read_to_string(shell::root().join(name)).with_context(|| format!("reading {name}"))
    };
    let set = Set::current()?;
    let faults = faults(&set, &args.tag, &read("deploy/helm/terdut-bridge/Chart.yaml")?);
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

/// What names another version than the workspace.
fn faults(set: &Set, tag: &str, chart: &str) -> Vec<String> {
    let (version, wanted) = (set.version(), set.tag());
    let mut faults = Vec::new();
    if tag != wanted {
        faults.push(format!("the tag is {tag}, not {wanted}"));
    }
    for key in ["version", "appVersion"] {
        let line = format!("{key}: {version}");
        if !chart.lines().any(|found| found == line) {
            faults.push(format!("Chart.yaml has no line `{line}`"));
        }
    }
    faults
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

    #[test]
    fn tag_and_chart_have_the_version_of_the_workspace() {
        let set = Set::of("1.2.3").unwrap();
        assert_eq!(faults(&set, "v1.2.3", CHART), Vec::<String>::new());
        let old = CHART.replace("appVersion: 1.2.3", "appVersion: 1.2.2");
        assert_eq!(
            faults(&set, "1.2.3", &old),
            ["the tag is 1.2.3, not v1.2.3", "Chart.yaml has no line `appVersion: 1.2.3`"]
        );
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
