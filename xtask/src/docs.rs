//! `cargo xtask docs`: the Registry's pages, made from the schema, `examples/` and `templates/`.
//!
//! tfplugindocs writes and validates them; here it gets the schema that the provider prints of
//! itself, and a copy of the sources to work in, so that a check changes nothing. Called by people,
//! and with `--check` by `check`. It must never touch a page that tfplugindocs does not own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell;
use crate::tools::Tool;

/// What in `docs/` is the Registry's; other pages there are ours.
const OWNED: [&str; 8] = [
    "index.md",
    "actions",
    "data-sources",
    "ephemeral-resources",
    "functions",
    "guides",
    "list-resources",
    "resources",
];

/// What the pages are made from, beside the schema.
const SOURCES: [&str; 2] = ["examples", "templates"];

const PROVIDER: &str = "terdut";

/// What to do with the pages.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a page would change.
    #[arg(long)]
    pub(crate) check: bool,
}

/// Pages by their path below `docs/`.
type Pages = BTreeMap<PathBuf, String>;

/// Writes the pages, or compares them.
pub(crate) fn run(args: &Args) -> Result<()> {
    let tool = Tool::PluginDocs.find_or_fetch()?.path;
    let wanted = made(&tool)?;
    let docs = shell::root().join("docs");
    let there = pages(&docs)?;
    if args.check { compare(&there, &wanted) } else { replace(&docs, &there, &wanted) }
}

/// The pages as they should be, validated.
fn made(tool: &Path) -> Result<Pages> {
    let folder = tempfile::tempdir().context("making a folder for the pages")?;
    for source in SOURCES {
        copy(&shell::root().join(source), &folder.path().join(source))?;
    }
    let schema = folder.path().join("schema.json");
    fs::write(&schema, schema_json()?).context("writing the schema")?;
    for step in ["generate", "validate"] {
        let mut command = shell::command(tool);
        command.arg(step).arg("--provider-dir").arg(folder.path());
        command.args(["--provider-name", PROVIDER, "--providers-schema"]).arg(&schema);
        shell::capture(&mut command).with_context(|| format!("tfplugindocs {step}"))?;
    }
    pages(&folder.path().join("docs"))
}

/// What the provider prints of itself, as `terraform providers schema -json` would, under the bare
/// name, the only one that tfplugindocs looks for.
fn schema_json() -> Result<String> {
    let build = ["build", "--quiet", "--locked", "--package", "terraform-provider-terdut"];
    shell::capture(shell::cargo().args(build))?;
    let program = shell::target_folder().join("debug/terraform-provider-terdut");
    let printed = shell::capture(shell::command(program).arg("schema"))?;
    let own: serde_json::Value = serde_json::from_str(&printed).context("the schema")?;
    let schemas = serde_json::json!({
        "format_version": "1.0",
        "provider_schemas": { PROVIDER: own },
    });
    Ok(schemas.to_string())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let target = to.join(file.strip_prefix(from)?);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        }
        fs::copy(&file, &target).with_context(|| format!("copying {}", file.display()))?;
    }
    Ok(())
}

/// The Registry's pages in a folder.
fn pages(docs: &Path) -> Result<Pages> {
    let mut pages = Pages::new();
    for owned in OWNED {
        let place = docs.join(owned);
        let found = if place.is_dir() { files(&place)? } else { vec![place] };
        for file in found.into_iter().filter(|file| file.is_file()) {
            let text =
                fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
            pages.insert(file.strip_prefix(docs)?.to_owned(), text);
        }
    }
    Ok(pages)
}

/// Every file below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn compare(there: &Pages, wanted: &Pages) -> Result<()> {
    let stale = stale(there, wanted);
    if !stale.is_empty() {
        bail!("not up to date: {}; run `cargo xtask docs` and commit the result", stale.join(", "));
    }
    Ok(())
}

/// The pages that differ, are missing, or are of something that is no more.
fn stale(there: &Pages, wanted: &Pages) -> Vec<String> {
    let gone = there.keys().filter(|path| !wanted.contains_key(*path));
    let differ = wanted.iter().filter(|(path, text)| there.get(*path) != Some(text));
    let paths = gone.chain(differ.map(|(path, _)| path));
    paths.map(|path| format!("docs/{}", path.display())).collect()
}

fn replace(docs: &Path, there: &Pages, wanted: &Pages) -> Result<()> {
    for path in there.keys().filter(|path| !wanted.contains_key(*path)) {
        let path = docs.join(path);
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    }
    for (path, text) in wanted.iter().filter(|(path, text)| there.get(*path) != Some(text)) {
        let path = docs.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell of the head is a program with its version, as `Terraform 1.5.7`.
    #[test]
    fn the_first_page_names_every_version_that_is_tried() {
        let read = |path| fs::read_to_string(shell::root().join(path)).unwrap();
        let (tried, page) = (read("docs/compatibility.md"), read("templates/index.md.tmpl"));
        let head = tried.lines().find_map(|line| line.strip_prefix("| feature | ")).unwrap();
        let versions = head.split(' ').filter(|word| word.starts_with(|it: char| it.is_numeric()));
        let versions: Vec<_> = versions.collect();
        assert!(!versions.is_empty(), "{head}");
        for version in versions {
            assert!(page.contains(version), "templates/index.md.tmpl does not name {version}");
        }
    }

    fn pages_of(pages: &[(&str, &str)]) -> Pages {
        pages.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect()
    }

    #[test]
    fn a_page_that_differs_is_missing_or_left_over_is_stale() {
        let there = pages_of(&[("index.md", "a"), ("guides/old.md", "b"), ("guides/same.md", "c")]);
        let wanted =
            pages_of(&[("index.md", "A"), ("guides/new.md", "b"), ("guides/same.md", "c")]);
        let stale = stale(&there, &wanted);
        assert_eq!(stale, ["docs/guides/old.md", "docs/guides/new.md", "docs/index.md"]);
        assert!(compare(&there, &wanted).is_err() && compare(&wanted, &wanted).is_ok());
    }

    #[test]
    fn pages_are_replaced_and_others_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path();
        fs::create_dir_all(docs.join("guides")).unwrap();
        fs::write(docs.join("guides/old.md"), "b").unwrap();
        fs::write(docs.join("faults.md"), "ours").unwrap();
        let wanted = pages_of(&[("resources/team.md", "new"), ("index.md", "A")]);
        replace(docs, &pages(docs).unwrap(), &wanted).unwrap();
        assert_eq!(pages(docs).unwrap(), wanted);
        assert_eq!(fs::read_to_string(docs.join("faults.md")).unwrap(), "ours");
    }
}
