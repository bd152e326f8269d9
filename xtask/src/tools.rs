//! Where the outside programs come from: terraform, an older one, tofu, a control plane, helm,
//! tfplugindocs.
//!
//! Called by `tools`, `demo` and `test`. The order is fixed: a program's own variable, PATH, the
//! cache folder, the official download, and, when that cannot be reached and Go is there, a build
//! from the Go module proxy. It never installs anything outside the cache folder.

mod assets;
mod download;
mod go_build;
mod hosts;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell;

/// An outside program that the project runs but does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Terraform, the version that most users have.
    Terraform,
    /// The last Terraform under the MPL: protocol 6.3, no client capabilities.
    OldTerraform,
    /// A Terraform with list resources, actions and identities.
    NewTerraform,
    /// Its fork under the MPL.
    Tofu,
    /// The store of a control plane.
    Etcd,
    /// The Kubernetes API.
    ApiServer,
    /// What collects garbage and empties namespaces.
    ControllerManager,
    /// What a person drives a cluster with.
    Kubectl,
    /// What renders the chart.
    Helm,
    /// What writes and validates the Registry's pages.
    PluginDocs,
}

/// Where a program was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Variable,
    Path,
    Cache,
    Download,
    GoBuild,
}

/// A program that is there.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
}

impl Tool {
    /// Every program, in the order in which they are reported.
    pub(crate) const ALL: [Self; 10] = [
        Self::Terraform,
        Self::OldTerraform,
        Self::NewTerraform,
        Self::Tofu,
        Self::Etcd,
        Self::ApiServer,
        Self::ControllerManager,
        Self::Kubectl,
        Self::Helm,
        Self::PluginDocs,
    ];

    /// The programs that run the provider: each of them, for whatever is to hold with all.
    pub(crate) fn hosts() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|tool| matches!(tool.program(), "terraform" | "tofu"))
    }

    /// The variable that names it. `TERDUT_TERRAFORM_VERSIONS` holds several, colon-separated, and
    /// `KUBEBUILDER_ASSETS` names a folder.
    pub(crate) const fn variable(self) -> &'static str {
        match self {
            Self::Terraform => "TF_CLI",
            Self::OldTerraform => "TERDUT_TERRAFORM_VERSIONS",
            Self::NewTerraform => "TERDUT_NEWEST_TERRAFORM",
            Self::Tofu => "TOFU_CLI",
            Self::Etcd | Self::ApiServer | Self::ControllerManager | Self::Kubectl => {
                assets::VARIABLE
            }
            Self::Helm => "HELM",
            Self::PluginDocs => "TFPLUGINDOCS",
        }
    }

    /// The version that is fetched when none is found.
    pub(crate) const fn version(self) -> &'static str {
        match self {
            Self::Terraform => "1.11.4",
            Self::OldTerraform => "1.5.7",
            Self::NewTerraform => "1.14.3",
            Self::Tofu => "1.12.6",
            Self::Etcd => "3.7.3",
            Self::ApiServer | Self::ControllerManager | Self::Kubectl => "1.37.2",
            Self::Helm => "3.19.5",
            Self::PluginDocs => "0.25.0",
        }
    }

    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Terraform | Self::OldTerraform | Self::NewTerraform => "terraform",
            Self::Tofu => "tofu",
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
            Self::Kubectl => "kubectl",
            Self::Helm => "helm",
            Self::PluginDocs => "tfplugindocs",
        }
    }

    /// Whether its variable names the folder that it lies in together with others.
    fn is_asset(self) -> bool {
        self.variable() == assets::VARIABLE
    }

    fn cached(self) -> Result<PathBuf> {
        Ok(cache_folder()?.join(format!("{}-{}", self.program(), self.version())))
    }

    /// Looks for the program without fetching anything.
    pub(crate) fn find(self) -> Result<Option<Found>> {
        let named = std::env::var_os(self.variable()).filter(|value| !value.is_empty());
        self.choose(named.as_deref(), shell::find_on_path, &self.cached()?)
    }

    /// The order: its own variable, PATH, the cache folder.
    fn choose(
        self,
        named: Option<&OsStr>,
        on_path: impl FnOnce(&str) -> Option<PathBuf>,
        cached: &Path,
    ) -> Result<Option<Found>> {
        if let Some(value) = named
            && let Some(found) = self.named_by(value)?
        {
            return Ok(Some(found));
        }
        // A version that is wanted for its age: whatever PATH holds will not do.
        if !matches!(self, Self::OldTerraform | Self::NewTerraform)
            && let Some(path) = on_path(self.program())
        {
            return Ok(Some(Found { path, origin: Origin::Path }));
        }
        let cached = cached.to_owned();
        Ok(cached.is_file().then_some(Found { path: cached, origin: Origin::Cache }))
    }

    /// What its variable leads to. A folder of assets often lacks one: that one is then looked for
    /// elsewhere.
    fn named_by(self, value: &OsStr) -> Result<Option<Found>> {
        let first = std::env::split_paths(value).next().unwrap_or_default();
        let path = if self.is_asset() { first.join(self.program()) } else { first.clone() };
        if path.is_file() {
            return Ok(Some(Found { path, origin: Origin::Variable }));
        }
        if self.is_asset() && first.is_dir() {
            return Ok(None);
        }
        let kind = if self.is_asset() { "folder" } else { "file" };
        bail!("{} names {}, which is not a {kind}", self.variable(), first.display());
    }

    /// Looks for the program, and fetches or builds it into the cache folder if it is not there.
    pub(crate) fn find_or_fetch(self) -> Result<Found> {
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        let target = self.cached()?;
        shell::say(&format!("   {self} is not on this machine: fetching it"));
        let refused = match download::fetch(self, &target) {
            Ok(()) => return Ok(Found { path: target, origin: Origin::Download }),
            Err(error) => error,
        };
        if shell::find_on_path("go").is_none() {
            return Err(refused.context(format!(
                "{self} cannot be downloaded and there is no Go to build it; install it and set {}",
                self.variable()
            )));
        }
        shell::say(&format!(
            "   no download ({refused:#}); building it with Go, which takes minutes"
        ));
        go_build::build(self, &target)?;
        Ok(Found { path: target, origin: Origin::GoBuild })
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.program(), self.version())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Variable => "its variable",
            Self::Path => "PATH",
            Self::Cache => "the cache folder",
            Self::Download => "the official download",
            Self::GoBuild => "a build from the Go module proxy",
        })
    }
}

