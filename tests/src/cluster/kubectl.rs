//! What a person does to a cluster: the real `kubectl`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

const LIMIT: Duration = Duration::from_mins(2);

/// `kubectl` with a user's kubeconfig and a home of its own.
#[derive(Debug, Clone)]
pub struct Kubectl {
    pub(super) program: PathBuf,
    pub(super) kubeconfig: PathBuf,
    pub(super) home: PathBuf,
}

/// What came of a command.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The arguments, for messages.
    pub command: String,
    /// Whether it ended well.
    pub ok: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// Its standard output, if it ended well.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn expect_ok(self) -> String {
        assert!(self.ok, "kubectl {}:\n{}{}", self.command, self.stdout, self.stderr);
        self.stdout
    }

    /// What it complained of.
    ///
    /// # Panics
    /// If it ended well.
    #[track_caller]
    pub fn expect_refused(self) -> String {
        assert!(!self.ok, "kubectl {} was not refused:\n{}", self.command, self.stdout);
        self.stderr
    }
}

impl Kubectl {
    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The file that leads to the cluster.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Runs it, whatever comes of it.
    pub async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "").await
    }

    /// Runs it with something on its standard input.
    ///
    /// # Panics
    /// If it is not done in time.
    pub async fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let command = arguments.join(" ");
        let mut child = Command::new(&self.program)
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HOME", &self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("kubectl {command}: {error}"));
        let mut pipe = child.stdin.take().expect("a pipe");
        // A command that does not read its input may be gone already.
        let _ = pipe.write_all(input.as_bytes()).await;
        drop(pipe);
        let output = tokio::time::timeout(LIMIT, child.wait_with_output()).await;
        let output = output
            .unwrap_or_else(|_| panic!("kubectl {command}: not done within {LIMIT:?}"))
            .unwrap_or_else(|error| panic!("kubectl {command}: {error}"));
        Ran {
            command,
            ok: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// `apply -f -`, with more arguments.
    pub async fn apply(&self, manifest: &str, more: &[&str]) -> Ran {
        let arguments: Vec<_> = ["apply", "-f", "-"].iter().chain(more).copied().collect();
        self.run_with(&arguments, manifest).await
    }

    /// `wait --for=condition=…`, on an object such as `terdutteams/platform`.
    pub async fn wait_condition(&self, namespace: &str, object: &str, condition: &str) {
        let condition = format!("--for=condition={condition}");
        let arguments = ["wait", "--timeout=60s", &condition, "-n", namespace, object];
        self.run(&arguments).await.expect_ok();
    }
}
