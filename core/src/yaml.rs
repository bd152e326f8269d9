//! JSON values as YAML.
//!
//! Whoever shows Kubernetes objects to people calls it.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

/// Several documents, between `---`.
pub fn documents<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    values.into_iter().map(document).collect::<Vec<_>>().join("---\n")
}

/// One document. Values of JSON always have a form in YAML.
pub fn document(value: &Value) -> String {
    let mut text = serde_saphyr::to_string(&Plain(value)).unwrap_or_default();
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
