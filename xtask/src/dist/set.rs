//! The names of a release's files, which the two registries prescribe.
//!
//! Used by whatever makes, signs or checks them. A version that a registry would refuse makes no
//! set at all.

use anyhow::{Context, Result, bail};
use cargo_metadata::semver::Version;

use crate::ship::{PROVIDER, Platform};

/// A release's files.
#[derive(Debug)]
pub(crate) struct Set {
    version: String,
}

impl Set {
    /// The workspace's version, which is the release's.
    pub(crate) fn current() -> Result<Self> {
        Self::of(env!("CARGO_PKG_VERSION"))
    }

    /// A version's.
    pub(super) fn of(version: &str) -> Result<Self> {
        let read = Version::parse(version).with_context(|| format!("`{version}` is no version"))?;
        if !read.build.is_empty() {
            bail!("`{version}` has build metadata, which the registries refuse");
        }
        Ok(Self { version: version.to_owned() })
    }

    /// The version itself.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The tag, which both registries read the version from.
    pub(super) fn tag(&self) -> String {
        format!("v{}", self.version)
    }

    /// The program inside of a zip.
    pub(crate) fn program(&self, platform: Platform) -> String {
        format!("{PROVIDER}_v{}{}", self.version, platform.ending())
    }

    /// A platform's zip.
    pub(crate) fn zip(&self, platform: Platform) -> String {
        self.file(&format!("{}_{}.zip", platform.system, platform.machine))
    }

    /// The manifest beside the zips.
    pub(crate) fn manifest(&self) -> String {
        self.file("manifest.json")
    }

    /// The sums of the zips and of the manifest.
    pub(crate) fn sums(&self) -> String {
        self.file("SHA256SUMS")
    }

    /// The sums' signature.
    pub(crate) fn signature(&self) -> String {
        self.file("SHA256SUMS.sig")
    }

    fn file(&self, rest: &str) -> String {
        format!("{PROVIDER}_{}_{rest}", self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_that_the_registries_look_for() {
        let set = Set::of("1.2.3-rc.1").unwrap();
        let [linux, .., windows] = Platform::ALL;
        assert_eq!(set.zip(linux), "terraform-provider-terdut_1.2.3-rc.1_linux_amd64.zip");
        assert_eq!(set.program(linux), "terraform-provider-terdut_v1.2.3-rc.1");
        assert_eq!(set.program(windows), "terraform-provider-terdut_v1.2.3-rc.1.exe");
        assert_eq!(set.sums(), "terraform-provider-terdut_1.2.3-rc.1_SHA256SUMS");
        assert_eq!(set.signature(), "terraform-provider-terdut_1.2.3-rc.1_SHA256SUMS.sig");
        assert_eq!(set.manifest(), "terraform-provider-terdut_1.2.3-rc.1_manifest.json");
    }

    #[test]
    fn a_version_that_no_registry_takes_makes_no_set() {
        for bad in ["1.2", "v1.2.3", "1.2.3+build", "01.2.3", "1.2.3 ", "", "1.2.3_4"] {
            assert!(Set::of(bad).is_err(), "{bad}");
        }
    }
}
