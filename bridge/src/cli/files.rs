//! The manifests in files that a person names.
//!
//! Read by the subcommands that need no cluster. `-` is the standard input; a folder means the
//! YAML and JSON files in it, not those below it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::manifest::{self, InvalidManifest};

/// A document and where it is from.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file, as it was named.
    pub file: String,
    /// The object.
    pub object: Value,
}

/// What keeps a subcommand from doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file or a folder cannot be read.
    #[error("{file} cannot be read")]
    Read {
        /// Which one.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file holds no manifests.
    #[error("{file} holds no manifests")]
    Manifest {
        /// Which one.
        file: String,
        /// Why.
        source: InvalidManifest,
    },
    /// The values of a chart are none.
    #[error("{file} holds no values of the server's chart")]
    Values {
        /// Which one.
        file: String,
        /// Why.
        source: terdut_core::model::install::InvalidValues,
    },
    /// A server cannot be read.
    #[error("{0}")]
    Export(String),
    /// Nothing can be written.
    #[error("the answer cannot be written")]
    Write(#[from] std::io::Error),
}

/// All documents, in the order of the files and within them.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Document>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        for file in files(path)? {
            let name = file.display().to_string();
            let source = |source| Failure::Manifest { file: name.clone(), source };
            let objects = manifest::read(&text(&file)?).map_err(source)?;
            found.extend(objects.into_iter().map(|object| Document { file: name.clone(), object }));
        }
    }
    Ok(found)
}

/// The text of one file, or of the standard input.
pub fn text(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    read.map_err(|source| unreadable(file, source))
}

fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let fault = |source| unreadable(path, source);
    let entries = std::fs::read_dir(path).map_err(fault)?;
    let mut files = Vec::new();
    for entry in entries {
        let file = entry.map_err(fault)?.path();
        let kind = file.extension().and_then(std::ffi::OsStr::to_str);
        if matches!(kind, Some("yaml" | "yml" | "json")) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(file: &Path, source: std::io::Error) -> Failure {
    Failure::Read { file: file.display().to_string(), source }
}
