//! The steps that outside programs do: cargo-deny, cargo-machete, typos.
//!
//! Called by `check`. A missing program says how to get it; in CI that is a failure, elsewhere the
//! step is reported as skipped.

use std::process::Command;

use anyhow::{Result, bail};

use crate::shell;

struct Program {
    name: &'static str,
    install: &'static str,
}

const DENY: Program = Program { name: "cargo-deny", install: "cargo install --locked cargo-deny" };
const MACHETE: Program =
    Program { name: "cargo-machete", install: "cargo install --locked cargo-machete" };
const TYPOS: Program = Program { name: "typos", install: "cargo install --locked typos-cli" };

/// Whether this run is CI's, where nothing may be skipped.
pub(crate) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// Licences, banned crates and sources.
pub(super) fn deny() -> Result<()> {
    let arguments = ["--log-level", "error", "check", "bans", "licenses", "sources"];
    with(&DENY, |command| command.args(arguments))
}

/// Dependencies that no source file names.
pub(super) fn unused() -> Result<()> {
    with(&MACHETE, |command| command.args(["--with-metadata"]))
}

/// Spelling in source and documents.
pub(super) fn typos() -> Result<()> {
    with(&TYPOS, |command| command)
}

/// Known vulnerabilities. Their database is fetched, so this can be out of reach anywhere, CI
/// included; it then says so, and never reads as a pass.
pub(super) fn advisories() -> Result<()> {
    shell::say("== check: advisories");
    if shell::find_on_path(DENY.name).is_none() {
        return missing(&DENY);
    }
    let output = Command::new(DENY.name)
        .current_dir(shell::root())
        .args(["--log-level", "error", "check", "advisories"])
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("failed to fetch advisory database") {
        shell::say("   NOT CHECKED: the advisory database cannot be reached from here");
        return Ok(());
    }
    bail!("{}", said.trim())
}

fn with(program: &Program, arguments: impl Fn(&mut Command) -> &mut Command) -> Result<()> {
    let Some(path) = shell::find_on_path(program.name) else {
        return missing(program);
    };
    let mut command = shell::command(path);
    arguments(&mut command);
    shell::run(program.name, &mut command)
}

fn missing(program: &Program) -> Result<()> {
    let Program { name, install } = program;
    if in_ci() {
        bail!("{name} is missing; `{install}` installs it");
    }
    shell::say(&format!("   SKIPPED: {name} is missing; `{install}` installs it"));
    Ok(())
}
