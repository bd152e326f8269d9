//! The provider's program: started by Terraform and OpenTofu, or with a subcommand by a person.

#![deny(clippy::print_stdout, reason = "standard output carries the handshake")]

mod connect;
mod contract;
mod export;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::{Mask, ServeOptions, serve};
use terdut_provider::provider::{SOURCE, Terdut};

use connect::{Connection, Impossible};

/// The terdut provider for Terraform and OpenTofu.
///
/// They start it; by hand it is of use only with one of these. Settings, keys above all, come from
/// the environment (`TERDUT_URL`, `TERDUT_TOKEN`) and never from the command line, where every user
/// of the machine can read them.
#[derive(Debug, Parser)]
#[command(name = "terraform-provider-terdut", version)]
struct Arguments {
    /// Wait for a host to attach: prints `TF_REATTACH_PROVIDERS`, runs until Ctrl-C.
    #[arg(long)]
    debug: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write all schemas as JSON, as `terraform providers schema -json` does.
    Schema,
    /// Try on the server of `TERDUT_URL` all that this provider relies on.
    ///
    /// `TERDUT_TOKEN` is an instance key, or an admin key, which can try more. Everything is tried
    /// in a team, with accounts and a person of names of its own, and removed again; nobody is
    /// paged. Ends with 1 where the server differs, with 2 where it cannot be tried.
    Contract {
        /// Write JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        connection: Connection,
    },
    /// Write what is on the server of `TERDUT_URL` as a configuration, or as manifests.
    ///
    /// `TERDUT_TOKEN` is an instance key or an admin key. Nothing is changed on the server. The
    /// configuration has a block of import for each object: its first plan imports all and changes
    /// nothing.
    #[command(after_help = export::HELP)]
    Export(Box<export::Args>),
}

/// Options that people try and that must not be there, with the variable to set instead.
const SECRETS: [(&str, &str); 9] = [
    ("--token", "TERDUT_TOKEN"),
    ("--key", "TERDUT_TOKEN"),
    ("--api-key", "TERDUT_TOKEN"),
    ("--admin-token", "TERDUT_TOKEN"),
    ("--admin-key", "TERDUT_TOKEN"),
    ("--bearer", "TERDUT_TOKEN"),
    ("--client-key", "TERDUT_CLIENT_KEY"),
    ("--headers", "TERDUT_HEADERS"),
    ("--proxy", "TERDUT_PROXY"),
];

fn main() -> ExitCode {
    if let Some((option, variable)) = secret_option(std::env::args()) {
        return refuse(option, variable);
    }
    let arguments = Arguments::parse();
    let mask = Mask::new();
    let engine = Engine::new(Terdut::new(mask.clone(), environment));
    match arguments.command {
        Some(Command::Schema) => return print(&format!("{:#}\n", engine.describe())),
        Some(Command::Contract { json, connection }) => return try_contract(json, &connection),
        Some(Command::Export(args)) => return write_export(&args),
        None => {}
    }
    let mut options = ServeOptions::new("terdut", SOURCE);
    options.log_targets = vec!["terdut_client", "terdut_core", "terdut_provider"];
    options.mask = mask;
    options.debug = arguments.debug;
    serve(engine, &options)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn try_contract(json: bool, connection: &Connection) -> ExitCode {
    let report = match block_on(contract::run(&environment, connection, interrupted())) {
        Ok(report) => report,
        Err(Impossible(why)) => return complain(&why),
    };
    let text =
        if json { format!("{:#}\n", contract::to_json(&report)) } else { contract::table(&report) };
    let printed = print(&text);
    if report.holds() { printed } else { ExitCode::FAILURE }
}

fn write_export(args: &export::Args) -> ExitCode {
    let (mut out, mut errors) = (std::io::stdout(), std::io::stderr());
    match block_on(export::run(args, &environment, &mut out, &mut errors)) {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(Impossible(why)) => complain(&why),
    }
}

fn block_on<T>(work: impl Future<Output = Result<T, Impossible>>) -> Result<T, Impossible> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Impossible(error.to_string()))?.block_on(work)
}

/// Ends with Ctrl-C, so that what was made is removed.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The first option that would hold a secret, without its value.
fn secret_option(
    mut arguments: impl Iterator<Item = String>,
) -> Option<(&'static str, &'static str)> {
    arguments.find_map(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        SECRETS.into_iter().find(|(option, _)| *option == name)
    })
}

fn refuse(option: &str, variable: &str) -> ExitCode {
    complain(&format!(
        "{option} is not taken on the command line, where every user of this machine can read it. \
         Set {variable} in the environment instead."
    ))
}

fn complain(why: &str) -> ExitCode {
    // Without a standard error there is nobody to tell.
    let _ = std::io::stderr().write_all(format!("Error: {why}\n").as_bytes());
    ExitCode::from(2)
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_on_the_command_line_is_found_without_its_value() {
        let given = |arguments: &[&str]| {
            secret_option(arguments.iter().map(|argument| (*argument).to_owned()))
        };
        assert_eq!(given(&["x", "schema", "--token=canary"]), Some(("--token", "TERDUT_TOKEN")));
        assert_eq!(
            given(&["x", "--client-key", "canary"]),
            Some(("--client-key", "TERDUT_CLIENT_KEY"))
        );
        assert_eq!(given(&["x", "--debug"]), None);
    }
}
