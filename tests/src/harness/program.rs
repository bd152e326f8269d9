//! Finding terraform and tofu, and what happens where one is missing.
//!
//! A missing program is named with the variable that would point at it. In CI, or when asked to
//! leave nothing out, it fails the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use terdut_plugin::registries;

/// Which of the two products a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// Terraform.
    Terraform,
    /// `OpenTofu`.
    OpenTofu,
}

/// A terraform or tofu on this machine.
#[derive(Debug, Clone)]
pub struct Program {
    product: Product,
    path: PathBuf,
    version: (u32, u32),
    full_version: String,
}

impl Program {
    /// Terraform: `TF_CLI`, else `terraform` on the path.
    pub fn terraform() -> Option<Self> {
        Self::find("TF_CLI", "terraform")
    }

    /// `OpenTofu`: `TOFU_CLI`, else `tofu` on the path.
    pub fn opentofu() -> Option<Self> {
        Self::find("TOFU_CLI", "tofu")
    }

    /// Further versions of either, from `TERDUT_TERRAFORM_VERSIONS`, separated by colons.
    pub fn further() -> Vec<Self> {
        let Some(list) = std::env::var_os("TERDUT_TERRAFORM_VERSIONS") else {
            missing("TERDUT_TERRAFORM_VERSIONS names no further versions");
            return Vec::new();
        };
        std::env::split_paths(&list).filter_map(Self::at).collect()
    }

    /// Every program that is there.
    pub fn all() -> Vec<Self> {
        let mut found = Self::current();
        found.extend(Self::further());
        found.extend(Self::newest());
        found
    }

    /// Those that list resources and have actions.
    pub fn with_query_and_actions() -> Vec<Self> {
        Self::all().into_iter().filter(Self::has_query_and_actions).collect()
    }

    /// The current terraform and the current tofu, as far as they are there.
    pub fn current() -> Vec<Self> {
        [Self::terraform(), Self::opentofu()].into_iter().flatten().collect()
    }

    /// A further version below 1.6, which speaks the oldest protocol that is promised.
    pub fn oldest() -> Option<Self> {
        let found = Self::further().into_iter().find(|program| program.version < (1, 6));
        if found.is_none() {
            missing("TERDUT_TERRAFORM_VERSIONS names no terraform below 1.6");
        }
        found
    }

    /// A Terraform that has list resources and actions, from `TERDUT_NEWEST_TERRAFORM`.
    pub fn newest() -> Option<Self> {
        let named = std::env::var_os("TERDUT_NEWEST_TERRAFORM").filter(|it| !it.is_empty());
        let found = named.map(PathBuf::from).and_then(Self::at);
        if found.is_none() {
            missing("TERDUT_NEWEST_TERRAFORM names no terraform");
        }
        found
    }

    fn find(variable: &str, name: &str) -> Option<Self> {
        let given = std::env::var_os(variable).filter(|value| !value.is_empty());
        let path = given.map_or_else(|| on_path(name), |given| Some(PathBuf::from(given)));
        let found = path.and_then(Self::at);
        if found.is_none() {
            missing(&format!("{name} was found neither by {variable} nor on PATH"));
        }
        found
    }

    fn at(path: PathBuf) -> Option<Self> {
        let output = Command::new(&path)
            .args(["version", "-json"])
            .env("CHECKPOINT_DISABLE", "1")
            .env_remove("TF_CLI_CONFIG_FILE")
            .output()
            .ok()?;
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let full_version = json.get("terraform_version")?.as_str()?.to_owned();
        let version = parse_version(&full_version)?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        let product = if name.contains("tofu") { Product::OpenTofu } else { Product::Terraform };
        Some(Self { product, path, version, full_version })
    }

    /// Which product it is.
    pub fn product(&self) -> Product {
        self.product
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Major and minor version.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Whether it has write-only attributes.
    pub fn has_write_only(&self) -> bool {
        self.version >= (1, 11)
    }

    /// Whether it stores identities and imports by them.
    pub fn has_identity(&self) -> bool {
        self.version >= (1, 12)
    }

    /// Whether it lists resources (`query`) and has actions.
    pub fn has_query_and_actions(&self) -> bool {
        self.product == Product::Terraform && self.version >= (1, 14)
    }

    /// Whether it moves states from one provider to another.
    pub fn moves_between_providers(&self) -> bool {
        self.version >= (1, 10) || (self.product == Product::Terraform && self.version >= (1, 8))
    }

    /// The registry that a short provider source stands for.
    pub fn registry(&self) -> &'static str {
        match self.product {
            Product::Terraform => registries::TERRAFORM,
            Product::OpenTofu => registries::OPENTOFU,
        }
    }

    /// Its name and its whole version, as people say it.
    pub fn full_name(&self) -> String {
        let name = match self.product {
            Product::Terraform => "Terraform",
            Product::OpenTofu => "OpenTofu",
        };
        format!("{name} {}", self.full_version)
    }

    /// A name for messages.
    pub fn label(&self) -> String {
        let (major, minor) = self.version;
        format!("{:?} {major}.{minor}", self.product)
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// A program on PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Says what is skipped; where nothing may be skipped, fails.
///
/// # Panics
/// In CI, or if asked to leave nothing out.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn missing(what: &str) {
    let set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty() && value != "0");
    assert!(!set("CI") && !set("TERDUT_REQUIRE_ALL"), "nothing may be skipped here: {what}");
    eprintln!("skipped: {what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_whatever_follows_it() {
        assert_eq!(parse_version("1.5.7"), Some((1, 5)));
        assert_eq!(parse_version("1.16.0-rc2"), Some((1, 16)));
        assert_eq!(parse_version("dev"), None);
    }
}
