//! `terdut-bridge check`: what is wrong with manifests, without a cluster.
//!
//! Each object by itself as an API server and core judge it, then what the objects of all files say
//! about each other. Objects of other kinds are left alone, but for namespaces: their labels tell
//! whether a server may be used.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args as ClapArgs;
use serde::Serialize;
use serde_json::json;

use super::files::{self, Document, Failure};
use crate::crd::judge::{Fault, Judge, Severity};

mod references;

#[cfg(test)]
mod tests;

/// What `--help` adds.
pub const HELP: &str = "\
Examples:
  Check a file and a folder, together:
      terdut-bridge check -f server.yaml -f teams/
  Check what a template tool makes:
      kustomize build . | terdut-bridge check -f -
  For a pipeline:
      terdut-bridge check -f manifests/ --output json | jq '.findings[]'

A reference to an object that is in none of the files is a warning. Whether a server may be used by
label is judged where the Namespace is among the files, too.

Exit codes: 0 nothing has to be changed (there may be warnings), 1 something has to be changed,
2 a file cannot be read or an argument cannot be used.";

/// Arguments.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// A file, a folder of files, or - for the standard input. May be given more than once.
    #[arg(short, long = "filename", value_name = "FILE", required = true)]
    pub filename: Vec<PathBuf>,
    /// The namespace of objects that name none.
    #[arg(short, long, default_value = "default")]
    pub namespace: String,
    /// How the findings are written.
    #[arg(short, long, value_enum, default_value_t)]
    pub output: Output,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Output {
    /// A line each.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// A fault of one of the objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finding {
    file: String,
    object: String,
    #[serde(flatten)]
    fault: Fault,
}

/// Checks the files and writes what was found.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let documents = files::read(&args.filename)?;
    let ours: Vec<_> = documents.iter().filter(|one| Judge::concerns(&one.object)).collect();
    let findings = findings(&documents, &args.namespace);
    let errors = findings.iter().filter(|one| one.fault.severity == Severity::Error).count();
    match args.output {
        Output::Json => {
            let answer = json!({"valid": errors == 0, "objects": ours.len(), "findings": findings});
            writeln!(out, "{answer:#}")?;
        }
        Output::Text => {
            for finding in &findings {
                writeln!(out, "{finding}")?;
            }
            let warnings = findings.len() - errors;
            let objects = ours.len();
            writeln!(out, "objects: {objects}, errors: {errors}, warnings: {warnings}")?;
        }
    }
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn findings(documents: &[Document], namespace: &str) -> Vec<Finding> {
    let judge = Judge::default();
    let mut found = Vec::new();
    let related = references::faults(documents, namespace);
    for (document, related) in documents.iter().zip(related) {
        if Judge::concerns(&document.object) {
            let alone = judge.faults(&document.object);
            let faults = alone.into_iter().chain(related);
            found.extend(faults.map(|fault| finding(document, namespace, fault)));
        }
    }
    found
}

fn finding(document: &Document, namespace: &str, fault: Fault) -> Finding {
    let object = references::Key::of(&document.object, namespace).to_string();
    Finding { file: document.file.clone(), object, fault }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self.fault.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(formatter, "{}: {word}: {}", self.file, self.object)?;
        if !self.fault.field.is_empty() {
            write!(formatter, " {}", self.fault.field)?;
        }
        write!(formatter, ": {}", self.fault.message)
    }
}
