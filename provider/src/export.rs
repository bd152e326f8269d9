//! `terraform-provider-terdut export`: an existing server as a configuration or as manifests.
//!
//! The program calls it with the environment. What is read is the client's to say
//! (`terdut_client::export`), what is written core's (`terdut_core::export`); here are the options,
//! the words for a person and the files. It changes nothing on the server.

use std::io::Write;
use std::path::{Path, PathBuf};

use terdut_client::export::read_and_tell;
use terdut_core::export::{
    self, Document, Inventory, ManifestOptions, Selection, TerraformOptions,
};
use terdut_core::model::Kind;
use terdut_core::value::Name;
use terdut_provider::settings::Environment;

use crate::connect::{self, Connection, Impossible};

mod folder;

/// What `--help` adds.
pub(crate) const HELP: &str = "\
Examples:
  Take a whole server under Terraform, with a plan that only imports:
      export TERDUT_URL=https://terdut.example.com TERDUT_TOKEN=…
      terraform-provider-terdut export --output terdut
      cd terdut && terraform init && terraform plan
  One team, into a configuration that has a provider block already:
      terraform-provider-terdut export --team Platform --without-provider > platform.tf
  Manifests for terdut-bridge, below the TerdutServer terdut in the namespace ops:
      terraform-provider-terdut export --format manifests --namespace oncall \\
          --server-namespace ops > terdut.yaml

Not exported: keys and webhook URLs, which the server shows only once; the keys of service accounts
unless asked for (--with-keys), since their tokens stay unknown; terdut_server, which stands for a
key of its own. No secret is written.

An object that no configuration can mean (a name with a line break, a policy that pages somebody who
is gone) is left out, with a comment and a warning.

Exit codes: 0 all is written, 1 written, but something was left out, 2 nothing is written.";

/// How it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A configuration of Terraform and OpenTofu, with blocks of import.
    #[default]
    Terraform,
    /// Manifests of terdut-bridge.
    Manifests,
}

/// The options.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How it is written.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a file for each kind into this folder, all or none.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Overwrite files that are there, and remove those that an earlier export of this format made
    /// of kinds of which the server has none any more.
    #[arg(long, requires = "output")]
    force: bool,
    /// Only the team of this name and what belongs to it; people and instance accounts belong to
    /// none. May be given more than once.
    #[arg(long, value_name = "NAME")]
    team: Vec<Name>,
    /// Only these kinds, between commas: team, user, escalation-rule, deadman-switch, alert-source,
    /// service-account, service-account-key.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = export::kind_named)]
    only: Vec<Kind>,
    /// Also the keys of service accounts. Their tokens stay unknown.
    #[arg(long)]
    with_keys: bool,
    /// Leave the blocks `terraform` and `provider` away.
    #[arg(long)]
    without_provider: bool,
    /// Tell on the standard error how far it is, also where that is no terminal.
    #[arg(long)]
    progress: bool,
    /// Manifests: the namespace of the objects.
    #[arg(long, value_name = "NAMESPACE", value_parser = export::kubernetes_name)]
    namespace: Option<String>,
    /// Manifests: the name of the `TerdutServer` [default: terdut].
    #[arg(long, value_name = "NAME", value_parser = export::kubernetes_name)]
    server_name: Option<String>,
    /// Manifests: the namespace of the `TerdutServer`, if it is another.
    #[arg(long, value_name = "NAMESPACE", value_parser = export::kubernetes_name)]
    server_namespace: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Reads and writes; whether something was left out.
pub(crate) async fn run(
    args: &Args,
    environment: Environment<'_>,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<bool, Impossible> {
    args.check()?;
    if let Some(folder) = &args.output {
        folder::check(folder).map_err(|error| Impossible(error.told()))?;
    }
    let client = connect::client(environment, &args.connection)?;
    let inventory = read_and_tell(&client, &args.selection(), args.progress, errors).await;
    let inventory = inventory.map_err(|error| Impossible(error.told()))?;
    let document = args.document(&inventory);
    args.deliver(&document, out)?;
    // Without a standard error there is nobody to tell.
    let _ = errors.write_all(told(&document).as_bytes());
    Ok(!document.left_out.is_empty())
}

