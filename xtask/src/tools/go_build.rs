//! A build of an outside program from its Go module, for a machine that reaches the Go module proxy
//! but not the downloads.
//!
//! Called by `tools` only. A plain `go install` is refused where the module's go.mod has `replace`
//! lines, so the program is built as a dependency of a module made for it, which repeats them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::Tool;
use crate::shell;

struct Recipe {
    package: &'static str,
    module: &'static str,
    /// Modules of the same release that must not be newer or older than the program's own.
    beside: &'static [&'static str],
    replaced: Replaced,
    /// Variables of the program, each as `NAME=VALUE`; `%` stands for the version.
    set: &'static [&'static str],
}

/// What a program's go.mod replaces, and a module that depends on it must replace too.
enum Replaced {
    Nothing,
    /// A module by a fork of it.
    Fork {
        from: &'static str,
        to: &'static str,
    },
    /// Folders of its own repository, required at v0.0.0, which are published at v0.MINOR.PATCH.
    Staging,
    /// Folders of its own repository that are published nowhere: its backends for remote state. The
    /// build goes without them.
    Backends,
}

const TERRAFORM: &str = "github.com/hashicorp/terraform";
const KUBERNETES: &str = "k8s.io/kubernetes";
const KUBERNETES_VERSION: &[&str] = &["k8s.io/component-base/version.gitVersion=v%"];

fn recipe(tool: Tool) -> Recipe {
    match tool {
        Tool::Terraform | Tool::OldTerraform => Recipe {
            package: TERRAFORM,
            module: TERRAFORM,
            beside: &[],
            replaced: Replaced::Nothing,
            set: &[],
        },
        Tool::NewTerraform => Recipe {
            package: TERRAFORM,
            module: TERRAFORM,
            beside: &[],
            replaced: Replaced::Backends,
            set: &["github.com/hashicorp/terraform/version.dev=no"],
        },
        Tool::Tofu => Recipe {
            package: "github.com/opentofu/opentofu/cmd/tofu",
            module: "github.com/opentofu/opentofu",
            beside: &[],
            replaced: Replaced::Fork {
                from: "github.com/hashicorp/hcl/v2",
                to: "github.com/opentofu/hcl/v2",
            },
            set: &["github.com/opentofu/opentofu/version.dev=no"],
        },
        Tool::Etcd => Recipe {
            package: "go.etcd.io/etcd/server/v3",
            module: "go.etcd.io/etcd/server/v3",
            beside: &[
                "go.etcd.io/etcd/api/v3",
                "go.etcd.io/etcd/pkg/v3",
                "go.etcd.io/etcd/client/v3",
                "go.etcd.io/etcd/client/pkg/v3",
            ],
            replaced: Replaced::Nothing,
            set: &[],
        },
        Tool::ApiServer => kubernetes("k8s.io/kubernetes/cmd/kube-apiserver"),
        Tool::ControllerManager => kubernetes("k8s.io/kubernetes/cmd/kube-controller-manager"),
        Tool::Kubectl => kubernetes("k8s.io/kubernetes/cmd/kubectl"),
        Tool::Helm => Recipe {
            package: "helm.sh/helm/v3/cmd/helm",
            module: "helm.sh/helm/v3",
            beside: &[],
            replaced: Replaced::Nothing,
            set: &["helm.sh/helm/v3/internal/version.version=v%"],
        },
        Tool::PluginDocs => Recipe {
            package: "github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs",
            module: "github.com/hashicorp/terraform-plugin-docs",
            beside: &[],
            replaced: Replaced::Nothing,
            set: &[],
        },
    }
}

fn kubernetes(package: &'static str) -> Recipe {
    let replaced = Replaced::Staging;
    Recipe { package, module: KUBERNETES, beside: &[], replaced, set: KUBERNETES_VERSION }
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
    let at = |module: &str| format!("{module}@v{}", tool.version());
    let download = || go(&["mod", "download", "-json", &at(recipe.module)]);
    for line in replacements(&recipe, tool, folder.path(), download)? {
        go(&["mod", "edit", "-replace", &line])?;
    }
    let wanted: Vec<_> = [recipe.module].iter().chain(recipe.beside).map(|one| at(one)).collect();
    let wanted: Vec<_> = ["get"].into_iter().chain(wanted.iter().map(String::as_str)).collect();
    go(&wanted)?;
    let mut command = Command::new("go");
    command
        .current_dir(folder.path())
        .env("CGO_ENABLED", "0")
        .args(["build", "-trimpath", "-ldflags", &ldflags(&recipe, tool), "-mod=mod", "-o"])
        .arg(target)
        .arg(recipe.package);
    shell::run(&format!("go build {tool}"), &mut command)
}

fn ldflags(recipe: &Recipe, tool: Tool) -> String {
    let set = recipe.set.iter().map(|one| format!(" -X {}", one.replace('%', tool.version())));
    format!("-s -w{}", set.collect::<String>())
}

