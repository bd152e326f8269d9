//! `cargo xtask bench`: what the bridge and the provider cost and how fast they are.
//!
//! The benches themselves are the programs `bench-bridge` and `bench-provider` of the tests' crate;
//! here the programs that they run are found, fetched or built, ours as they ship: optimised and
//! static. `docs/benchmarks.md` says what each figure means. Nothing but the result goes to
//! standard output.

mod peers;
pub(crate) mod protoc;

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::demo::BRIDGE_NEEDS;
use crate::ship::{self, Place, Platform};
use crate::tools;
use crate::tools::Tool;

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
    /// The Terraform provider, beside two others that are made for it.
    Provider(Provider),
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

#[derive(Debug, clap::Args)]
struct Provider {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// How many dead man's switches; the peers are measured at the smallest size only.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 5_000], value_name = "N")]
    objects: Vec<usize>,
}

/// Measures; a missed limit is a failure.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Bridge(bridge) => measure_bridge(bridge),
        What::Provider(provider) => measure_provider(provider),
    }
}

fn measure_bridge(bridge: &Bridge) -> Result<()> {
    let mut programs = Vec::new();
    for tool in BRIDGE_NEEDS {
        programs.push((tool, tool.find_or_fetch()?));
    }
    let host = ship::host()?;
    let program = ship::build("terdut-bridge", &host, &Place::here()?)?;
    let mut bench = bench(&host, "bench-bridge", &bridge.objects, bridge.json)?;
    bench.env("TERDUT_BRIDGE_BINARY", program).envs(tools::settings(&programs)?);
    quietly("the bench", &mut bench)
}

fn measure_provider(provider: &Provider) -> Result<()> {
    let terraform = (Tool::Terraform, Tool::Terraform.find_or_fetch()?);
    let host = ship::host()?;
    let program = ship::build(ship::PROVIDER, &Platform::here()?.buildable()?, &Place::here()?)?;
    let peers = [
        ("TERDUT_GO_PEER_BINARY", peers::go()?),
        ("TERDUT_TF_PROVIDER_PEER_BINARY", peers::tf_provider(&host)?),
    ];
    let mut bench = bench(&host, "bench-provider", &provider.objects, provider.json)?;
    bench.env("TERDUT_PROVIDER_BINARY", program).envs(peers);
    quietly("the bench", bench.envs(tools::settings(&[terraform])?))
}

/// A bench of the tests' crate.
fn bench(host: &str, program: &str, objects: &[usize], json: bool) -> Result<Command> {
    let mut bench = ship::cargo(host, &Place::here()?);
    bench.args(["run", "--quiet", "--release", "--locked", "--package", "terdut-tests", "--bin"]);
    bench.args([program, "--", "--objects"]).args(objects.iter().map(usize::to_string));
    if json {
        bench.arg("--json");
    }
    Ok(bench)
}

/// Runs a command without a word on standard output.
fn quietly(what: &str, command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {what}"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    Ok(())
}

/// What a variable names, if it is set to something.
fn named(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}
