//! The commands of a page of `docs/bridge`, run as a reader runs them.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use terdut_tests::cluster::{Kubectl, helm};
use terdut_tests::harness::Binary;
use tokio::process::Command;

const LIMIT: Duration = Duration::from_mins(3);

/// A page.
pub(super) struct Guide(String);

impl Guide {
    pub(super) fn read(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bridge");
        Self(std::fs::read_to_string(folder.join(name)).expect("the page is there"))
    }

    /// The blocks of commands below a heading or a numbered step, in their order.
    pub(super) fn commands(&self, heading: &str) -> String {
        let mut lines = self.0.lines().skip_while(|line| !line.starts_with(heading));
        lines.next().unwrap_or_else(|| panic!("the page has no {heading:?}"));
        let section = lines.take_while(|line| !begins_another(line));
        let (mut commands, mut inside) = (String::new(), false);
        for line in section {
            match line.trim() {
                "```sh" => inside = true,
                "```" => inside = false,
                _ if inside => commands.extend([line, "\n"]),
                _ => {}
            }
        }
        assert!(!commands.is_empty(), "the page has no commands below {heading:?}");
        commands
    }
}

/// Whether a line begins another heading or step.
fn begins_another(line: &str) -> bool {
    line.starts_with('#') || line.starts_with(|first: char| first.is_ascii_digit())
}

/// A shell with kubectl, helm and the bridge on its PATH, and files of its own.
pub(super) struct Shell {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Shell {
    /// One that leads to the cluster of this person; `None` where helm is missing.
    pub(super) fn new(kubectl: &Kubectl) -> Option<Self> {
        let helm = helm()?;
        let folder = tempfile::tempdir().expect("a folder can be made");
        let programs = folder.path().join("bin");
        std::fs::create_dir(&programs).expect("a folder can be made");
        let bridge = Binary::bridge();
        for (name, at) in
            [("kubectl", kubectl.program()), ("helm", &helm), ("terdut-bridge", bridge.path())]
        {
            let at = std::fs::canonicalize(at).expect("a program is there");
            std::os::unix::fs::symlink(at, programs.join(name)).expect("a link can be made");
        }
        // A copy: a command of a guide may change its namespace.
        std::fs::copy(kubectl.kubeconfig(), folder.path().join("kubeconfig")).expect("a copy");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        Some(Self { folder, variables: vec![("PATH".to_owned(), path)] })
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Where its files are.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs commands beside its own files; each has to end well. What they wrote.
    pub(super) async fn run(&self, commands: &str) -> String {
        self.run_in(self.folder(), commands).await
    }

    /// Runs commands in a folder.
    pub(super) async fn run_in(&self, folder: &Path, commands: &str) -> String {
        let running = Command::new("bash")
            .args(["-euo", "pipefail", "-c", commands])
            .current_dir(folder)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("KUBECONFIG", self.folder().join("kubeconfig"))
            .env("HOME", self.folder())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output: Output = tokio::time::timeout(LIMIT, running)
            .await
            .unwrap_or_else(|_| panic!("not done within {LIMIT:?}:\n{commands}"))
            .expect("bash runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}:\n{commands}\n{said}{errors}", output.status);
        said
    }
}
