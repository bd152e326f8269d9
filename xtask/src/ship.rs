//! How a program of ours is built for those who use it.
//!
//! The only place that knows the flags of a shipped build: whoever needs one, to measure it or to
//! pack it, asks here. `deploy/Dockerfile` repeats them for the image, and a test holds it to them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Static: users' machines and the image share no library with ours.
const FLAGS: [&str; 2] = ["-C", "target-feature=+crt-static"];

/// The platform that this machine's programs are built for.
pub(crate) fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let host = shell::capture(shell::command(rustc).args(["--print", "host-tuple"]))?;
    Ok(host.trim().to_owned())
}

/// Cargo, building for a platform as programs ship.
pub(crate) fn cargo(platform: &str) -> Command {
    let mut cargo = shell::cargo();
    // Encoded, because a path may hold a space.
    cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    cargo.env("CARGO_BUILD_TARGET", platform);
    cargo
}

/// Builds a package's program as it ships, and says where it is.
pub(crate) fn build(package: &str, platform: &str) -> Result<PathBuf> {
    let mut build = cargo(platform);
    build.args(["build", "--release", "--locked", "--package", package]);
    let what = format!("the release build of {package} for {platform}");
    let status = build.status().with_context(|| format!("starting {what}"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    Ok(shell::target_folder().join(platform).join("release").join(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_built_with_the_same_flags() {
        let text = std::fs::read_to_string(shell::root().join("deploy/Dockerfile")).unwrap();
        let flags = format!("ENV RUSTFLAGS=\"{}\" ", FLAGS.join(" "));
        assert!(text.lines().any(|line| line.starts_with(&flags)), "{flags} is not in {text}");
    }
}
