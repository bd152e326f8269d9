//! `cargo xtask test`: every suite that this machine can run, and what it skipped and why.
//!
//! Called by people and by CI, which both get the same order: the check, the programs that the
//! suites drive, the quick tests, the suites, both demos. In CI a missing outside program is a failure.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::check::in_ci;
use crate::tools::Tool;
use crate::{check, demo, shell, tools};

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leave `cargo xtask check` out.
    #[arg(long)]
    no_check: bool,
}

/// A variable for the suites.
type Setting = (&'static str, OsString);

/// Runs everything in order; the first failure ends it.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (settings, mut skipped) = programs()?;
    let shows = [Tool::Terraform, Tool::Tofu].map(Tool::variable);
    let can_show = settings.iter().any(|(variable, _)| shows.contains(variable));
    if !can_show {
        skipped.push("the demo, which needs terraform or tofu".to_owned());
    }
    let can_bridge = can_bridge()?;
    if !can_bridge {
        skipped.push("the bridge's demo, which needs a control plane".to_owned());
    }
    if !args.no_check {
        check::run()?;
    }
    let build = ["build", "--workspace", "--bins", "--examples", "--locked"];
    shell::run("build the programs and examples", shell::cargo().args(build))?;
    let quick = ["test", "--workspace", "--exclude", "terdut-tests", "--locked", "--no-fail-fast"];
    shell::run("unit and crate tests", shell::cargo().args(quick))?;
    let mut suites = shell::cargo();
    suites.args(["test", "--package", "terdut-tests", "--locked", "--no-fail-fast"]).envs(settings);
    shell::run("suites", &mut suites)?;
    if can_show {
        shell::say("== demo");
        demo::run(&demo::Args::default())?;
    }
    if can_bridge {
        shell::say("== demo of the bridge");
        demo::run(&demo::Args::BRIDGE)?;
    }
    for line in &skipped {
        shell::say(&format!("SKIPPED: {line}"));
    }
    Ok(())
}

/// Whether every program of a control plane is there, so that nothing has to be fetched.
fn can_bridge() -> Result<bool> {
    for tool in demo::BRIDGE_NEEDS {
        if tool.find()?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn programs() -> Result<(Vec<Setting>, Vec<String>)> {
    let mut programs = Vec::new();
    let mut skipped = Vec::new();
    for tool in Tool::ALL {
        let found = if in_ci() { tool.find_or_fetch().map(Some) } else { tool.find() };
        match found? {
            Some(found) => {
                shell::say(&format!("{tool}: {} (from {})", found.path.display(), found.origin));
                programs.push((tool, found));
            }
            None => skipped.push(format!(
                "what needs {tool}; `cargo xtask tools` fetches it, or set {}",
                tool.variable()
            )),
        }
    }
    if in_ci() && !skipped.is_empty() {
        bail!("nothing may be skipped here: {}", skipped.join("; "));
    }
    Ok((tools::settings(&programs)?, skipped))
}
