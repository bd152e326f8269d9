//! The program `terdut-bridge`.

use std::process::ExitCode;

use clap::Parser;
use terdut_bridge::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().execute(|name| std::env::var(name).ok(), &mut std::io::stderr())
}
