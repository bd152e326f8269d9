//! `bench-bridge`: how fast the bridge is, beside how fast it could be, and what it costs.
//!
//! Run by `cargo xtask bench bridge`, which builds everything as it ships and finds the programs of
//! a control plane. `docs/benchmarks.md` says what each figure means. A missed limit is named and
//! makes the exit code 1; nothing here may be kinder to the bridge than to the writes beside it.

mod census;
mod figures;
mod floor;
mod load;
mod mix;
mod observer;
mod per_child;
mod place;
mod program;
mod report;
mod resync;

use std::process::ExitCode;

use clap::Parser;
use terdut_tests::bench::progress;
use terdut_tests::cluster::Cluster;
use terdut_tests::harness::Binary;

use figures::{Figures, Run};
use mix::Mix;
use place::Place;
use program::Program;

/// Measures the bridge.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many custom resources; several sizes are measured one after another.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 10_000], value_name = "N")]
    objects: Vec<usize>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let measured = runtime.block_on(async {
        tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => None,
            figures = measure(&arguments.objects) => figures,
        }
    });
    // The harness has said what is missing.
    let Some(figures) = measured else { return ExitCode::FAILURE };
    report::print(&figures, arguments.json)
}

async fn measure(sizes: &[usize]) -> Option<Figures> {
    let program = Program::of(Binary::bridge().path());
    let mut api_writes = None;
    let mut runs = Vec::new();
    for size in sizes {
        let cluster = tokio::task::spawn_blocking(Cluster::fresh).await.ok()??;
        if api_writes.is_none() {
            progress("API writes of each kind, counted one kind at a time");
            api_writes = Some(per_child::count(&cluster).await);
        }
        runs.push(run(&cluster, Mix::of(*size)).await);
    }
    Some(Figures { program, api_writes: api_writes?, runs })
}

/// Everything that is measured at one size, on a control plane of its own.
async fn run(cluster: &Cluster, mix: Mix) -> Run {
    let objects = mix.objects();
    progress(&format!("{objects} objects: {mix}"));
    let place = Place::prepare(cluster).await;
    progress("the write floor: the same writes alone, first half");
    let first = floor::measure(&place, &mix.half()).await;
    progress("all objects are made, then the bridge is started");
    let load = load::measure(&place, &mix).await;
    progress("a full resync, nothing else happening");
    let idle = resync::measure_idle(&place, objects).await;
    progress("new objects while everything is resynced without a pause");
    let fresh = resync::measure_new_objects(&place, &mix).await;
    progress("the write floor again, second half");
    place.empty().await;
    let second = floor::measure(&place, &mix.half()).await;
    Run { mix, floors: [first, second], load, idle, fresh }
}
