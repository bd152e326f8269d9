//! The official downloads, checked against their published sums.
//!
//! Called by `tools` only. The hosts stand in `tools::hosts`; nothing unchecked is ever kept.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Tool, hosts};
use crate::shell;

/// A file to download.
struct Release {
    name: String,
    url: String,
    /// Where its sum is published: `SUM  NAME` in one line of several, or the sum alone.
    sums: String,
    /// Where the program is in the archive; `None` if the file is the program.
    inside: Option<String>,
}

/// A system and a machine, as Go names them.
struct Platform {
    system: &'static str,
    machine: &'static str,
}

/// Downloads the program to `target`.
pub(super) fn fetch(tool: Tool, target: &Path) -> Result<()> {
    let release = release_of(tool, &Platform::current()?);
    let folder = tempfile::tempdir().context("making a folder for the download")?;
    let file = folder.path().join(&release.name);
    get(&release.url, &file)?;
    let sums = folder.path().join("published.sums");
    get(&release.sums, &sums)?;
    verify(&release.name, &file, &sums)?;
    let program = unpacked(&release, &file, folder.path())?;
    put(&program, target)
}

fn release_of(tool: Tool, platform: &Platform) -> Release {
    let version = tool.version();
    let Platform { system, machine } = platform;
    match tool {
        Tool::Terraform | Tool::OldTerraform | Tool::NewTerraform => {
            let folder = format!("{}/{version}", hosts::TERRAFORM);
            let name = format!("terraform_{version}_{system}_{machine}.zip");
            let sums = format!("{folder}/terraform_{version}_SHA256SUMS");
            Release::packed(&folder, name, sums, "terraform")
        }
        Tool::Tofu => {
            let folder = format!("{}/v{version}", hosts::OPENTOFU);
            let name = format!("tofu_{version}_{system}_{machine}.tar.gz");
            Release::packed(&folder, name, format!("{folder}/tofu_{version}_SHA256SUMS"), "tofu")
        }
        Tool::Etcd => {
            let folder = format!("{}/v{version}", hosts::ETCD);
            let stem = format!("etcd-v{version}-{system}-{machine}");
            // Its releases for Linux are the only ones that are packed this way.
            let name = format!("{stem}.{}", if *system == "linux" { "tar.gz" } else { "zip" });
            Release::packed(&folder, name, format!("{folder}/SHA256SUMS"), &format!("{stem}/etcd"))
        }
        Tool::Helm => {
            let name = format!("helm-v{version}-{system}-{machine}.tar.gz");
            let sums = format!("{}/{name}.sha256sum", hosts::HELM);
            Release::packed(hosts::HELM, name, sums, &format!("{system}-{machine}/helm"))
        }
        Tool::PluginDocs => {
            let folder = format!("{}/v{version}", hosts::PLUGIN_DOCS);
            let name = format!("tfplugindocs_{version}_{system}_{machine}.zip");
            let sums = format!("{folder}/tfplugindocs_{version}_SHA256SUMS");
            Release::packed(&folder, name, sums, "tfplugindocs")
        }
        Tool::ApiServer | Tool::ControllerManager | Tool::Kubectl => {
            let name = tool.program().to_owned();
            let url = format!("{}/v{version}/bin/{system}/{machine}/{name}", hosts::KUBERNETES);
            Release { sums: format!("{url}.sha256"), url, name, inside: None }
        }
    }
}

impl Release {
    fn packed(folder: &str, name: String, sums: String, inside: &str) -> Self {
        Self { url: format!("{folder}/{name}"), name, sums, inside: Some(inside.to_owned()) }
    }
}

impl Platform {
    fn current() -> Result<Self> {
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
        Ok(Self { system, machine })
    }
}

fn get(url: &str, file: &Path) -> Result<()> {
    let limit = ["--fail", "--silent", "--show-error", "--location", "--connect-timeout", "10"];
    let mut curl = shell::command("curl");
    curl.args(limit).args(["--max-time", "600", "--output"]).arg(file).arg(url);
    shell::capture(&mut curl).with_context(|| format!("downloading {url}"))?;
    Ok(())
}

fn verify(name: &str, file: &Path, sums: &Path) -> Result<()> {
    let published = std::fs::read_to_string(sums).context("reading the published sums")?;
    let wanted =
        sum_of(name, &published).with_context(|| format!("no sum is published for {name}"))?;
    let printed = shell::capture(shell::command("sha256sum").arg(file))?;
    if printed.split_whitespace().next() != Some(wanted) {
        bail!("{name} is not what its published sum says");
    }
    Ok(())
}

/// The sum of a file among those that are published.
fn sum_of<'a>(name: &str, published: &'a str) -> Option<&'a str> {
    let mut words = published.split_whitespace();
    if let (Some(only), None) = (words.next(), words.next()) {
        return Some(only);
    }
    published
        .lines()
        .filter_map(|line| line.split_once("  "))
        .find_map(|(sum, listed)| (listed == name).then_some(sum))
}

/// Where the program is once the file is unpacked.
fn unpacked(release: &Release, file: &Path, folder: &Path) -> Result<PathBuf> {
    let Some(inside) = &release.inside else {
        return Ok(file.to_owned());
    };
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
    shell::capture(&mut unpacker)?;
    Ok(folder.join(inside))
}

/// Copies the program beside its place and then renames it: a copy that ended halfway is never
/// taken for the program.
fn put(program: &Path, target: &Path) -> Result<()> {
    let part = target.with_extension("part");
    std::fs::copy(program, &part)
        .with_context(|| format!("copying {} to {}", program.display(), part.display()))?;
    std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o755))
        .with_context(|| format!("making {} a program", part.display()))?;
    std::fs::rename(&part, target).with_context(|| format!("naming {}", target.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_found_alone_and_among_others() {
        assert_eq!(sum_of("kubectl", "abc\n"), Some("abc"));
        let several = "abc  etcd-linux.tar.gz\ndef  etcd-darwin.zip\n";
        assert_eq!(sum_of("etcd-darwin.zip", several), Some("def"));
        assert_eq!(sum_of("etcd", several), None);
    }

    #[test]
    fn every_program_has_an_address_with_its_version() {
        let platform = Platform { system: "linux", machine: "arm64" };
        for tool in Tool::ALL {
            let release = release_of(tool, &platform);
            assert!(release.url.contains(tool.version()), "{}", release.url);
            assert!(release.url.contains("linux") && release.url.contains("arm64"));
            assert!(release.sums.starts_with("https://"), "{}", release.sums);
        }
    }
}
