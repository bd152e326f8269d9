//! The providers that ours is measured beside: `bench/peers`, outside of the workspace.
//!
//! Called by `bench provider`. Each is built as its makers build for a release: without symbols, and
//! static. Nothing that ships depends on any of it.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{named, protoc, quietly};
use crate::shell;
use crate::ship::{self, Place};

/// The folder that they are built into.
fn folder() -> Result<PathBuf> {
    let folder = shell::target_folder().join("peers");
    std::fs::create_dir_all(&folder)?;
    Ok(std::path::absolute(folder)?)
}

/// The one on terraform-plugin-framework.
pub(super) fn go() -> Result<PathBuf> {
    let Some(go) = shell::find_on_path("go") else {
        bail!("the Go peer is built with Go, and there is no `go` on PATH");
    };
    let program = folder()?.join("terraform-provider-framework");
    let mut build = shell::command(go);
    build.current_dir(shell::root().join("bench/peers/go")).env("CGO_ENABLED", "0");
    build.args(["build", "-trimpath", "-mod=readonly", "-ldflags", "-s -w", "-o"]).arg(&program);
    quietly("the build of the Go peer", build.arg("."))?;
    Ok(program)
}

/// The one on the crate tf-provider, whose build needs a protoc.
pub(super) fn tf_provider(host: &str) -> Result<PathBuf> {
    let folder = folder()?;
    let protoc = match named("PROTOC").map(PathBuf::from).or_else(|| shell::find_on_path("protoc"))
    {
        Some(protoc) => protoc,
        None => protoc::link_into(&folder)?,
    };
    let target = folder.join("tf-provider");
    let mut build = ship::cargo(host, &Place::here()?);
    build.args(["build", "--release", "--locked", "--manifest-path"]);
    build.arg("bench/peers/tf-provider/Cargo.toml");
    build.env("CARGO_TARGET_DIR", &target).env("PROTOC", protoc);
    quietly("the build of the peer on tf-provider", &mut build)?;
    Ok(target.join(host).join("release/terraform-provider-peer"))
}