/// The folder that fetched programs live in: `TERDUT_CACHE`, else the user's cache folder.
fn cache_folder() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = variable("TERDUT_CACHE")
        .map(PathBuf::from)
        .or_else(|| variable("XDG_CACHE_HOME").map(|base| Path::new(&base).join("terdut")))
        .or_else(|| variable("HOME").map(|base| Path::new(&base).join(".cache/terdut")))
        .context("none of TERDUT_CACHE, XDG_CACHE_HOME and HOME is set")?;
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    Ok(folder)
}

/// The variables that lead the suites to these programs.
pub(crate) fn settings(found: &[(Tool, Found)]) -> Result<Vec<(&'static str, OsString)>> {
    let (assets, others): (Vec<_>, Vec<_>) = found.iter().partition(|(tool, _)| tool.is_asset());
    let own =
        |(tool, found): &(Tool, Found)| (tool.variable(), found.path.clone().into_os_string());
    let mut settings: Vec<_> = others.into_iter().map(own).collect();
    if !assets.is_empty() {
        let folder = assets::folder_of(&assets, &cache_folder()?)?;
        settings.push((assets::VARIABLE, folder.into_os_string()));
    }
    Ok(settings)
}

/// `cargo xtask tools`: fetches all of them ahead and prints where each came from.
pub(crate) fn run() -> Result<()> {
    let mut missing = 0;
    for tool in Tool::ALL {
        match tool.find_or_fetch() {
            Ok(found) => {
                shell::say(&format!("{tool}: {} (from {})", found.path.display(), found.origin));
            }
            Err(error) => {
                missing += 1;
                shell::say(&format!("{tool}: missing: {error:#}"));
            }
        }
    }
    if missing > 0 {
        bail!("{missing} of {} programs are missing", Tool::ALL.len());
    }
    Ok(())
}
