//! Manifests as text: YAML or JSON, one document or several.
//!
//! The subcommands read what a person has in files and write what a person applies. Documents are
//! JSON values on both sides; nothing here knows a kind.

use serde_json::Value;
use terdut_core::yaml;

/// A text that holds no manifests.
#[derive(Debug, thiserror::Error)]
pub enum InvalidManifest {
    /// Neither YAML nor JSON.
    #[error("it is neither YAML nor JSON")]
    Syntax(#[source] Box<serde_saphyr::Error>),
    /// A document that is no object.
    #[error("document {number} is no object")]
    NoObject {
        /// Which one, counted from 1.
        number: usize,
    },
}

/// How documents are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// YAML, documents between `---`.
    #[default]
    Yaml,
    /// JSON: a List where there are several.
    Json,
}

/// The documents of a text; empty ones are left out, Lists are taken apart.
pub fn read(text: &str) -> Result<Vec<Value>, InvalidManifest> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text)
        .map_err(|fault| InvalidManifest::Syntax(Box::new(fault)))?;
    let mut found = Vec::new();
    for (position, document) in documents.into_iter().enumerate() {
        match document {
            Value::Null => {}
            Value::Object(mut object) if object.get("kind").is_some_and(|kind| kind == "List") => {
                let items = object.remove("items").unwrap_or_default();
                found.extend(items.as_array().cloned().unwrap_or_default());
            }
            document @ Value::Object(_) => found.push(document),
            _ => return Err(InvalidManifest::NoObject { number: position + 1 }),
        }
    }
    Ok(found)
}

/// The documents as a text that ends with a line break.
pub fn write(documents: &[Value], format: Format) -> String {
    match (format, documents) {
        (Format::Json, [one]) => format!("{one:#}\n"),
        (Format::Json, several) => {
            let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": several});
            format!("{list:#}\n")
        }
        (Format::Yaml, documents) => yaml::documents(documents),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let documents = vec![
            json!({"kind": "A", "n": 5, "f": 1.5, "none": null, "yes": "yes", "empty": "", "list": []}),
            json!({"kind": "Words", "words": ["n", "Off", "1e3", "0x1f", "null", "~", "5m", "1_0", " x "]}),
            json!({"kind": "B", "text": "a: b # c\n\"d\"", "deep": [{"x": {"y": [1, "2"]}}]}),
        ];
        for format in [Format::Yaml, Format::Json] {
            assert_eq!(read(&write(&documents, format)).unwrap(), documents, "{format:?}");
        }
    }

    #[test]
    fn what_is_no_manifest_is_named() {
        assert!(matches!(read("a: [").unwrap_err(), InvalidManifest::Syntax(_)));
        assert!(matches!(
            read("a: 1\n---\n- b\n").unwrap_err(),
            InvalidManifest::NoObject { number: 2 }
        ));
        assert_eq!(read("---\n# nothing\n---\n").unwrap(), Vec::<Value>::new());
    }
}
