//! The project's own commands: `cargo xtask COMMAND`.
//!
//! For people who work on the project and for its checks. Each command is one module which takes
//! its parsed arguments and returns a result; this file only picks one. Nothing here ships.

mod r#gen;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the generated files anew.
    Gen(r#gen::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Gen(args) => r#gen::run(&args),
    }
}
