//! `cargo xtask check`: everything that can be said of the tree without running a suite.
//!
//! Called by people, and by `test`. Each step is a row; all of them run, and the failed ones are
//! named together at the end. A step that cannot run here is an error in CI, never a silent pass.

mod arrows;
mod manifests;
mod programs;
mod sources;

use anyhow::{Result, bail};

pub(crate) use programs::in_ci;

use crate::tools::Tool;
use crate::{docs, r#gen, shell};

type Step = (&'static str, fn() -> Result<()>);

const STEPS: [Step; 12] = [
    ("formatting", formatting),
    ("clippy", clippy),
    ("fuzz targets", fuzz_targets),
    ("documentation", documentation),
    ("dependency arrows", arrows::check),
    ("manifests", manifests::check),
    ("module headers and lengths", sources::check),
    ("generated files", generated),
    ("the Registry's pages", registry_pages),
    ("licences, bans, sources", programs::deny),
    ("unused dependencies", programs::unused),
    ("spelling", programs::typos),
];

/// Runs every step, then the advisories.
pub(crate) fn run() -> Result<()> {
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        shell::say(&format!("== check: {name}"));
        if let Err(error) = step() {
            shell::say(&format!("   {error:#}"));
            failed.push(name);
        }
    }
    if let Err(error) = programs::advisories() {
        shell::say(&format!("   {error:#}"));
        failed.push("advisories");
    }
    if !failed.is_empty() {
        bail!("check failed: {}", failed.join(", "));
    }
    Ok(())
}

fn formatting() -> Result<()> {
    shell::run("cargo fmt", shell::cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    shell::run("cargo clippy", shell::cargo().args(arguments))
}

/// They are outside the workspace. libFuzzer itself is not needed to see whether they compile.
fn fuzz_targets() -> Result<()> {
    let mut command = shell::cargo();
    command
        .args(["check", "--manifest-path", "fuzz/Cargo.toml", "--locked"])
        .env("CUSTOM_LIBFUZZER_PATH", "not-built/libfuzzer.a");
    shell::run("cargo check of the fuzz targets", &mut command)
}

fn documentation() -> Result<()> {
    let mut command = shell::cargo();
    command
        .args(["doc", "--workspace", "--no-deps", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings");
    shell::run("cargo doc", &mut command)
}

fn generated() -> Result<()> {
    r#gen::run(&r#gen::Args { check: true })
}

fn registry_pages() -> Result<()> {
    if !in_ci() && Tool::PluginDocs.find()?.is_none() {
        let tool = Tool::PluginDocs;
        shell::say(&format!("   SKIPPED: {tool} is missing; `cargo xtask tools` fetches it"));
        return Ok(());
    }
    docs::run(&docs::Args { check: true })
}
