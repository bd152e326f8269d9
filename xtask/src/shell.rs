//! Running outside programs: one place that prints what runs, how long it took and what failed.
//!
//! Called by every command of this crate. It never goes through a shell: no quoting, no surprises.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

/// The folder that cargo builds into.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A command that runs in the workspace's root.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command, its output going to the terminal, and says how long it took.
pub(crate) fn run(title: &str, command: &mut Command) -> Result<()> {
    say(&format!("== {title}"));
    let started = Instant::now();
    let status = command.status().with_context(|| format!("starting {}", name_of(command)))?;
    let seconds = started.elapsed().as_secs_f64();
    if !status.success() {
        bail!("{title} failed ({status}) after {seconds:.1} s");
    }
    say(&format!("   {title}: {seconds:.1} s"));
    Ok(())
}

/// Runs a command and gives its standard output, or its standard error as the failure.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("starting {}", name_of(command)))?;
    text_of(command, output)
}

fn name_of(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn text_of(command: &Command, output: Output) -> Result<String> {
    if !output.status.success() {
        bail!(
            "{} ended with {}: {}",
            name_of(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).context("the output is not UTF-8")
}

/// Whether a program is on PATH.
pub(crate) fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Prints a line for the person at the terminal.
#[expect(clippy::print_stdout, reason = "these commands exist to talk to a person")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Prints a line beside the result, for a command whose standard output holds nothing else.
#[expect(clippy::print_stderr, reason = "these commands exist to talk to a person")]
pub(crate) fn remark(line: &str) {
    eprintln!("{line}");
}

/// Prints why a command failed, its causes on the same line.
#[expect(clippy::print_stderr, reason = "these commands exist to talk to a person")]
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("Error: {error:#}");
}
