//! `bridge-demo`: the bridge from an empty cluster to an empty cluster, shown to a person.
//!
//! Run by `cargo xtask demo --bridge`, which finds the programs of a control plane. It prints the
//! commands that a person types, runs exactly those, and says how long each step took. Whatever
//! ends it, a failure or Ctrl-C too, it leaves no process and no file behind.

mod alert;
mod scene;
mod server;
mod steps;
mod told;

use std::process::ExitCode;
use std::time::Instant;

use scene::Scene;
use told::{Failed, say};

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return told::complain(&Failed::new(format!("no runtime: {error}"))),
    };
    match runtime.block_on(interruptible()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => told::complain(&failed),
    }
}

/// The demo, unless the person has seen enough. What was started ends when it is dropped.
async fn interruptible() -> Result<(), Failed> {
    tokio::select! {
        biased;
        signal = tokio::signal::ctrl_c() => match signal {
            Ok(()) => Err(Failed::new("interrupted; everything that was started is ended".to_owned())),
            Err(error) => Err(Failed::new(format!("no signals: {error}"))),
        },
        outcome = demo() => outcome,
    }
}

async fn demo() -> Result<(), Failed> {
    let started = Instant::now();
    let scene = Scene::start().await?;
    let bridge = steps::install(&scene).await?;
    let shown = steps::show(&scene).await;
    if shown.is_err() {
        say(&format!("\nThe bridge's last lines:\n{}", bridge.lines().tail(20)));
    }
    shown?;
    let seconds = started.elapsed().as_secs_f64();
    say(&format!("\nDone in {seconds:.1} s. The manifests are in examples/bridge."));
    Ok(())
}
