//! The official downloads, checked against their published sums.
//!
//! Called by `tools` only. The public hosts that are needed stand here once.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::Tool;
use crate::shell;

const TERRAFORM_RELEASES: &str = "https://releases.hashicorp.com/terraform";
const OPENTOFU_RELEASES: &str = "https://github.com/opentofu/opentofu/releases/download";

struct Archive {
    name: String,
    url: String,
    sums: String,
}

/// Downloads the program to `target`.
pub(super) fn fetch(tool: Tool, target: &Path) -> Result<()> {
    let archive = archive_of(tool)?;
    let folder = tempfile::tempdir().context("making a folder for the download")?;
    let file = folder.path().join(&archive.name);
    get(&archive.url, &file)?;
    let sums = folder.path().join("SHA256SUMS");
    get(&archive.sums, &sums)?;
    verify(&archive.name, &file, &sums)?;
    unpack(&file, folder.path())?;
    let program = folder.path().join(tool.program());
    std::fs::copy(&program, target)
        .with_context(|| format!("copying {} to {}", program.display(), target.display()))?;
    Ok(())
}

fn archive_of(tool: Tool) -> Result<Archive> {
    let version = tool.version();
    let platform = platform()?;
    Ok(match tool {
        Tool::Terraform | Tool::OldTerraform => {
            let name = format!("terraform_{version}_{platform}.zip");
            Archive {
                url: format!("{TERRAFORM_RELEASES}/{version}/{name}"),
                sums: format!("{TERRAFORM_RELEASES}/{version}/terraform_{version}_SHA256SUMS"),
                name,
            }
        }
        Tool::Tofu => {
            let name = format!("tofu_{version}_{platform}.tar.gz");
            Archive {
                url: format!("{OPENTOFU_RELEASES}/v{version}/{name}"),
                sums: format!("{OPENTOFU_RELEASES}/v{version}/tofu_{version}_SHA256SUMS"),
                name,
            }
        }
    })
}

fn platform() -> Result<String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => bail!("there is no download for {other}"),
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("there is no download for {other}"),
    };
    Ok(format!("{system}_{machine}"))
}

fn get(url: &str, file: &Path) -> Result<()> {
    let limit = ["--fail", "--silent", "--show-error", "--location", "--connect-timeout", "10"];
    let mut curl = shell::command("curl");
    curl.args(limit).args(["--max-time", "600", "--output"]).arg(file).arg(url);
    shell::capture(&mut curl).with_context(|| format!("downloading {url}"))?;
    Ok(())
}

fn verify(name: &str, file: &Path, sums: &Path) -> Result<()> {
    let listed = std::fs::read_to_string(sums).context("reading SHA256SUMS")?;
    let wanted = listed
        .lines()
        .filter_map(|line| line.split_once("  "))
        .find_map(|(sum, listed)| (listed == name).then_some(sum))
        .with_context(|| format!("SHA256SUMS does not list {name}"))?;
    let printed = shell::capture(shell::command("sha256sum").arg(file))?;
    if printed.split_whitespace().next() != Some(wanted) {
        bail!("{name} is not what its SHA256SUMS says");
    }
    Ok(())
}

fn unpack(file: &Path, folder: &Path) -> Result<()> {
    let is_zip = file.extension().is_some_and(|extension| extension == "zip");
    let mut unpacker = if is_zip {
        let mut unzip = shell::command("unzip");
        unzip.arg("-q").arg(file).arg("-d").arg(folder);
        unzip
    } else {
        let mut tar = shell::command("tar");
        tar.arg("-xzf").arg(file).arg("-C").arg(folder);
        tar
    };
    shell::capture(&mut unpacker).map(drop)
}
