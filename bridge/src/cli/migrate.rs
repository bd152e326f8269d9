//! `terdut-bridge migrate`: a TerdutServer out of the values of the server's Helm chart.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use terdut_core::model::install::from_helm_values;

use super::files::{self, Failure};
use crate::crd::judge::{Judge, Severity};
use crate::crd::names::API_VERSION;
use crate::crd::{Kind, TerdutServer};
use crate::manifest::{self, Format, InvalidManifest};

/// What `--help` adds.
pub const HELP: &str = "\
Examples:
  From the values of a release:
      helm get values terdut -n ops | terdut-bridge migrate --values - -n ops > server.yaml
  Under another name:
      terdut-bridge migrate --values values.yaml --name oncall

A value that a TerdutServer has no place for is named on the standard error, as is what has to be
changed before the manifest can be applied.

Exit codes: 0 written and complete, 1 written, but something has to be looked at, 2 the values cannot
be read or an argument cannot be used.";

/// Arguments.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// The file with the values, or - for the standard input.
    #[arg(long, value_name = "FILE")]
    pub values: PathBuf,
    /// The name of the TerdutServer, and so of the Deployment and the Service.
    #[arg(long, default_value = "terdut")]
    pub name: String,
    /// The namespace of the TerdutServer.
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// How the manifest is written.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Format,
}

/// Writes the manifest; what has to be looked at goes to `errors`.
pub fn run(args: &Args, out: &mut dyn Write, errors: &mut dyn Write) -> Result<ExitCode, Failure> {
    let file = args.values.display().to_string();
    let values = values(args, &file)?;
    let migrated = from_helm_values(&values).map_err(|source| Failure::Values { file, source })?;
    let manifest = manifest_of(args, &json!(migrated.spec));
    out.write_all(manifest::write(std::slice::from_ref(&manifest), args.output).as_bytes())?;
    for path in &migrated.unknown {
        writeln!(errors, "warning: {path}: a TerdutServer has no place for this value")?;
    }
    let faults = Judge::default().faults(&manifest);
    for fault in &faults {
        let word = if fault.severity == Severity::Error { "error" } else { "warning" };
        writeln!(errors, "{word}: {}: {}", fault.field, fault.message)?;
    }
    let wrong = faults.iter().any(|fault| fault.severity == Severity::Error);
    let complete = migrated.unknown.is_empty() && !wrong;
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// An empty file has no values.
fn values(args: &Args, file: &str) -> Result<Value, Failure> {
    let documents = manifest::read(&files::text(&args.values)?);
    let fault = |source: InvalidManifest| Failure::Manifest { file: file.to_owned(), source };
    Ok(documents.map_err(fault)?.into_iter().next().unwrap_or_else(|| json!({})))
}

fn manifest_of(args: &Args, spec: &Value) -> Value {
    let mut metadata = json!({"name": args.name});
    if let Some(namespace) = &args.namespace {
        metadata["namespace"] = namespace.as_str().into();
    }
    json!({
        "apiVersion": API_VERSION,
        "kind": TerdutServer::KIND,
        "metadata": metadata,
        "spec": spec,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrated(values: &str) -> (ExitCode, Value, String) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), values).unwrap();
        let args = Args {
            values: file.path().to_owned(),
            name: "oncall".to_owned(),
            namespace: Some("ops".to_owned()),
            output: Format::Yaml,
        };
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let code = run(&args, &mut out, &mut errors).unwrap();
        let mut documents = manifest::read(&String::from_utf8(out).unwrap()).unwrap();
        (code, documents.remove(0), String::from_utf8(errors).unwrap())
    }

    const COMPLETE: &str = "
image: {tag: v1}
replicas: 2
networking: {listener: infra/web}
database: {dsn: 'postgres://terdut@db/terdut', passwordSecret: {name: db, key: pw}}
";

    #[test]
    fn complete_values_become_a_manifest() {
        let (code, manifest, errors) = migrated(COMPLETE);
        assert_eq!(manifest["metadata"], json!({"name": "oncall", "namespace": "ops"}));
        assert_eq!(manifest["spec"]["networking"]["gatewayListener"], "infra/web");
        assert_eq!(manifest["spec"]["database"]["passwordSecretRef"]["key"], "pw");
        assert_eq!(manifest["spec"]["replicas"], 2);
        assert!(errors.starts_with("warning: spec.networking.gatewayListener"), "{errors}");
        assert_eq!(code, ExitCode::SUCCESS);
    }

    #[test]
    fn what_has_no_place_is_never_dropped_in_silence() {
        let (code, _, errors) = migrated(&format!("{COMPLETE}ingress: {{enabled: true}}\n"));
        assert_eq!(code, ExitCode::from(1));
        assert!(errors.contains("warning: ingress"), "{errors}");
        let (code, _, errors) = migrated("{}");
        assert_eq!(code, ExitCode::from(1));
        assert!(errors.contains("error: spec.image.tag"), "{errors}");
    }
}
