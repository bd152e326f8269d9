//! Every crate takes its lints, versions and licence from the workspace.
//!
//! Called by `check`. One lint table and one version table only hold if no manifest goes around
//! them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use crate::shell;

/// Reads each member's manifest and names what does not come from the workspace.
pub(super) fn check() -> Result<()> {
    let metadata = MetadataCommand::new().current_dir(shell::root()).no_deps().exec()?;
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let path = package.manifest_path.as_std_path();
        wrong.extend(faults_of(path)?);
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n   "));
    }
    Ok(())
}

fn faults_of(path: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(faults_in(&text).into_iter().map(|fault| format!("{}: {fault}", path.display())).collect())
}

fn faults_in(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut section = "";
    let mut lints = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[lints]" && line == "workspace = true" {
            lints = true;
        } else if section.ends_with("dependencies]") && pins_its_own_version(line) {
            faults.push(format!("`{line}` names a version of its own"));
        }
    }
    if !lints {
        faults.push("lints do not come from the workspace".to_owned());
    }
    faults
}

fn pins_its_own_version(line: &str) -> bool {
    let from_workspace = line.contains(".workspace = true") || line.contains("workspace = true");
    line.contains('=') && !line.starts_with('#') && !from_workspace
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_its_own_and_missing_lints_are_faults() {
        let good = "[lints]\nworkspace = true\n[dependencies]\nserde.workspace = true\n";
        assert_eq!(faults_in(good), Vec::<String>::new());
        let bad =
            "[dependencies]\nserde = \"1\"\n[dev-dependencies]\nrand = { workspace = true }\n";
        assert_eq!(
            faults_in(bad),
            ["`serde = \"1\"` names a version of its own", "lints do not come from the workspace"]
        );
    }
}
