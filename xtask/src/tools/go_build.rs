//! A build of terraform or tofu from its Go module, for a machine that reaches the Go module proxy
//! but not the downloads.
//!
//! Called by `tools` only. A plain `go install` is refused where the module's go.mod has `replace`
//! lines, so the program is built as a tool of a module made for it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::Tool;
use crate::shell;

struct Recipe {
    package: &'static str,
    module: &'static str,
    /// Replacements that the program's own go.mod makes and a dependent module must repeat.
    replaced: &'static [(&'static str, &'static str)],
    ldflags: &'static str,
}

fn recipe(tool: Tool) -> Recipe {
    match tool {
        Tool::Terraform | Tool::OldTerraform => Recipe {
            package: "github.com/hashicorp/terraform",
            module: "github.com/hashicorp/terraform",
            replaced: &[],
            ldflags: "-s -w",
        },
        Tool::Tofu => Recipe {
            package: "github.com/opentofu/opentofu/cmd/tofu",
            module: "github.com/opentofu/opentofu",
            replaced: &[("github.com/hashicorp/hcl/v2", "github.com/opentofu/hcl/v2")],
            ldflags: "-s -w -X github.com/opentofu/opentofu/version.dev=no",
        },
    }
}

/// Builds the program to `target`.
pub(super) fn build(tool: Tool, target: &Path) -> Result<()> {
    let recipe = recipe(tool);
    let folder = tempfile::tempdir().context("making a folder for the build")?;
    let go = |arguments: &[&str]| -> Result<String> {
        let mut command = Command::new("go");
        command.current_dir(folder.path()).args(arguments);
        shell::capture(&mut command).with_context(|| format!("go {}", arguments.join(" ")))
    };
    go(&["mod", "init", "terdut.invalid/tool"])?;
    let module = format!("{}@v{}", recipe.module, tool.version());
    for (from, to) in recipe.replaced {
        let version = replaced_version(&go(&["mod", "download", "-json", &module])?, to)?;
        go(&["mod", "edit", "-replace", &format!("{from}={to}@{version}")])?;
    }
    go(&["get", &module])?;
    let mut command = Command::new("go");
    command
        .current_dir(folder.path())
        .env("CGO_ENABLED", "0")
        .args(["build", "-trimpath", "-ldflags", recipe.ldflags, "-mod=mod", "-o"])
        .arg(target)
        .arg(recipe.package);
    shell::run(&format!("go build {tool}"), &mut command)
}

/// The version at which a program's own go.mod replaces a module.
fn replaced_version(downloaded: &str, module: &str) -> Result<String> {
    let listed: serde_json::Value = serde_json::from_str(downloaded)?;
    let file = listed["GoMod"].as_str().context("go mod download names no go.mod")?;
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {file}"))?;
    let words = text.lines().find(|line| line.contains("=>") && line.contains(module));
    words
        .and_then(|line| line.split_whitespace().last())
        .map(str::to_owned)
        .with_context(|| format!("{file} does not replace anything by {module}"))
}
