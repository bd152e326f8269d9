//! What is wrong with the arguments: core's rules for a server, and what can only be wrong here.
//!
//! All faults are told in one run, each at its path. While something is not known yet, only what
//! it cannot change is told.

use terdut_core::model::install::{DatabaseChoice, Install, InstallSpec, Namespace, ServerName};
use terdut_core::problem::{Findings, Path, PathStep, Problem};
use terdut_core::render::{Database, Manager, Place, TABLE};
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::value::Value;

use super::shown::Server;
use super::{NAME, NAMESPACE, OF_THE_BRIDGE, spec};
use crate::report;

/// Tells every fault; the server, if there is none.
pub(super) fn validate(config: &Value, diagnostics: &mut Diagnostics) -> Option<Server> {
    let mut findings = Findings::default();
    let server = checked(config, &mut findings);
    findings.errors.retain(|problem| is_certain(config, &problem.path));
    findings.warnings.retain(|problem| is_certain(config, &problem.path));
    unheeded(config, &mut findings);
    report::findings(&findings, diagnostics);
    server
}

fn checked(config: &Value, findings: &mut Findings) -> Option<Server> {
    let name = text::<ServerName>(config, "name", NAME, findings);
    let namespace = text::<Namespace>(config, "namespace", NAMESPACE, findings);
    // What core's types cannot hold is refused by the attributes' own checks.
    let spec: InstallSpec = serde_json::from_value(spec().read(config)).ok()?;
    plain_secrets(&spec, findings);
    cluster_names(&spec, findings);
    let install = spec.validate(findings);
    let (name, namespace) = (name?.to_string(), namespace?.to_string());
    let install = install?;
    let database = database(&install, &namespace)?;
    let place = Place { name, namespace, manager: Manager::Terraform, ..Place::default() };
    findings.errors.is_empty().then_some(Server { install, database, place })
}

fn text<T>(config: &Value, field: &'static str, default: &str, findings: &mut Findings) -> Option<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let given = config.attribute(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let parsed = given.unwrap_or(default).parse();
    parsed.map_err(|fault| invalid(findings, Path::of(field), format!("{field}: {fault}."))).ok()
}

fn invalid(findings: &mut Findings, path: Path, detail: impl Into<String>) {
    findings.error(Problem::new(path, "Invalid value", detail));
}

/// Nobody looks into a Postgres cluster here, so both names have to be said.
fn cluster_names(spec: &InstallSpec, findings: &mut Findings) {
    let cluster = spec.database.postgres_cluster_ref.as_ref();
    let Some(cluster) = cluster.filter(|cluster| !cluster.name.is_empty()) else { return };
    for (field, given) in [("database", &cluster.database), ("user", &cluster.user)] {
        if given.as_ref().is_none_or(String::is_empty) {
            let path = Path::of("database").field("postgres_cluster_ref").field(field);
            let detail = "It is required here, where nobody looks into the Postgres cluster.";
            invalid(findings, path, detail);
        }
    }
}

fn database(install: &Install, namespace: &str) -> Option<Database> {
    match &install.database {
        DatabaseChoice::Dsn { dsn, password } => Some(Database::from_dsn(dsn, password)),
        DatabaseChoice::Cluster(cluster) => Database::from_names(cluster, namespace),
    }
}

/// Outputs are shown and stored, so that a secret must not come into them by `env`.
fn plain_secrets(spec: &InstallSpec, findings: &mut Findings) {
    for (index, variable) in spec.env.iter().flatten().enumerate() {
        let is_secret = TABLE.iter().any(|row| row.name == variable.name.trim() && row.secret);
        if is_secret && variable.value.as_ref().is_some_and(|value| !value.is_empty()) {
            let path = Path::of("env").index(index).field("value");
            let problem = Problem::new(
                path,
                "A secret in plain sight",
                format!(
                    "{} is a secret, and everything here is stored in the state and shown.",
                    variable.name
                ),
            );
            findings.error(problem.hint("Put it into a Secret and name that in value_from."));
        }
    }
}

/// What has no effect is said, so that nobody waits for it.
fn unheeded(config: &Value, findings: &mut Findings) {
    for field in OF_THE_BRIDGE {
        let value = config.attribute(field).unwrap_or(&Value::Null);
        if value.is_known() && says_something(value) {
            let detail = format!(
                "{field} is heeded by terdut-bridge only: nothing is rendered of it. The resource \
                 terdut_server bootstraps a server from Terraform."
            );
            findings.warn(Problem::new(Path::of(field), "Not used here", detail));
        }
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Unknown(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(members) => !members.is_empty(),
        Value::Object(members) => members.values().any(says_something),
        _ => true,
    }
}

/// Whether nothing unknown has a say in what was found there: everything that core judges it with
/// is in the same object, but for the one rule about ways to log in.
fn is_certain(config: &Value, path: &Path) -> bool {
    let known = |name: &str| config.attribute(name).is_none_or(Value::is_wholly_known);
    match path.0.as_slice() {
        [PathStep::Field("password_login")] => known("password_login") && known("oidc"),
        [] | [_] => path.0.first().is_none_or(|step| at(config, *step).is_wholly_known()),
        [parents @ .., _] => {
            parents.iter().fold(config, |value, step| at(value, *step)).is_wholly_known()
        }
    }
}

fn at(value: &Value, step: PathStep) -> &Value {
    let found = match step {
        PathStep::Field(name) => value.attribute(name),
        PathStep::Index(index) => value.elements().and_then(|elements| elements.get(index)),
    };
    found.unwrap_or(&Value::Null)
}
