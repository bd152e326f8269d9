//! How a program of ours is built for those who use it: the platforms, and the only flags.
//!
//! Whoever needs a shipped build, to measure it, to pack it or to release it, asks here; goreleaser
//! asks by `cargo ship`. `deploy/Dockerfile` repeats the flags for the image, and a test holds it
//! to them. The same source gives the same bytes wherever it lies: no path of the machine that
//! built it gets into a program.

mod command;
mod platform;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;
pub(crate) use command::{Args, run};
pub(crate) use platform::Platform;

/// The provider's package, and its program's name.
pub(crate) const PROVIDER: &str = "terraform-provider-terdut";

/// Static: users' machines and the image share no library with ours.
const FLAGS: [&str; 2] = ["-C", "target-feature=+crt-static"];

/// Where the image is built, whose paths every build claims for its own: the source, what cargo
/// builds into, and cargo's downloads.
const SOURCE: &str = "/source";
const TARGET: &str = "/source/target";
const DOWNLOADS: &str = "/usr/local/cargo";

/// Where a build takes place.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) source: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) downloads: PathBuf,
    pub(crate) library: Library,
}

/// The source of Rust's own library: where it lies if it is installed, and what rustc calls it where
/// it is not.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
}

impl Library {
    fn here() -> Result<Self> {
        let sysroot = ask_rustc(&["--print", "sysroot"])?;
        let version = ask_rustc(&["--version", "--verbose"])?;
        let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
        let commit = commit.context("rustc does not say which commit it was built from")?;
        Ok(Self {
            path: Path::new(&sysroot).join("lib/rustlib/src/rust"),
            name: format!("/rustc/{commit}"),
        })
    }
}

impl Place {
    /// This checkout.
    pub(crate) fn here() -> Result<Self> {
        let home = || std::env::home_dir().map(|home| home.join(".cargo"));
        let downloads = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home);
        let downloads = downloads.context("neither CARGO_HOME nor HOME is set")?;
        let target = std::path::absolute(shell::root().join(shell::target_folder()))?;
        Ok(Self { source: shell::root(), target, downloads, library: Library::here()? })
    }

    /// What rustc has to be told for this place; where two fit, the later one counts.
    fn flags(&self) -> Vec<String> {
        let names = [
            (&self.source, SOURCE),
            (&self.target, TARGET),
            (&self.downloads, DOWNLOADS),
            (&self.library.path, &self.library.name),
        ];
        let remapped = names.map(|(path, name)| remap(path, name));
        FLAGS.map(str::to_owned).into_iter().chain(remapped).collect()
    }
}

fn remap(path: &Path, name: &str) -> String {
    format!("--remap-path-prefix={}={name}", path.display())
}

/// The platform that this machine's programs are built for.
pub(crate) fn host() -> Result<String> {
    ask_rustc(&["--print", "host-tuple"])
}

fn ask_rustc(arguments: &[&str]) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let answer = shell::capture(shell::command(rustc).args(arguments))?;
    Ok(answer.trim().to_owned())
}

/// Cargo, building for a platform as programs ship.
pub(crate) fn cargo(triple: &str, place: &Place) -> Command {
    let mut cargo = shell::cargo();
    cargo.current_dir(&place.source);
    // Encoded, because a path may hold a space.
    cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", place.flags().join("\u{1f}"));
    cargo.env("CARGO_BUILD_TARGET", triple).env("CARGO_TARGET_DIR", &place.target);
    cargo.env("CARGO_HOME", &place.downloads);
    cargo
}

/// Builds a package's program as it ships, and says where it is.
///
/// For another platform than this machine's, zig is the C compiler and the linker.
pub(crate) fn build(package: &str, triple: &str, place: &Place) -> Result<PathBuf> {
    let verb = if triple == host()? { "build" } else { "zigbuild" };
    let mut build = cargo(triple, place);
    build.args([verb, "--release", "--locked", "--package", package, "--target", triple]);
    let what = format!("the release build of {package} for {triple}");
    let status = build.status().with_context(|| format!("starting {what}"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    let name =
        format!("{package}{}", Platform::of(triple).map_or("", |platform| platform.ending()));
    Ok(place.target.join(triple).join("release").join(name))
}
