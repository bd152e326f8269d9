//! `cargo xtask gen`: files which are made from other files and kept in the repository.
//!
//! Each submodule says what its files should hold; this one writes them, or with `--check` only
//! compares and fails. A generator must never write by itself, and must give the same bytes for
//! the same sources.

mod proto;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What to do with the generated files.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a file would change.
    #[arg(long)]
    pub(crate) check: bool,
}

/// One generated file: its place below the repository's root, and what it should hold.
#[derive(Debug)]
pub(crate) struct Generated {
    pub(crate) path: PathBuf,
    pub(crate) content: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = root();
    let files = proto::files(root)?;
    let stale = stale(root, files)?;
    if args.check {
        return refuse(&stale);
    }
    stale.iter().try_for_each(|file| write(root, file))
}

/// The repository's root: the folder above this crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn stale(root: &Path, files: Vec<Generated>) -> Result<Vec<Generated>> {
    let mut stale = Vec::new();
    for file in files {
        if read(&root.join(&file.path))?.as_deref() != Some(file.content.as_str()) {
            stale.push(file);
        }
    }
    Ok(stale)
}

fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn refuse(stale: &[Generated]) -> Result<()> {
    if stale.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = stale.iter().map(|file| file.path.display().to_string()).collect();
    bail!("not up to date: {}; run `cargo xtask gen` and commit the result", names.join(", "))
}

fn write(root: &Path, file: &Generated) -> Result<()> {
    let path = root.join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(&path, &file.content).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(path: &str, content: &str) -> Generated {
        Generated { path: path.into(), content: content.to_owned() }
    }

    #[test]
    fn only_files_that_would_change_are_stale() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("same"), "a").unwrap();
        fs::write(folder.path().join("other"), "a").unwrap();
        let files = ["same", "other", "new/one"]
            .map(|path| generated(path, if path == "same" { "a" } else { "b" }));
        let stale = stale(folder.path(), files.into()).unwrap();
        let complaint = refuse(&stale).unwrap_err().to_string();
        assert!(complaint.contains("other, new/one;"), "{complaint}");
        stale.iter().try_for_each(|file| write(folder.path(), file)).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("new/one")).unwrap(), "b");
    }
}
