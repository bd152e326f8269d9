//! The command line: subcommands, their help, and what the process exits with.
//!
//! Called by `main` alone. 0 is success, 1 a failure or a finding, 2 a setting or an argument that
//! cannot be used. Nothing here holds a secret: keys are in Secrets, never on a command line.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub mod check;
pub mod crds;
pub mod export;
pub mod files;
pub mod migrate;
pub mod render;

use crate::logging;
use crate::run;
use crate::settings::{RunArgs, Settings};

const EXAMPLES: &str = "\
Examples:
  In a pod, with all settings from the chart:
      terdut-bridge run
  From a workstation, looking into two namespaces only:
      terdut-bridge run --kubeconfig ~/.kube/config --watch-namespaces team-a,team-b \\
          --server-url http://127.0.0.1:8080
  Before a manifest is applied:
      terdut-bridge check -f manifests/

Every setting of `run` can also be given by the variable that its help names.";

const RUN_EXIT: &str = "\
Exit codes: 0 after SIGTERM or SIGINT, 1 if it cannot start, 2 if a setting cannot be used.";

/// The Kubernetes bridge of terdut: declares servers, teams, escalation rules, dead man's switches
/// and alert sources as custom resources.
#[derive(Debug, Parser)]
#[command(name = "terdut-bridge", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the controllers until SIGTERM or SIGINT.
    #[command(after_help = RUN_EXIT)]
    Run(Box<RunArgs>),
    /// Write the definitions of the custom resources.
    #[command(after_help = crds::HELP)]
    Crds(crds::Args),
    /// Check manifests without a cluster.
    #[command(after_help = check::HELP)]
    Check(check::Args),
    /// Write the objects that a TerdutServer is run by.
    #[command(after_help = render::HELP)]
    Render(render::Args),
    /// Make a TerdutServer out of the values of the server's Helm chart.
    #[command(after_help = migrate::HELP)]
    Migrate(migrate::Args),
    /// Write what is on a server as manifests.
    #[command(after_help = export::HELP)]
    Export(export::Args),
}

impl Cli {
    /// Does what was asked for. `environment` answers for variables that are no setting's own.
    pub fn execute(
        self,
        environment: impl Fn(&str) -> Option<String>,
        out: &mut dyn Write,
        errors: &mut dyn Write,
    ) -> ExitCode {
        let done = match self.command {
            Command::Run(args) => return run_bridge(&args, environment, errors),
            Command::Crds(args) => crds::run(&args, out),
            Command::Check(args) => check::run(&args, out),
            Command::Render(args) => render::run(&args, out, errors),
            Command::Migrate(args) => migrate::run(&args, out, errors),
            Command::Export(args) => export::run(&args, environment, out, errors),
        };
        done.unwrap_or_else(|failure| {
            // Without a standard error there is nobody to tell.
            let _ = writeln!(errors, "error: {}", chain(&failure));
            ExitCode::from(2)
        })
    }
}

fn run_bridge(
    args: &RunArgs,
    environment: impl Fn(&str) -> Option<String>,
    errors: &mut dyn Write,
) -> ExitCode {
    let settings = match Settings::check(args, environment) {
        Ok(settings) => settings,
        Err(problems) => {
            for problem in problems {
                // Without a standard error there is nobody to tell.
                let _ = writeln!(errors, "error: {problem}");
            }
            return ExitCode::from(2);
        }
    };
    logging::start(settings.log_format, settings.log_level);
    match run::run(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = chain(&error), "the bridge does not start");
            ExitCode::FAILURE
        }
    }
}

/// An error and all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_every_setting_has_its_variable() {
        Cli::command().debug_assert();
        let command = Cli::command();
        let run = command.find_subcommand("run").unwrap();
        for setting in run.get_arguments().filter(|argument| argument.get_id() != "help") {
            let name = setting.get_long().unwrap().replace('-', "_").to_uppercase();
            let variable = format!("TERDUT_BRIDGE_{name}");
            assert_eq!(setting.get_env().unwrap().to_str(), Some(variable.as_str()));
        }
    }

    #[test]
    fn a_bad_setting_names_itself_and_starts_nothing() {
        let cli = Cli::parse_from(["terdut-bridge", "run", "--concurrency=0", "--listen=x"]);
        let mut errors = Vec::new();
        let code = cli.execute(|_| None, &mut Vec::new(), &mut errors);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(2)));
        let errors = String::from_utf8(errors).unwrap();
        assert!(errors.contains("--concurrency: \"0\"") && errors.contains("--listen: \"x\""));
    }
}
