//! A command of a real terraform or tofu: while it runs, and what it said in the end.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

const LIMIT: Duration = Duration::from_mins(3);

/// A command that is running.
#[derive(Debug)]
pub struct Running {
    label: String,
    child: Child,
}

/// What a command said.
#[derive(Debug, Clone)]
pub struct Run {
    /// What was run.
    pub command: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// Its output.
    pub stdout: String,
    /// Its errors, warnings and logs.
    pub stderr: String,
}

impl Run {
    /// Fails unless the command succeeded.
    ///
    /// # Panics
    /// With the output, if it failed.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "most callers only want the check")]
    pub fn expect_ok(self) -> Self {
        assert!(self.ok, "{} failed:\n{}\n{}", self.command, self.stdout, self.stderr);
        self
    }

    /// Fails unless the command failed; gives its errors as one line.
    ///
    /// # Panics
    /// With the output, if it succeeded.
    #[track_caller]
    pub fn expect_error(self) -> String {
        assert!(!self.ok, "{} succeeded:\n{}", self.command, self.stdout);
        unwrapped(&self.stderr)
    }

    /// Everything it said as one line, without frames and line breaks.
    pub fn text(&self) -> String {
        unwrapped(&format!("{}\n{}", self.stdout, self.stderr))
    }
}

impl Running {
    pub(super) fn start(label: String, mut command: std::process::Command) -> Self {
        use std::os::unix::process::CommandExt;
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Command::from(command).kill_on_drop(true).spawn();
        let child = child.unwrap_or_else(|error| panic!("{label}: {error}"));
        Self { label, child }
    }

    fn pid(&self) -> Pid {
        let id = self.child.id().expect("it runs");
        Pid::from_raw(id.try_into().expect("a process id"))
    }

    /// Interrupts it and all that it has started, as Ctrl-C in a terminal does.
    ///
    /// # Panics
    /// If it has ended.
    pub fn interrupt(&self) {
        killpg(self.pid(), Signal::SIGINT).expect("the group can be interrupted");
    }

    /// Kills the provider that it has started.
    ///
    /// # Panics
    /// If there is none.
    pub fn kill_provider(&self) {
        let listed =
            std::process::Command::new("ps").args(["-axo", "pid=,ppid=,command="]).output();
        let listed = String::from_utf8_lossy(&listed.expect("ps runs").stdout).into_owned();
        let parent = self.pid().to_string();
        let provider = listed.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (id, of) = (words.next()?, words.next()?);
            let is_provider = words.any(|word| word.contains("terraform-provider-"));
            (of == parent && is_provider).then(|| id.parse().expect("a process id"))
        });
        let provider = Pid::from_raw(provider.expect("it has a provider"));
        kill(provider, Signal::SIGKILL).expect("the provider can be killed");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// If it does not end in time.
    pub async fn end(self) -> Run {
        let Self { label, child } = self;
        let output = tokio::time::timeout(LIMIT, child.wait_with_output())
            .await
            .unwrap_or_else(|_| panic!("{label}: not done within {LIMIT:?}"))
            .unwrap_or_else(|error| panic!("{label}: {error}"));
        Run {
            command: label,
            ok: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Diagnostics are wrapped and framed for people; a search needs neither.
fn unwrapped(text: &str) -> String {
    let frames = ['│', '╷', '╵', '\n'];
    let plain = text.replace(frames, " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
