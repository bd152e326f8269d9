//! The provider binary under test: found, or built, and run with a clean environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Variables of the surroundings that would change what a provider does.
const FOREIGN: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// A program with its environment.
#[derive(Debug, Clone)]
pub struct Binary {
    path: PathBuf,
    environment: Vec<(String, String)>,
}

impl Binary {
    /// The provider: `TERDUT_PROVIDER_BINARY`, or the one beside this test, built if need be.
    ///
    /// # Panics
    /// If it cannot be built.
    pub fn provider() -> Self {
        if let Some(path) = std::env::var_os("TERDUT_PROVIDER_BINARY") {
            return Self::at(PathBuf::from(path));
        }
        build(&["-p", "terraform-provider-terdut", "--bin", "terraform-provider-terdut"]);
        Self::at(target_folder().join("terraform-provider-terdut"))
    }

    /// The bridge: `TERDUT_BRIDGE_BINARY`, or the one beside this test, built if need be, once.
    ///
    /// # Panics
    /// If it cannot be built.
    pub fn bridge() -> Self {
        static FOUND: OnceLock<PathBuf> = OnceLock::new();
        let built = || {
            build(&["-p", "terdut-bridge", "--bin", "terdut-bridge"]);
            target_folder().join("terdut-bridge")
        };
        let named = || std::env::var_os("TERDUT_BRIDGE_BINARY").map(PathBuf::from);
        let find = || named().unwrap_or_else(built);
        Self::at(FOUND.get_or_init(find).clone())
    }

    /// An example of `terdut-plugin`, built if need be.
    ///
    /// # Panics
    /// If it cannot be built.
    pub fn plugin_example(name: &str) -> Self {
        build(&["-p", "terdut-plugin", "--example", name]);
        Self::at(target_folder().join("examples").join(name))
    }

    /// An example of this crate, a provider for tests, built if need be.
    ///
    /// # Panics
    /// If it cannot be built.
    pub fn test_provider(name: &str) -> Self {
        build(&["-p", "terdut-tests", "--example", name]);
        Self::at(target_folder().join("examples").join(name))
    }

    /// A program at a path.
    pub fn at(path: PathBuf) -> Self {
        Self { path, environment: Vec::new() }
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A command of it with only the variables that were given and harmless ones.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        clean(&mut command);
        command.envs(self.environment());
        command
    }
}

/// Takes away what the surroundings set for other runs.
pub(crate) fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("TERDUT_")
            || name.starts_with("TF_")
            || FOREIGN.contains(&name.as_str())
        {
            command.env_remove(name);
        }
    }
}

/// The folder that this test or program was built into, `target/debug` or the like.
fn target_folder() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows where it is");
    let folder = own.parent().expect("a test lies in target/PROFILE/deps");
    let profile = if folder.ends_with("deps") { folder.parent() } else { Some(folder) };
    profile.expect("a program lies in target/PROFILE").to_path_buf()
}

/// Builds with the cargo and the profile that built this test.
fn build(what: &[&str]) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.arg("build").arg("--quiet").args(what).stdin(Stdio::null());
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    if target_folder().ends_with("release") {
        command.arg("--release");
    }
    let output = command.output().expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo build {what:?}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
