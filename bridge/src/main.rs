//! The program `terdut-bridge`.

use std::process::ExitCode;

use clap::Parser;
use terdut_bridge::cli::Cli;

fn main() -> ExitCode {
    let (mut out, mut errors) = (std::io::stdout(), std::io::stderr());
    Cli::parse().execute(|name| std::env::var(name).ok(), &mut out, &mut errors)
}
