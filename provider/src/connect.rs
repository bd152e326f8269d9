//! The client of a subcommand: all settings from the environment, the key also from a file.
//!
//! `contract` and `export` call it. A key is never taken from the command line, and no message
//! holds one.

use std::path::{Path, PathBuf};

use terdut_client::Client;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_provider::settings::{self, Environment, ProviderModel, variable};

/// Why nothing could be done, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Impossible(pub(crate) String);

/// How the server is reached, beside the environment.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Connection {
    /// Read the key from this file instead of `TERDUT_TOKEN`.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// The client of the server that the environment names. No request is sent.
pub(crate) fn client(
    environment: Environment<'_>,
    connection: &Connection,
) -> Result<Client, Impossible> {
    let key = connection.token_file.as_deref().map(key).transpose()?;
    let environment = |name: &str| match &key {
        Some(key) if name == "TERDUT_TOKEN" => Some(key.clone()),
        _ => environment(name),
    };
    let mut diagnostics = Diagnostics::new();
    let resolved = settings::resolve(&ProviderModel::default(), &environment, &mut diagnostics);
    let mut faults: Vec<String> =
        diagnostics.iter().map(|one| format!("{}: {}", one.summary, one.detail)).collect();
    let missing = resolved.missing.iter().map(|setting| variable(setting));
    faults.extend(missing.map(|variable| format!("{variable} is not set.")));
    if !faults.is_empty() {
        return Err(Impossible(faults.join("\n")));
    }
    Client::new(&resolved.settings).map_err(|error| {
        let told = error.problems.iter();
        let told = told.map(|it| format!("{}: {}", variable(it.setting), it.message));
        Impossible(told.collect::<Vec<_>>().join("\n"))
    })
}

fn key(file: &Path) -> Result<String, Impossible> {
    let told = |why: &str| Impossible(format!("--token-file {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| told(&error.to_string()))?;
    match text.trim() {
        "" => Err(told("it is empty")),
        key => Ok(key.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(variables: &[(&str, &str)], connection: &Connection) -> String {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        client(&get, connection).map(|_| ()).unwrap_err().0
    }

    #[test]
    fn what_is_missing_or_bad_is_named_by_its_variable() {
        let refused = |variables: &[_]| refused(variables, &Connection::default());
        let told = refused(&[]);
        assert!(told.contains("TERDUT_URL") && told.contains("TERDUT_TOKEN"), "{told}");
        let told = refused(&[("TERDUT_URL", "ftp://h"), ("TERDUT_TOKEN", "canary")]);
        assert!(told.contains("TERDUT_URL") && !told.contains("canary"), "{told}");
        let told = refused(&[
            ("TERDUT_URL", "http://h"),
            ("TERDUT_TOKEN", "canary"),
            ("TERDUT_REQUEST_TIMEOUT", "soon"),
        ]);
        assert!(told.contains("TERDUT_REQUEST_TIMEOUT"), "{told}");
    }

    #[test]
    fn a_file_with_a_key_stands_in_for_the_variable() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let connection = Connection { token_file: Some(file.path().to_owned()) };
        let told = refused(&[("TERDUT_URL", "http://h")], &connection);
        assert!(told.contains("it is empty"), "{told}");
        std::fs::write(file.path(), "canary\n").unwrap();
        let told = refused(&[], &connection);
        assert!(told.contains("TERDUT_URL") && !told.contains("TERDUT_TOKEN"), "{told}");
        let gone = Connection { token_file: Some("/nowhere/key".into()) };
        assert!(refused(&[], &gone).starts_with("--token-file /nowhere/key: "));
    }
}
