//! `cargo xtask bench bridge`: what the bridge costs and how fast it is, on a cluster made for it.
//!
//! The bench itself is the program `bench-bridge` of the tests' crate; here its programs are found
//! or fetched, and the bridge is built as it ships: optimised and static. `docs/benchmarks.md` says
//! what each figure means. Nothing but the result goes to standard output.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::demo::BRIDGE_NEEDS;
use crate::{shell, tools};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The Kubernetes bridge.
    Bridge(Bridge),
}

#[derive(Debug, clap::Args)]
struct Bridge {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// How many custom resources; several sizes are measured one after another.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 10_000], value_name = "N")]
    objects: Vec<usize>,
}

/// Measures; a missed limit is a failure.
pub(crate) fn run(args: &Args) -> Result<()> {
    let What::Bridge(bridge) = &args.what;
    let mut programs = Vec::new();
    for tool in BRIDGE_NEEDS {
        programs.push((tool, tool.find_or_fetch()?));
    }
    let host = host()?;
    let program = shell::target_folder().join(&host).join("release/terdut-bridge");
    let build = ["build", "--release", "--locked", "--package", "terdut-bridge"];
    quietly("the bridge's static build", as_it_ships(&host).args(build))?;
    let mut bench = as_it_ships(&host);
    bench.args([
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "terdut-tests",
        "--bin",
        "bench-bridge",
    ]);
    bench.args(["--", "--objects"]).args(bridge.objects.iter().map(usize::to_string));
    if bridge.json {
        bench.arg("--json");
    }
    bench.env("TERDUT_BRIDGE_BINARY", program).envs(tools::settings(&programs)?);
    quietly("the bench", &mut bench)
}

/// The platform that programs are built for.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let host = shell::capture(shell::command(rustc).args(["--print", "host-tuple"]))?;
    Ok(host.trim().to_owned())
}

/// Cargo, building as `deploy/Dockerfile` does.
fn as_it_ships(host: &str) -> Command {
    let mut cargo = shell::cargo();
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static").env("CARGO_BUILD_TARGET", host);
    cargo
}

/// Runs a command without a word on standard output.
fn quietly(what: &str, command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {what}"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    Ok(())
}
