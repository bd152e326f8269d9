//! `terdut-bridge crds`: the definitions of the custom resources, for whoever installs them.

use std::io::Write;
use std::process::ExitCode;

use clap::Args as ClapArgs;

use super::files::Failure;
use crate::crd::schema;
use crate::manifest::{self, Format};

/// What `--help` adds.
pub const HELP: &str = "\
Examples:
  Install or update the definitions:
      terdut-bridge crds | kubectl apply --server-side -f -
  See what an update would change:
      terdut-bridge crds | kubectl diff --server-side -f -

Exit codes: 0 written, 2 an argument cannot be used or nothing can be written.";

/// Arguments.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct Args {
    /// How they are written.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
}

/// Writes them.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    out.write_all(manifest::write(&schema::all(), args.output).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_five_definitions() {
        for output in [Format::Yaml, Format::Json] {
            let mut text = Vec::new();
            assert_eq!(run(&Args { output }, &mut text).unwrap(), ExitCode::SUCCESS);
            let documents = manifest::read(&String::from_utf8(text).unwrap()).unwrap();
            assert_eq!(documents, schema::all());
        }
    }
}