impl Args {
    /// What was given for the other format is a mistake, not a wish to be ignored.
    fn check(&self) -> Result<(), Impossible> {
        let (other, given) = match self.format {
            Format::Terraform => (
                "manifests",
                [
                    ("--namespace", self.namespace.is_some()),
                    ("--server-name", self.server_name.is_some()),
                    ("--server-namespace", self.server_namespace.is_some()),
                ],
            ),
            Format::Manifests => (
                "terraform",
                [
                    ("--without-provider", self.without_provider),
                    ("--with-keys", self.with_keys),
                    ("--only service-account-key", self.only.contains(&Kind::ServiceAccountKey)),
                ],
            ),
        };
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Impossible(format!("{option} is for --format {other} only."))),
            None => Ok(()),
        }
    }

    fn selection(&self) -> Selection {
        Selection::new(&self.only, self.with_keys, self.team.clone())
    }

    fn document(&self, inventory: &Inventory) -> Document {
        let selection = self.selection();
        match self.format {
            Format::Terraform => {
                let settings = !self.without_provider;
                export::terraform(inventory, &TerraformOptions { selection, settings })
            }
            Format::Manifests => {
                let options = ManifestOptions {
                    selection,
                    namespace: self.namespace.clone(),
                    server_name: self.server_name.clone().unwrap_or_else(|| "terdut".to_owned()),
                    server_namespace: self.server_namespace.clone(),
                };
                export::manifests(inventory, &options)
            }
        }
    }

    fn deliver(&self, document: &Document, out: &mut dyn Write) -> Result<(), Impossible> {
        let text = match &self.output {
            None => document.text(),
            Some(folder) => {
                let removed = folder::write(folder, document, self.force);
                let removed = removed.map_err(|error| Impossible(error.told()))?;
                summary(document, folder, &removed)
            }
        };
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Impossible(format!("The standard output: {error}.")))
    }
}

/// What became of a folder.
fn summary(document: &Document, folder: &Path, removed: &[&str]) -> String {
    let line = |name: &str| format!("  {name}\n");
    let written: String = document.files.iter().map(|file| line(file.name)).collect();
    let names: String = removed.iter().map(|name| line(name)).collect();
    let gone = match names.as_str() {
        "" => String::new(),
        names => format!("Removed, of an earlier export:\n{names}"),
    };
    format!("{} objects, in {}:\n{written}{gone}", document.objects(), folder.display())
}

/// What a person has to look at.
fn told(document: &Document) -> String {
    let left = document.left_out.iter().map(|left| format!("Warning: left out: {left}\n"));
    let notes = document.notes.iter().map(|note| format!("Note: {note}\n"));
    left.chain(notes).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &[&str]) -> Args {
        Line::parse_from(["export"].iter().chain(line)).args
    }

    #[test]
    fn an_option_of_the_other_format_is_refused_by_name() {
        for (line, option) in [
            (&["--namespace", "x"][..], "--namespace is for --format manifests"),
            (
                &["--format", "manifests", "--with-keys"][..],
                "--with-keys is for --format terraform",
            ),
        ] {
            assert!(args(line).check().unwrap_err().0.starts_with(option));
        }
        assert_eq!(args(&["--format=manifests", "--namespace=x"]).check(), Ok(()));
    }

    #[test]
    fn kinds_and_teams_are_read_from_the_line() {
        let selection = args(&["--only", "team,user", "--team", " a "]).selection();
        assert!(selection.has(Kind::User) && !selection.has(Kind::AlertSource));
        assert!(selection.wants("a") && !selection.wants("b"));
        let refused = Line::try_parse_from(["export", "--only", "server"]).unwrap_err().to_string();
        assert!(refused.contains("escalation-rule"), "{refused}");
    }
}