/// The `-replace` arguments, from the program's own go.mod.
fn replacements(
    recipe: &Recipe,
    tool: Tool,
    folder: &Path,
    download: impl Fn() -> Result<String>,
) -> Result<Vec<String>> {
    match recipe.replaced {
        Replaced::Nothing => Ok(Vec::new()),
        Replaced::Fork { from, to } => {
            let version = fork_version(&go_mod(&download()?)?, to)?;
            Ok(vec![format!("{from}={to}@{version}")])
        }
        Replaced::Staging => {
            let version = staging_version(tool.version())?;
            let text = go_mod(&download()?)?;
            Ok(staged(&text).map(|module| format!("{module}={module}@{version}")).collect())
        }
        Replaced::Backends => {
            let text = go_mod(&download()?)?;
            nested(&text).map(|(module, path)| left_out(module, &folder.join(path))).collect()
        }
    }
}

/// The text of the go.mod that `go mod download -json` names.
fn go_mod(downloaded: &str) -> Result<String> {
    let listed: serde_json::Value = serde_json::from_str(downloaded)?;
    let file = listed["GoMod"].as_str().context("go mod download names no go.mod")?;
    std::fs::read_to_string(file).with_context(|| format!("reading {file}"))
}

/// The version at which a go.mod replaces a module by a fork.
fn fork_version(text: &str, fork: &str) -> Result<String> {
    let words = text.lines().find(|line| line.contains("=>") && line.contains(fork));
    words
        .and_then(|line| line.split_whitespace().last())
        .map(str::to_owned)
        .with_context(|| format!("go.mod does not replace anything by {fork}"))
}

/// The modules that a go.mod requires at v0.0.0.
fn staged(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let mut words = line.trim().trim_start_matches("require ").split_whitespace();
        words.next().filter(|_| words.next() == Some("v0.0.0"))
    })
}

/// The modules that a go.mod replaces by folders of its own repository, and those folders.
fn nested(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (module, path) = line.strip_prefix("replace ")?.split_once(" => ./")?;
        Some((module.trim(), path.trim()))
    })
}

/// Puts a module in the place of one that is not published, and gives the `-replace` argument.
fn left_out(module: &str, folder: &Path) -> Result<String> {
    let package = module.rsplit('/').next().unwrap_or(module);
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    std::fs::write(folder.join("go.mod"), format!("module {module}\n\ngo 1.25\n"))?;
    if module.contains("/remote-state/") {
        let source = format!(
            "package {package}\n\nimport \"{TERRAFORM}/internal/backend\"\n\nfunc New() backend.Backend {{\n\t\
             panic(\"this build has no backend {package}\")\n}}\n"
        );
        std::fs::write(folder.join("backend.go"), source)?;
    }
    Ok(format!("{module}={}", folder.display()))
}

/// Kubernetes 1.37.2 publishes its folders as v0.37.2.
fn staging_version(version: &str) -> Result<String> {
    let (_, rest) = version.split_once('.').context("a version has dots")?;
    Ok(format!("v0.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_is_taken_at_the_version_that_the_program_takes() {
        let text =
            "replace github.com/hashicorp/hcl/v2 v2.0.0 => github.com/opentofu/hcl/v2 v2.1.0-x\n";
        assert_eq!(fork_version(text, "github.com/opentofu/hcl/v2").unwrap(), "v2.1.0-x");
        assert!(fork_version(text, "example.com/other").is_err());
    }

    #[test]
    fn folders_of_the_repository_are_taken_at_their_published_version() {
        let text = "require (\n\tk8s.io/api v0.0.0\n\tk8s.io/klog/v2 v2.130.1\n\tk8s.io/apimachinery v0.0.0 // indirect\n)\n";
        assert_eq!(staged(text).collect::<Vec<_>>(), ["k8s.io/api", "k8s.io/apimachinery"]);
        assert_eq!(staging_version("1.37.2").unwrap(), "v0.37.2");
    }

    #[test]
    fn what_is_published_nowhere_is_left_out() {
        let text = "replace example.com/a v1.0.0 => example.com/b v1.0.0\nreplace example.com/t/remote-state/s3 => ./remote-state/s3\n";
        let found: Vec<_> = nested(text).collect();
        assert_eq!(found, [("example.com/t/remote-state/s3", "remote-state/s3")]);
        let folder = tempfile::tempdir().unwrap();
        let line = left_out(found[0].0, &folder.path().join(found[0].1)).unwrap();
        assert!(line.starts_with("example.com/t/remote-state/s3=/"), "{line}");
        let source = folder.path().join("remote-state/s3/backend.go");
        assert!(std::fs::read_to_string(source).unwrap().starts_with("package s3\n"));
    }

    #[test]
    fn the_version_is_said_to_the_linker() {
        let flags = ldflags(&recipe(Tool::Kubectl), Tool::Kubectl);
        assert_eq!(flags, "-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2");
        assert_eq!(ldflags(&recipe(Tool::Etcd), Tool::Etcd), "-s -w");
    }
}
