//! One command of Terraform, and what it and its providers cost.
//!
//! Providers are Terraform's only children. Their processor time is what the kernel has added up
//! for the children that Terraform has waited for, read when Terraform has ended and nobody has
//! waited for it yet. Their memory is each one's own high-water mark, read every few milliseconds
//! while they live; it only ever rises.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use terdut_tests::harness::Workspace;

/// How often the kernel counts a process's time, in a second.
const TICKS: u64 = 100;
/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What a command cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// From its start to its end.
    pub(crate) wall: Duration,
    /// Processor time of all providers that it started.
    pub(crate) providers: Duration,
    /// Processor time of Terraform itself.
    pub(crate) terraform: Duration,
    /// The most memory that one of the providers had, in bytes.
    pub(crate) memory: u64,
}

/// Runs a command to its end.
///
/// # Panics
/// With its output, if it fails.
pub(crate) fn run(workspace: &Workspace, arguments: &[&str]) -> Cost {
    let log =
        std::fs::File::create(workspace.path().join("output")).expect("a file for the output");
    let also = log.try_clone().expect("the same file");
    let mut command = workspace.command(arguments);
    command.stdout(Stdio::from(log)).stderr(Stdio::from(also));
    let started = Instant::now();
    let mut child = command.spawn().expect("terraform starts");
    let pid = child.id();
    let memory = watch(pid);
    let wall = started.elapsed();
    let (terraform, providers) = times(pid);
    let status = child_status(&mut child);
    assert!(status, "{arguments:?} failed:\n{}", workspace.file("output"));
    Cost { wall, providers, terraform, memory }
}

fn child_status(child: &mut Child) -> bool {
    child.wait().expect("terraform has ended").success()
}

/// Looks at the children until the process has ended, which it then still is to be asked about.
fn watch(pid: u32) -> u64 {
    let mut most = 0;
    while !has_ended(pid) {
        most = children(pid).into_iter().map(memory_peak).fold(most, u64::max);
        std::thread::sleep(LOOK);
    }
    most
}

fn has_ended(pid: u32) -> bool {
    let pid = Pid::from_raw(i32::try_from(pid).expect("a process's number"));
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let status = waitid(Id::Pid(pid), flags).expect("a child can be asked for");
    status != WaitStatus::StillAlive
}

/// The processes that any thread of this one has started.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists = threads
        .map(|thread| std::fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<u32> {
    list.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

fn memory_peak(pid: u32) -> u64 {
    // What Terraform has forked and not yet made a provider is Terraform.
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    if !status.lines().next().is_some_and(|name| name.contains("terraform-prov")) {
        return 0;
    }
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: Option<u64> = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// The processor time of a process that has ended, and of its children.
fn times(pid: u32) -> (Duration, Duration) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("nobody has waited yet");
    let ticks = ticks(&stat).expect("the kernel's form");
    let time = |user: u64, system: u64| Duration::from_millis((user + system) * 1000 / TICKS);
    (time(ticks[0], ticks[1]), time(ticks[2], ticks[3]))
}

/// User and system time, then those of the children. The name may hold anything, so fields are
/// counted from its end.
fn ticks(stat: &str) -> Option<[u64; 4]> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(str::parse);
    let mut next = || fields.next()?.ok();
    Some([next()?, next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a ) b) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 0";
        assert_eq!(ticks(stat), Some([11, 12, 13, 14]));
        assert_eq!(numbers("12 34 \n"), [12, 34]);
    }
}
