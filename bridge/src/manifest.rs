//! Manifests as text: YAML or JSON, one document or several.
//!
//! The subcommands read what a person has in files and write what a person applies. Documents are
//! JSON values on both sides; nothing here knows a kind.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

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
        (Format::Yaml, documents) => documents.iter().map(yaml).collect::<Vec<_>>().join("---\n"),
    }
}

/// One document. Values of JSON always have a form in YAML.
pub fn yaml(document: &Value) -> String {
    let mut text = serde_saphyr::to_string(&Plain(document)).unwrap_or_default();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A JSON value whose numbers every serializer understands: `serde_json`'s own, of any size, are
/// written in a form that only `serde_json` reads.
struct Plain<'v>(&'v Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => serialize_number(number, serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Plain(item))?;
                }
                list.end()
            }
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &Plain(value))?;
                }
                map.end()
            }
        }
    }
}

fn serialize_number<S: Serializer>(number: &Number, serializer: S) -> Result<S::Ok, S::Error> {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => serializer.serialize_i64(whole),
        (None, Some(fraction)) => serializer.serialize_f64(fraction),
        (None, None) => serializer.serialize_str(&number.to_string()),
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
