//! The programs of a control plane, which the suites look for in one folder.
//!
//! Called by `tools`. They can come from several places; the suites get a folder of links then.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Found, Tool};

/// The variable that names the folder, which other projects' test tools use too.
pub(super) const VARIABLE: &str = "KUBEBUILDER_ASSETS";

/// The folder that holds all of them under their own names.
pub(super) fn folder_of(found: &[&(Tool, Found)], cache: &Path) -> Result<PathBuf> {
    let folders: BTreeSet<_> = found.iter().filter_map(|(_, one)| one.path.parent()).collect();
    let plain = found.iter().all(|(tool, one)| one.path.ends_with(tool.program()));
    match folders.first() {
        Some(folder) if plain && folders.len() == 1 => Ok((*folder).to_owned()),
        _ => linked(found, &cache.join("assets")),
    }
}

fn linked(found: &[&(Tool, Found)], folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    for (tool, one) in found {
        let link = folder.join(tool.program());
        // A link of an earlier run may lead to another version.
        if link.is_symlink() {
            std::fs::remove_file(&link).with_context(|| format!("removing {}", link.display()))?;
        }
        symlink(&one.path, &link).with_context(|| format!("linking {}", link.display()))?;
    }
    Ok(folder.to_owned())
}
