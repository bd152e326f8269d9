//! The provider's program: started by Terraform and OpenTofu, or with a subcommand by a person.

use std::process::ExitCode;

use clap::Parser;
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::{Mask, ServeOptions, serve};
use terdut_provider::provider::{SOURCE, Terdut};

/// The terdut provider for Terraform and OpenTofu. They start it; by hand it is of use only with
/// one of these. Settings, keys above all, come from the environment (`TERDUT_URL`, `TERDUT_TOKEN`)
/// and never from the command line, where every user of the machine can read them.
#[derive(Debug, Parser)]
#[command(name = "terraform-provider-terdut", version)]
struct Arguments {
    /// Wait for a host to attach: prints `TF_REATTACH_PROVIDERS`, runs until Ctrl-C.
    #[arg(long)]
    debug: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mask = Mask::new();
    let mut options = ServeOptions::new("terdut", SOURCE);
    options.log_targets = vec!["terdut_client", "terdut_core", "terdut_provider"];
    options.mask = mask.clone();
    options.debug = arguments.debug;
    serve(Engine::new(Terdut::new(mask, |name| std::env::var(name).ok())), &options)
}
