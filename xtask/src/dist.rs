//! `cargo xtask dist`: what a release consists of, for this machine's platform.
//!
//! The same files under the same names as goreleaser makes them (`.goreleaser.yml`, and a test
//! that holds one to the other), so that their layout, and installing them, can be tried without
//! it: the zip, the manifest, the sums and, where `GPG_FINGERPRINT` names a key, their signature.
//! Nothing is published from here.

#[cfg(test)]
mod goreleaser;
mod notes;
mod set;
mod sums;
mod twice;
#[cfg(test)]
mod workflows;
mod zip;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) use notes::{Args as NotesArgs, run as print_notes};
pub(crate) use set::Set;

use crate::shell::{self, say};
use crate::ship::{self, PROVIDER, Place, Platform};
use crate::tools::{self, Tool};

/// The manifest that says which protocol the provider speaks, at the source's root.
const MANIFEST: &str = "terraform-registry-manifest.json";

/// What to make.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Pack this program instead of building it.
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    program: Option<PathBuf>,
    /// Take the files that this folder holds, which goreleaser made, instead of making any.
    #[arg(long, value_name = "FOLDER", requires = "check", conflicts_with_all = ["program", "into", "verify"])]
    from: Option<PathBuf>,
    /// The folder for the set, which is emptied first [default: dist in cargo's target folder].
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Build the program again, in another folder, and compare the two byte by byte.
    #[arg(long)]
    verify: bool,
    /// Install the set with terraform and tofu in each way that users have.
    #[arg(long)]
    check: bool,
}

/// Makes the set, and does what else was asked.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(folder) = &args.from {
        return install(&std::path::absolute(folder)?);
    }
    let set = Set::current()?;
    let platform = Platform::here()?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => built(platform, args.verify)?,
    };
    let folder = args.into.clone().unwrap_or_else(|| shell::target_folder().join("dist"));
    let folder = std::path::absolute(folder)?;
    write(&set, platform, &program, &folder)?;
    if args.check { install(&folder) } else { Ok(()) }
}

/// The program as it ships; with `again`, as two folders agree on it.
fn built(platform: Platform, again: bool) -> Result<PathBuf> {
    let (triple, place) = (platform.buildable()?, Place::here()?);
    say(&format!("== build {PROVIDER} for {triple}"));
    let program = ship::build(PROVIDER, &triple, &place)?;
    if again {
        twice::compare(&program, &triple, &place)?;
    }
    Ok(program)
}

/// Writes the set into a folder that then holds nothing else.
fn write(set: &Set, platform: Platform, program: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let archive = folder.join(set.zip(platform));
    zip::pack(&archive, &set.program(platform), program)?;
    let manifest = folder.join(set.manifest());
    fs::copy(shell::root().join(MANIFEST), &manifest).context("copying the manifest")?;
    let sums = folder.join(set.sums());
    fs::write(&sums, sums::of(&[archive, manifest])?).context("writing the sums")?;
    sign(&sums, &folder.join(set.signature()))?;
    for entry in fs::read_dir(folder)? {
        say(&format!("   {}", entry?.path().display()));
    }
    Ok(())
}

/// Signs the sums with the key that goreleaser signs with, as it does: detached and binary.
fn sign(sums: &Path, signature: &Path) -> Result<()> {
    let Some(key) = std::env::var_os("GPG_FINGERPRINT").filter(|key| !key.is_empty()) else {
        say("   NOT SIGNED: GPG_FINGERPRINT names no key");
        return Ok(());
    };
    let mut gpg = shell::command("gpg");
    gpg.args(["--batch", "--yes", "--local-user"]).arg(key);
    gpg.arg("--output").arg(signature).arg("--detach-sign").arg(sums);
    shell::capture(&mut gpg).context("signing the sums")?;
    let mut verify = shell::command("gpg");
    verify.args(["--batch", "--verify"]).arg(signature).arg(sums);
    shell::capture(&mut verify).context("verifying the signature just made")?;
    Ok(())
}

/// Runs the suite that installs, on this set.
fn install(folder: &Path) -> Result<()> {
    let mut programs = Vec::new();
    for tool in Tool::hosts() {
        programs.push((tool, tool.find_or_fetch()?));
    }
    let mut suite = shell::cargo();
    suite.args(["test", "--package", "terdut-tests", "--locked", "--test", "dist"]);
    suite.env("TERDUT_DIST", folder).envs(tools::settings(&programs)?);
    shell::run("install the set", &mut suite)
}
