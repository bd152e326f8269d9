//! The Rust code of the plugin protocol: `proto/src/generated`, made from `proto/proto`.
//!
//! Pure Rust from end to end, so nobody needs `protoc`. Called by `cargo xtask gen` only; a build
//! of the provider never runs it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Generated;

const SOURCES: &str = "proto/proto";
const TARGET: &str = "proto/src/generated";
const FILES: [&str; 2] = ["tfplugin6.proto", "go_plugin.proto"];
const HEADER: &str =
    "// Made by `cargo xtask gen` from the files in proto/proto. Do not edit by hand.\n\n";

/// What the generated folder should hold.
pub(super) fn files(root: &Path) -> Result<Vec<Generated>> {
    let descriptors =
        protox::compile(FILES, [root.join(SOURCES)]).context("the .proto files do not compile")?;
    let folder = tempfile::tempdir().context("cannot create a folder for generated code")?;
    tonic_prost_build::configure()
        .out_dir(folder.path())
        .bytes(".")
        .btree_map(".")
        .generate_default_stubs(true)
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)
        .context("no Rust code can be made from the .proto files")?;
    ["tfplugin6.rs", "plugin.rs"].iter().map(|name| generated(folder.path(), name)).collect()
}

fn generated(folder: &Path, name: &str) -> Result<Generated> {
    let code = fs::read_to_string(folder.join(name))
        .with_context(|| format!("no {name} came out of the generator"))?;
    Ok(Generated { path: Path::new(TARGET).join(name), content: format!("{HEADER}{code}") })
}
