//! A program that runs beside a test: its signals, its last words, what it costs.
//!
//! Called by [`super::control_plane`] and [`super::bridge`]. It ends with its owner, or with the
//! test program at the latest.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::guard;
use crate::harness::wait_for_value;

/// How often the kernel counts a process's time, in a second.
const TICKS: u64 = 100;

/// What a program printed, line by line.
#[derive(Debug, Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// All lines so far.
    pub fn all(&self) -> Vec<String> {
        lock(&self.0).clone()
    }

    /// The last lines, as one text.
    pub fn tail(&self, count: usize) -> String {
        let lines = lock(&self.0);
        lines[lines.len().saturating_sub(count)..].join("\n")
    }

    fn follow(&self, from: impl Read + Send + 'static) {
        let lines = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
                lock(&lines.0).push(String::from_utf8_lossy(&line).into_owned());
            }
        });
    }
}

/// A running program.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Mutex<Child>,
    pid: u32,
    lines: Lines,
}

impl Process {
    /// Starts it, in a process group of its own.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(name: &str, command: &mut Command) -> Self {
        command.process_group(0).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        let pid = child.id();
        guard::watch(pid);
        let lines = Lines::default();
        lines.follow(child.stdout.take().expect("a pipe"));
        lines.follow(child.stderr.take().expect("a pipe"));
        Self { name: name.to_owned(), child: Mutex::new(child), pid, lines }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// What it printed.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<ExitStatus> {
        lock(&self.child).try_wait().unwrap_or_default()
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// With its last lines, if it has not within that time.
    pub async fn wait(&self, limit: Duration) -> ExitStatus {
        let what = format!("{} ends; its last lines:\n{}", self.name, self.lines.tail(20));
        wait_for_value(&what, limit, || async { self.ended() }).await
    }

    /// SIGKILL; it has ended when this returns.
    pub fn kill9(&self) {
        signal(self.pid, Signal::SIGKILL);
        let _ = lock(&self.child).wait();
    }

    /// SIGTERM.
    pub fn term(&self) {
        signal(self.pid, Signal::SIGTERM);
    }

    /// SIGSTOP: it stands still.
    pub fn stop(&self) {
        signal(self.pid, Signal::SIGSTOP);
    }

    /// SIGCONT: it goes on.
    pub fn resume(&self) {
        signal(self.pid, Signal::SIGCONT);
    }

    /// Its resident memory now, in bytes; 0 if it has ended.
    pub fn memory(&self) -> u64 {
        self.status_kilobytes("VmRSS:") * 1024
    }

    /// The most memory that it ever had, in bytes.
    pub fn memory_peak(&self) -> u64 {
        self.status_kilobytes("VmHWM:") * 1024
    }

    /// The processor time that it took so far.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        Duration::from_millis(ticks_of(&stat) * 1000 / TICKS)
    }

    fn status_kilobytes(&self, field: &str) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.kill9();
        }
        guard::forget(self.pid);
    }
}

/// Sends a signal; a process that is gone already is no fault.
pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).expect("a process's number is small");
    let _ = kill(Pid::from_raw(pid), signal);
}

/// User and system time of a line of `/proc/PID/stat`, whose second field may hold anything.
fn ticks_of(stat: &str) -> u64 {
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let times = after_name.split_whitespace().skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that panicked while it held this has already failed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_a_name_with_brackets() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 12 30 0 0 20 0 1 0 100 0 0";
        assert_eq!(ticks_of(stat), 42);
        assert_eq!(ticks_of(""), 0);
    }

    #[tokio::test]
    async fn signals_arrive_and_lines_are_kept() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo one; echo two >&2; exec sleep 60"]);
        let process = Process::start("sh", &mut shell);
        let both = || async { process.lines().all().len() == 2 };
        crate::harness::wait_for("both lines", Duration::from_secs(5), both).await;
        assert!(process.memory() > 0 && process.memory_peak() >= process.memory());
        assert!(process.ended().is_none());
        process.stop();
        process.resume();
        process.kill9();
        assert!(process.ended().is_some_and(|status| !status.success()));
    }
}
