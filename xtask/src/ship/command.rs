//! `cargo ship`: one program for one platform, under the name that it is released with.
//!
//! For goreleaser, which calls it in cargo's place and takes the program from where cargo would
//! have left it. A name that no release may have is refused before anything is built.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::{PROVIDER, Place, Platform};
use crate::dist::Set;
use crate::shell;

/// What to build, in the order and form in which goreleaser says it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The platform, as rustc calls it.
    #[arg(long, value_name = "TRIPLE")]
    target: Platform,
    /// The package, which goreleaser wants to be named.
    #[arg(long, default_value = PROVIDER, value_parser = [PROVIDER])]
    package: String,
    /// The program's name in the release.
    #[arg(long, value_name = "NAME")]
    name: String,
}

/// Builds it.
pub(crate) fn run(args: &Args) -> Result<()> {
    let platform = args.target;
    named_well(&args.name, platform)?;
    // Where goreleaser looks, whatever else this shell builds into.
    let place = Place { target: shell::root().join("target"), ..Place::here()? };
    let program = super::build(&args.package, platform.triple, &place)?;
    let named = program.with_file_name(&args.name);
    replace(&program, &named)
}

/// Whether a program may be called so: ours, and of this version. A snapshot's version goes on.
pub(super) fn named_well(name: &str, platform: Platform) -> Result<()> {
    let set = Set::current()?;
    let (exact, ending) = (set.program(platform), platform.ending());
    let stem = exact.strip_suffix(ending).unwrap_or(&exact);
    let rest = name.strip_suffix(ending).and_then(|name| name.strip_prefix(stem));
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("-SNAPSHOT-")) {
        return Ok(());
    }
    bail!("a program of this source is called {exact}, not {name}: is the tag of another version?")
}

fn replace(from: &PathBuf, to: &PathBuf) -> Result<()> {
    let copied = std::fs::copy(from, to);
    copied.with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}
