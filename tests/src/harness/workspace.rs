//! A folder with a configuration in which a real terraform or tofu runs.
//!
//! The provider is installed from a mirror in that folder, as a user would get it from a
//! registry, so `init` is part of what is tested. No command reaches any network but loopback.

use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use super::binary::{Binary, clean};
use super::program::Program;
use super::running::{Run, Running};
use super::shown::{ShownPlan, ShownState};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const PLAN: &str = "plan.bin";

/// A configuration folder.
#[derive(Debug)]
pub struct Workspace {
    program: Program,
    folder: TempDir,
    environment: Vec<(String, String)>,
}

impl Workspace {
    /// A new folder in which `source = "ryuvia/NAME"` is the binary.
    ///
    /// # Panics
    /// If the folder cannot be made.
    pub fn new(program: &Program, binary: &Binary, name: &str) -> Self {
        let mut this = Self::empty(program);
        let variables = binary.environment();
        this.environment.extend(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let mirror = this.folder.path().join("mirror");
        install(&mirror.join(program.registry()), binary, name);
        this.configure_cli(&format!(
            "provider_installation {{\n  filesystem_mirror {{\n    path = {:?}\n  }}\n}}\n",
            mirror.display().to_string()
        ));
        this
    }

    /// A new folder in which providers come from where the program's settings say.
    ///
    /// # Panics
    /// If the folder cannot be made.
    pub fn installing(program: &Program, settings: &str) -> Self {
        let this = Self::empty(program);
        this.configure_cli(settings);
        this
    }

    fn empty(program: &Program) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the configuration");
        std::fs::create_dir(folder.path().join("work")).expect("a folder for the configuration");
        Self { program: program.clone(), folder, environment: Vec::new() }
    }

    fn configure_cli(&self, settings: &str) {
        let text = format!("disable_checkpoint = true\n{settings}");
        std::fs::write(self.folder.path().join("cli.tfrc"), text).expect("the CLI settings");
    }

    /// The binary is also what another registry's `ryuvia/NAME` is.
    ///
    /// # Panics
    /// If it cannot be installed.
    pub fn install_from(&self, registry: &str, binary: &Binary, name: &str) {
        install(&self.folder.path().join("mirror").join(registry), binary, name);
    }

    /// One more variable for every command.
    pub fn set_env(&mut self, name: &str, value: &str) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// The folder with the configuration.
    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Writes a file of the configuration.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file of the configuration");
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).ok();
    }

    /// A file of the folder as text, empty if it is not there.
    pub fn file(&self, name: &str) -> String {
        std::fs::read(self.path().join(name))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// If it does not start or does not end in time.
    pub async fn run(&self, arguments: &[&str]) -> Run {
        self.begin(arguments).end().await
    }

    /// Starts a command, in a process group of its own, as a shell does.
    ///
    /// # Panics
    /// If it does not start.
    pub fn begin(&self, arguments: &[&str]) -> Running {
        let label = format!("{} {}", self.program.label(), arguments.join(" "));
        Running::start(label, self.command(arguments))
    }

    /// A command that is not started yet.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(self.program.path());
        clean(&mut command);
        command
            .args(arguments)
            .current_dir(self.path())
            .env("TF_CLI_CONFIG_FILE", self.folder.path().join("cli.tfrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_IN_AUTOMATION", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// `init`.
    pub async fn init(&self) -> Run {
        self.run(&["init", "-no-color", "-input=false"]).await.expect_ok()
    }

    /// `validate`.
    pub async fn validate(&self) -> Run {
        self.run(&["validate", "-no-color"]).await
    }

    /// `plan`, whatever comes of it.
    pub async fn try_plan(&self, more: &[&str]) -> Run {
        let mut arguments = vec!["plan", "-no-color", "-input=false", "-out", PLAN];
        arguments.extend(more);
        self.run(&arguments).await
    }

    /// `plan`, read back.
    pub async fn plan(&self) -> ShownPlan {
        self.plan_with(&[]).await
    }

    /// `plan` with more arguments, read back.
    pub async fn plan_with(&self, more: &[&str]) -> ShownPlan {
        let run = self.try_plan(more).await.expect_ok();
        let shown = self.run(&["show", "-json", "-no-color", PLAN]).await.expect_ok();
        ShownPlan::read(&shown.stdout, run.text())
    }

    /// `apply` of the last plan.
    pub async fn apply_plan(&self) -> Run {
        self.run(&["apply", "-no-color", "-input=false", PLAN]).await
    }

    /// `apply`, whatever comes of it.
    pub async fn try_apply(&self, more: &[&str]) -> Run {
        let mut arguments = vec!["apply", "-no-color", "-input=false", "-auto-approve"];
        arguments.extend(more);
        self.run(&arguments).await
    }

    /// `apply`.
    pub async fn apply(&self) -> Run {
        self.try_apply(&[]).await.expect_ok()
    }

    /// `destroy`.
    pub async fn destroy(&self) -> Run {
        self.run(&["destroy", "-no-color", "-input=false", "-auto-approve"]).await.expect_ok()
    }

    /// `import`.
    pub async fn import(&self, address: &str, id: &str) -> Run {
        self.run(&["import", "-no-color", "-input=false", address, id]).await
    }

    /// The state as the program shows it.
    pub async fn state(&self) -> ShownState {
        let shown = self.run(&["show", "-json", "-no-color"]).await.expect_ok();
        ShownState::read(&shown.stdout)
    }

    /// Takes every object out of the state without touching it.
    pub fn forget_state(&self) {
        self.remove("terraform.tfstate");
        self.remove("terraform.tfstate.backup");
    }
}

/// Puts the binary where a registry's mirror has it.
fn install(registry: &Path, binary: &Binary, name: &str) {
    let target = registry.join(format!("ryuvia/{name}/{VERSION}")).join(platform());
    std::fs::create_dir_all(&target).expect("a folder for the mirror");
    let file = target.join(format!("terraform-provider-{name}_v{VERSION}"));
    // What is there already is the same file under two names: a copy would empty it.
    if !file.exists() {
        link(binary.path(), &file);
    }
}

/// This machine as the programs call it, `linux_amd64` or the like.
pub fn platform() -> String {
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

/// A link where the system has links, else a copy.
fn link(from: &Path, to: &Path) {
    let linked = std::fs::hard_link(from, to);
    if linked.is_err() {
        std::fs::copy(from, to).expect("the provider can be copied");
    }
}
