//! `terdut-bridge export`: what is on a server as manifests, without a cluster.
//!
//! What is read is the client's to say, what is written core's; the provider's subcommand of the
//! same name writes the same. It changes nothing on the server, and no manifest holds a secret.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args as ClapArgs;
use terdut_client::export::read_and_tell;
use terdut_client::{Client, ProxyEnvironment, Settings};
use terdut_core::export::{self, Inventory, ManifestOptions, Selection};
use terdut_core::model::Kind;
use terdut_core::secret::SecretString;
use terdut_core::value::Name;

use super::files::{self, Failure};

#[cfg(test)]
mod tests;

/// What `--help` adds.
pub const HELP: &str = "\
Examples:
  What is on a server, below the TerdutServer terdut in the namespace ops:
      export TERDUT_URL=https://terdut.example.com TERDUT_TOKEN=…
      terdut-bridge export -n oncall --server-namespace ops > terdut.yaml
      terdut-bridge check -f terdut.yaml && kubectl apply -f terdut.yaml
  One team:
      terdut-bridge export --team Platform > platform.yaml

Applied, teams, escalation rules and dead man's switches are adopted as they are; in another namespace
than the server's only while its spec.allowedTeams.adoption is Allow. Alert sources are never adopted,
since their keys cannot be read: they are written paused. Users and service accounts have no kind;
`terraform-provider-terdut export` writes them.

The key comes from TERDUT_TOKEN or a file: an instance key or an admin key. TERDUT_CA_CERTIFICATE is a
PEM file with further certificates to trust.

Exit codes: 0 all is written, 1 written, but something was left out, 2 nothing is written.";

/// Arguments.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// The namespace of the objects.
    #[arg(short, long, value_parser = export::kubernetes_name)]
    pub namespace: Option<String>,
    /// The name of the TerdutServer.
    #[arg(long, value_name = "NAME", default_value = "terdut", value_parser = export::kubernetes_name)]
    pub server_name: String,
    /// The namespace of the TerdutServer, if it is another.
    #[arg(long, value_name = "NAMESPACE", value_parser = export::kubernetes_name)]
    pub server_namespace: Option<String>,
    /// Only the team of this name and what belongs to it. May be given more than once.
    #[arg(long, value_name = "NAME")]
    pub team: Vec<Name>,
    /// Only these kinds, between commas: team, escalation-rule, deadman-switch, alert-source.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = export::kind_named)]
    pub only: Vec<Kind>,
    /// Tell on the standard error how far it is, also where that is no terminal.
    #[arg(long)]
    pub progress: bool,
    /// Read the key from this file instead of `TERDUT_TOKEN`.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// Writes the manifests; what has to be looked at goes to `errors`.
pub fn run(
    args: &Args,
    environment: impl Fn(&str) -> Option<String>,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    if args.only.contains(&Kind::ServiceAccountKey) {
        let told = "--only service-account-key: the bridge has no kind for keys of service \
                    accounts. `terraform-provider-terdut export` writes them";
        return Err(Failure::Export(told.to_owned()));
    }
    let settings = settings(args, environment)?;
    let selection = Selection::new(&args.only, false, args.team.clone());
    let inventory = read(&settings, &selection, args.progress, errors)?;
    let document = export::manifests(
        &inventory,
        &ManifestOptions {
            selection,
            namespace: args.namespace.clone(),
            server_name: args.server_name.clone(),
            server_namespace: args.server_namespace.clone(),
        },
    );
    out.write_all(document.text().as_bytes())?;
    for left in &document.left_out {
        writeln!(errors, "warning: left out: {left}")?;
    }
    for note in &document.notes {
        writeln!(errors, "note: {note}")?;
    }
    Ok(if document.left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn read(
    settings: &Settings,
    selection: &Selection,
    progress: bool,
    errors: &mut dyn Write,
) -> Result<Inventory, Failure> {
    let client = Client::new(settings).map_err(|error| {
        let told = error.problems.iter();
        let told = told.map(|it| format!("{}: {}", variable(it.setting), it.message));
        Failure::Export(told.collect::<Vec<_>>().join("\n"))
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let inventory = runtime.block_on(read_and_tell(&client, selection, progress, errors));
    inventory.map_err(|error| Failure::Export(error.told()))
}

fn settings(
    args: &Args,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Settings, Failure> {
    let get = |name: &str| environment(name).filter(|value| !value.is_empty());
    let missing = |name: &str| Failure::Export(format!("{name} is not set"));
    let url = get("TERDUT_URL").ok_or_else(|| missing("TERDUT_URL"))?;
    let key = match &args.token_file {
        Some(file) => files::text(file)?.trim().to_owned(),
        None => get("TERDUT_TOKEN").ok_or_else(|| missing("TERDUT_TOKEN"))?,
    };
    let proxy = |name: &str| get(name).or_else(|| get(&name.to_ascii_lowercase()));
    let mut settings = Settings::new(url).with_token(SecretString::new(key));
    settings.ca_certificate = get("TERDUT_CA_CERTIFICATE");
    settings.user_agent = format!("terdut-bridge/{}", env!("CARGO_PKG_VERSION"));
    settings.environment = ProxyEnvironment {
        https_proxy: proxy("HTTPS_PROXY").map(SecretString::new),
        http_proxy: proxy("HTTP_PROXY").map(SecretString::new),
        no_proxy: proxy("NO_PROXY"),
    };
    Ok(settings)
}

fn variable(setting: &str) -> String {
    format!("TERDUT_{}", setting.to_ascii_uppercase())
}
