//! `bench-provider`: what the provider costs Terraform, beside nothing at all and beside two
//! providers that others' frameworks make of the same resource.
//!
//! Run by `cargo xtask bench provider`, which builds everything as it ships. `docs/benchmarks.md`
//! says what each figure means. A missed limit is named and makes the exit code 1; nothing here may
//! be kinder to our provider than to what stands beside it.

mod command;
mod configuration;
mod figures;
mod life;
mod report;
mod subject;

use std::process::ExitCode;

use clap::Parser;
use terdut_tests::bench::progress;
use terdut_tests::harness::Program;
use terdut_tests::host::time_to_schema;

use figures::{Figures, Run};
use life::Scope;
use subject::Subject;

/// How often each provider is started.
const STARTS: usize = 20;

/// Measures the provider.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many dead man's switches; the peers are measured at the smallest size only.
    #[arg(long, num_args = 1.., default_values_t = [1_000, 5_000], value_name = "N")]
    objects: Vec<usize>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // The harness says what is missing.
    let Some(terraform) = Program::terraform() else { return ExitCode::FAILURE };
    let figures = measure(&terraform, &arguments.objects);
    report::print(&figures, arguments.json)
}

fn measure(terraform: &Program, sizes: &[usize]) -> Figures {
    progress(&format!("{STARTS} starts of each provider"));
    let starts = starts();
    let smallest = sizes.iter().min().copied().unwrap_or_default();
    let mut runs = Vec::new();
    for objects in sizes.iter().copied() {
        let scope = if objects == smallest { Scope::full(objects) } else { Scope::ours(objects) };
        runs.push(Run { objects, lives: life::measure(terraform, &scope) });
    }
    let sizes = Subject::PROVIDERS.map(|subject| (subject, subject.bytes())).to_vec();
    Figures { starts, sizes, runs }
}

/// Milliseconds from the start of a provider to its schemas; the providers take turns.
fn starts() -> Vec<(Subject, Vec<f64>)> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let mut starts: Vec<_> =
        Subject::PROVIDERS.iter().map(|subject| (*subject, Vec::new())).collect();
    for _ in 0..STARTS {
        for (subject, took) in &mut starts {
            let one = runtime.block_on(time_to_schema(&subject.binary()));
            took.push(one.as_secs_f64() * 1000.0);
        }
    }
    starts
}
