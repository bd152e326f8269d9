//! The project's own commands: `cargo xtask COMMAND`.
//!
//! For people who work on the project and for its checks. Each command is one module which takes
//! its parsed arguments and returns a result; this file only picks one. Nothing here ships.

mod bench;
mod check;
mod demo;
mod dist;
mod docs;
mod r#gen;
mod shell;
mod ship;
mod test;
mod tools;

use std::process::ExitCode;

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
    /// Measure, and fail where a limit is missed.
    Bench(bench::Args),
    /// Say everything that can be said of the tree without running a suite.
    Check,
    /// Show the main job: plan, apply, an alert, an empty second plan, destroy; or, with --bridge,
    /// the same in Kubernetes.
    Demo(demo::Args),
    /// Write the Registry's pages anew.
    Docs(docs::Args),
    /// Make what a release consists of, for this machine's platform; and try it.
    Dist(dist::Args),
    /// Write the generated files anew.
    Gen(r#gen::Args),
    /// Print what CHANGELOG.md says of a tag, if everything names the same version.
    Notes(dist::NotesArgs),
    /// Build a program as it ships, for goreleaser.
    Ship(ship::Args),
    /// Run every suite that this machine can run.
    Test(test::Args),
    /// Find or fetch the outside programs, and say where each came from.
    Tools,
}

fn main() -> ExitCode {
    let ended =
        if bench::protoc::is_meant() { bench::protoc::run() } else { run(Cli::parse().command) };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            shell::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Bench(args) => bench::run(&args),
        Command::Check => check::run(),
        Command::Demo(args) => demo::run(&args),
        Command::Docs(args) => docs::run(&args),
        Command::Dist(args) => dist::run(&args),
        Command::Gen(args) => r#gen::run(&args),
        Command::Notes(args) => dist::print_notes(&args),
        Command::Ship(args) => ship::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Tools => tools::run(),
    }
}
