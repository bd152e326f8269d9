//! The platforms that the provider is released for, as Rust and as Terraform name them.

use anyhow::{Context, Result, bail};

use super::{ask_rustc, host};
use crate::shell;

/// A platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Platform {
    /// What rustc calls it.
    pub(crate) triple: &'static str,
    /// What Go, and so Terraform, calls the system.
    pub(crate) system: &'static str,
    /// What Go, and so Terraform, calls the processor.
    pub(crate) machine: &'static str,
}

impl Platform {
    /// All of them.
    ///
    /// musl on Linux: a static program with glibc loads the machine's own modules for host names,
    /// and dies in them where they were made for another glibc (systemd's, on most desktops).
    pub(crate) const ALL: [Self; 6] = [
        Self::new("x86_64-unknown-linux-musl", "linux", "amd64"),
        Self::new("aarch64-unknown-linux-musl", "linux", "arm64"),
        Self::new("x86_64-apple-darwin", "darwin", "amd64"),
        Self::new("aarch64-apple-darwin", "darwin", "arm64"),
        Self::new("x86_64-pc-windows-gnu", "windows", "amd64"),
        Self::new("aarch64-pc-windows-gnullvm", "windows", "arm64"),
    ];

    const fn new(triple: &'static str, system: &'static str, machine: &'static str) -> Self {
        Self { triple, system, machine }
    }

    /// The one that rustc calls so.
    pub(crate) fn of(triple: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.triple == triple)
    }

    /// This machine's.
    pub(crate) fn here() -> Result<Self> {
        let (system, machine) = names(std::env::consts::OS, std::env::consts::ARCH);
        let fits = |platform: &Self| platform.system == system && platform.machine == machine;
        Self::ALL
            .into_iter()
            .find(fits)
            .with_context(|| format!("nothing is released for {system}_{machine}"))
    }

    /// What the name of a program ends with.
    pub(crate) fn ending(self) -> &'static str {
        if self.system == "windows" { ".exe" } else { "" }
    }

    /// What this machine has to build with: the platform's triple, or, where Rust's library for it
    /// or zig is missing, the machine's own.
    pub(crate) fn buildable(self) -> Result<String> {
        let host = host()?;
        if host == self.triple {
            return Ok(host);
        }
        let Some(what) = self.missing()? else { return Ok(self.triple.to_owned()) };
        shell::remark(&format!("NOT AS RELEASED: {what}, so this is built for {host}"));
        Ok(host)
    }

    /// What a build for this platform would miss.
    fn missing(self) -> Result<Option<String>> {
        let library = std::path::Path::new(&ask_rustc(&["--print", "sysroot"])?)
            .join("lib/rustlib")
            .join(self.triple);
        let triple = self.triple;
        if !library.is_dir() {
            return Ok(Some(format!("`rustup target add {triple}` was not run")));
        }
        let zig = shell::find_on_path("cargo-zigbuild").is_some();
        Ok((!zig).then(|| "cargo-zigbuild is not on PATH".to_owned()))
    }
}

/// A system and a processor as Go names them.
fn names<'a>(system: &'a str, machine: &'a str) -> (&'a str, &'a str) {
    let system = if system == "macos" { "darwin" } else { system };
    let machine = match machine {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    (system, machine)
}

impl std::str::FromStr for Platform {
    type Err = anyhow::Error;

    fn from_str(triple: &str) -> Result<Self> {
        let Some(platform) = Self::of(triple) else {
            let known = Self::ALL.map(|platform| platform.triple).join(", ");
            bail!("nothing is released for {triple}; there are {known}");
        };
        Ok(platform)
    }
}
