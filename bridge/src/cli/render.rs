//! `terdut-bridge render`: the objects that a TerdutServer is run by, without a cluster.
//!
//! What the bridge would apply, but for the owner: outside a cluster an object has no UID.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args as ClapArgs;
use serde_json::Value;
use terdut_core::model::install::{DatabaseChoice, Install, PostgresCluster};
use terdut_core::problem::Findings;
use terdut_core::render::{self, Database, Place};

use super::files::{self, Document, Failure};
use crate::crd::judge::{Fault, Judge, Severity, faults_of};
use crate::crd::{Kind, TerdutServer, TerdutServerSpec};
use crate::manifest::{self, Format};

#[cfg(test)]
mod tests;

/// What `--help` adds.
pub const HELP: &str = "\
Examples:
  See what a server would be run by:
      terdut-bridge render -f server.yaml
  Compare that with what runs:
      terdut-bridge render -f server.yaml | kubectl diff --server-side -f -
  With a database of Zalando's operator, its postgresql has to be among the files:
      terdut-bridge render -f server.yaml -f postgresql.yaml

Exit codes: 0 written, 1 a TerdutServer cannot be rendered (the standard error says why; the others
are written), 2 a file cannot be read or an argument cannot be used.";

/// Arguments.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// A file, a folder of files, or - for the standard input. May be given more than once.
    #[arg(short, long = "filename", value_name = "FILE", required = true)]
    pub filename: Vec<PathBuf>,
    /// The namespace of objects that name none.
    #[arg(short, long, default_value = "default")]
    pub namespace: String,
    /// How the objects are written.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
}

/// Writes the objects of every TerdutServer in the files; what keeps one from being rendered goes
/// to `errors`.
pub fn run(args: &Args, out: &mut dyn Write, errors: &mut dyn Write) -> Result<ExitCode, Failure> {
    let documents = files::read(&args.filename)?;
    let judge = Judge::default();
    let (mut objects, mut failed) = (Vec::new(), false);
    let servers: Vec<_> =
        documents.iter().filter(|one| one.object["kind"] == TerdutServer::KIND).collect();
    if servers.is_empty() {
        writeln!(errors, "error: there is no TerdutServer in the files")?;
        failed = true;
    }
    for server in servers {
        match rendered(&judge, server, &documents, &args.namespace) {
            Ok(made) => objects.extend(made),
            Err(faults) => {
                failed = true;
                for fault in faults {
                    let (file, Fault { field, message, .. }) = (&server.file, fault);
                    writeln!(errors, "error: {file}: {field}: {message}")?;
                }
            }
        }
    }
    if !objects.is_empty() {
        out.write_all(manifest::write(&objects, args.output).as_bytes())?;
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn rendered(
    judge: &Judge,
    server: &Document,
    documents: &[Document],
    namespace: &str,
) -> Result<Vec<Value>, Vec<Fault>> {
    let mut faults = judge.faults(&server.object);
    faults.retain(|fault| fault.severity == Severity::Error);
    if !faults.is_empty() {
        return Err(faults);
    }
    let install = validated(&server.object)?;
    let metadata = &server.object["metadata"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let place = Place {
        namespace: text(&metadata["namespace"]).unwrap_or_else(|| namespace.to_owned()),
        name: text(&metadata["name"]).unwrap_or_default(),
        ..Place::default()
    };
    let database = match &install.database {
        DatabaseChoice::Dsn { dsn, password } => Database::from_dsn(dsn, password),
        DatabaseChoice::Cluster(wanted) => {
            let found = cluster(documents, wanted, &place.namespace, namespace);
            let found = found.map_err(|fault| vec![fault])?;
            Database::from_postgresql(found, wanted, &place.namespace)
                .map_err(|problem| vec![at_database(problem.to_string())])?
        }
    };
    let objects = render::objects(&install, &place, &database);
    Ok(objects.all().into_iter().cloned().collect())
}

fn validated(object: &Value) -> Result<Install, Vec<Fault>> {
    let unreadable = |fault: serde_json::Error| vec![Fault::error("spec", fault.to_string())];
    let spec: TerdutServerSpec =
        serde_json::from_value(object["spec"].clone()).map_err(unreadable)?;
    let mut findings = Findings::default();
    let install = spec.install.validate(&mut findings);
    install.ok_or_else(|| faults_of(TerdutServer::KIND, &findings))
}

/// The `postgresql` that the server names.
fn cluster<'d>(
    documents: &'d [Document],
    wanted: &PostgresCluster,
    server: &str,
    default: &str,
) -> Result<&'d Value, Fault> {
    let name = wanted.name.to_string();
    let is_it = |one: &&Document| {
        let metadata = &one.object["metadata"];
        one.object["kind"] == "postgresql"
            && metadata["name"] == *name
            && metadata["namespace"].as_str().unwrap_or(default) == server
    };
    let found = documents.iter().find(is_it).map(|one| &one.object);
    found.ok_or_else(|| {
        at_database(format!("the postgresql {server}/{name} is in none of the files"))
    })
}

fn at_database(message: String) -> Fault {
    Fault::error("spec.database.postgresClusterRef", message)
}
