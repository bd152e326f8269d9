//! The folder that the demo works in: the quickstart, and a mirror with the provider just built.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;
use crate::tools::Tool;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A folder that goes away with the demo.
#[derive(Debug)]
pub(super) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// Copies the quickstart and lays out the mirror.
    pub(super) fn prepare(tool: Tool) -> Result<Self> {
        let folder = tempfile::tempdir().context("making a folder for the demo")?;
        let this = Self { folder };
        fs::create_dir_all(this.configuration())?;
        copy_configuration(&shell::root().join("examples/quickstart"), &this.configuration())?;
        this.mirror(tool)?;
        let mirror = this.folder.path().join("mirror");
        let settings = format!(
            "disable_checkpoint = true\nprovider_installation {{\n  filesystem_mirror {{\n    \
             path = {:?}\n  }}\n}}\n",
            mirror.display().to_string()
        );
        fs::write(this.settings(), settings).context("writing the CLI's settings")?;
        Ok(this)
    }

    /// Where the configuration is.
    pub(super) fn configuration(&self) -> PathBuf {
        self.folder.path().join("quickstart")
    }

    /// The CLI's settings, which name the mirror.
    pub(super) fn settings(&self) -> PathBuf {
        self.folder.path().join("cli.tfrc")
    }

    /// Leaves the folder behind.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    fn mirror(&self, tool: Tool) -> Result<()> {
        let is_tofu = tool == Tool::Tofu;
        let registry = if is_tofu { "registry.opentofu.org" } else { "registry.terraform.io" };
        let name = "terraform-provider-terdut";
        let place = format!("mirror/{registry}/ryuvia/terdut/{VERSION}/{}", platform());
        let place = self.folder.path().join(place);
        fs::create_dir_all(&place).context("making the mirror")?;
        let built = shell::target_folder().join("debug").join(name);
        let target = place.join(format!("{name}_v{VERSION}"));
        fs::copy(&built, &target).with_context(|| format!("copying {}", built.display()))?;
        Ok(())
    }
}

fn copy_configuration(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "tf")
            && let Some(name) = path.file_name()
        {
            fs::copy(&path, to.join(name)).context("copying the quickstart")?;
        }
    }
    Ok(())
}

/// The platform as the CLIs write it.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}_{machine}")
}
