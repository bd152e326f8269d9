//! The provider's program: started by Terraform and OpenTofu, or with a subcommand by a person.

#![deny(clippy::print_stdout, reason = "standard output carries the handshake")]

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::{Mask, ServeOptions, serve};
use terdut_provider::provider::{SOURCE, Terdut};

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
}

/// Options that people try, and that must not be there.
const SECRETS: [&str; 5] = ["--token", "--client-key", "--headers", "--proxy", "--password"];

fn main() -> ExitCode {
    if let Some(option) = secret_option(std::env::args()) {
        return refuse(option);
    }
    let arguments = Arguments::parse();
    let mask = Mask::new();
    let engine = Engine::new(Terdut::new(mask.clone(), |name| std::env::var(name).ok()));
    if let Some(Command::Schema) = arguments.command {
        return print(&format!("{:#}\n", engine.describe()));
    }
    let mut options = ServeOptions::new("terdut", SOURCE);
    options.log_targets = vec!["terdut_client", "terdut_core", "terdut_provider"];
    options.mask = mask;
    options.debug = arguments.debug;
    serve(engine, &options)
}

/// The first option that would hold a secret, without its value.
fn secret_option(mut arguments: impl Iterator<Item = String>) -> Option<&'static str> {
    arguments.find_map(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        SECRETS.into_iter().find(|option| *option == name)
    })
}

fn refuse(option: &str) -> ExitCode {
    let variable = option.trim_start_matches('-').replace('-', "_").to_uppercase();
    let text = format!(
        "Error: {option} is not taken on the command line, where every user of this machine can \
         read it. Set TERDUT_{variable} in the environment instead.\n"
    );
    // Without a standard error there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
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
        assert_eq!(given(&["x", "schema", "--token=canary"]), Some("--token"));
        assert_eq!(given(&["x", "--client-key", "canary"]), Some("--client-key"));
        assert_eq!(given(&["x", "--debug"]), None);
    }
}
