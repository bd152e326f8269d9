//! JSON forms of values: configurations of the suites and the state file.
//!
//! A configuration may hold `{"$unknown": true}` (or with `not_null` and `prefix` instead of
//! `true`) where Terraform would not know a value yet, and may leave out attributes, which are
//! null then. A state holds neither.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::{Value as Json, json};

use super::types::Type;
use super::value::{Number, Path, Refinement, Value};

const UNKNOWN: &str = "$unknown";

/// Reads a configuration written in a suite.
pub fn config_from_json(json: &Json, ty: &Type) -> Result<Value, String> {
    Reader { lenient: true }.read(json, ty, &Path::root())
}

/// Reads a value of a state file: every attribute is there and nothing is unknown.
pub fn state_from_json(json: &Json, ty: &Type) -> Result<Value, String> {
    Reader { lenient: false }.read(json, ty, &Path::root())
}

struct Reader {
    lenient: bool,
}

impl Reader {
    fn read(&self, json: &Json, ty: &Type, path: &Path) -> Result<Value, String> {
        if self.lenient
            && let Some(marker) = json.get(UNKNOWN)
        {
            return Ok(Value::Unknown(refinement(marker)));
        }
        match (json, ty) {
            (Json::Null, _) => Ok(Value::Null),
            (_, Type::Dynamic) => self.dynamic(json, path),
            (Json::Bool(value), Type::Bool) => Ok(Value::Bool(*value)),
            (Json::String(text), Type::String) => Ok(Value::String(text.clone())),
            (Json::Number(number), Type::Number) => Number::from_str(&number.to_string())
                .map(Value::Number)
                .map_err(|error| format!("{path}: {error}")),
            (Json::Array(parts), Type::List(inner)) => self.all(parts, inner, path).map(Value::Seq),
            (Json::Array(parts), Type::Set(inner)) => self.all(parts, inner, path).map(Value::set),
            (Json::Array(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let read = |(index, (part, ty))| self.read(part, ty, &path.index(index));
                parts
                    .iter()
                    .zip(types)
                    .enumerate()
                    .map(read)
                    .collect::<Result<_, _>>()
                    .map(Value::Seq)
            }
            (Json::Object(entries), Type::Map(inner)) => entries
                .iter()
                .map(|(key, entry)| {
                    Ok((key.clone(), self.read(entry, inner, &path.attribute(key))?))
                })
                .collect::<Result<_, _>>()
                .map(Value::Keyed),
            (Json::Object(entries), Type::Object(types)) => self.object(entries, types, path),
            (json, ty) => Err(format!("{path}: {json} is not of the type {}", ty.to_json())),
        }
    }

    fn all(&self, parts: &[Json], inner: &Type, path: &Path) -> Result<Vec<Value>, String> {
        let read = |(index, part)| self.read(part, inner, &path.index(index));
        parts.iter().enumerate().map(read).collect()
    }

    fn object(
        &self,
        entries: &serde_json::Map<String, Json>,
        types: &BTreeMap<String, Type>,
        path: &Path,
    ) -> Result<Value, String> {
        if let Some(name) = entries.keys().find(|name| !types.contains_key(*name)) {
            return Err(format!("{path}: unsupported attribute {name:?}"));
        }
        let mut values = BTreeMap::new();
        for (name, ty) in types {
            let value = match entries.get(name) {
                Some(json) => self.read(json, ty, &path.attribute(name))?,
                None if self.lenient => Value::Null,
                None => return Err(format!("{path}: attribute {name:?} is missing")),
            };
            values.insert(name.clone(), value);
        }
        Ok(Value::Keyed(values))
    }

    fn dynamic(&self, json: &Json, path: &Path) -> Result<Value, String> {
        let ty = json.get("type").ok_or_else(|| format!("{path}: a dynamic value has no type"))?;
        let ty = Type::from_json(ty).map_err(|error| format!("{path}: {error}"))?;
        let inner = self.read(json.get("value").unwrap_or(&Json::Null), &ty, path)?;
        Ok(Value::Typed(ty, Box::new(inner)))
    }
}

fn refinement(marker: &Json) -> Refinement {
    Refinement {
        null: marker.get("not_null").and_then(Json::as_bool).map(|not_null| !not_null),
        prefix: marker.get("prefix").and_then(Json::as_str).map(str::to_owned),
        ..Refinement::default()
    }
}

/// Writes a value; unknown parts become the marker.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Unknown(_) => json!({ UNKNOWN: true }),
        Value::Bool(value) => json!(value),
        Value::Number(number) => number_to_json(number),
        Value::String(text) => json!(text),
        Value::Seq(elements) | Value::Set(elements) => elements.iter().map(to_json).collect(),
        Value::Keyed(entries) => {
            entries.iter().map(|(name, entry)| (name.clone(), to_json(entry))).collect()
        }
        Value::Typed(ty, inner) => json!({ "type": ty.to_json(), "value": to_json(inner) }),
    }
}

fn number_to_json(number: &Number) -> Json {
    let text = number.normalized().to_plain_string();
    serde_json::Number::from_str(&text).map_or_else(|_| json!(text), Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty() -> Type {
        Type::from_json(&json!(["object", {
            "a": "string", "n": "number", "l": ["list", "string"], "d": "dynamic"
        }]))
        .unwrap()
    }

    #[test]
    fn a_configuration_may_leave_out_attributes_and_hold_unknowns() {
        let value = config_from_json(&json!({ "a": { "$unknown": true } }), &ty()).unwrap();
        assert_eq!(value.get("a"), Value::unknown());
        assert_eq!(value.get("l"), Value::Null);
    }

    #[test]
    fn a_refined_marker_keeps_its_prefix() {
        let json = json!({ "a": { "$unknown": { "not_null": true, "prefix": "x" } } });
        let Value::Unknown(refinement) = config_from_json(&json, &ty()).unwrap().get("a") else {
            panic!("known");
        };
        assert_eq!((refinement.null, refinement.prefix.as_deref()), (Some(false), Some("x")));
    }

    #[test]
    fn a_state_must_be_complete() {
        assert!(state_from_json(&json!({ "a": "x" }), &ty()).unwrap_err().contains("missing"));
    }

    #[test]
    fn a_big_number_survives() {
        let text = r#"{"a":"x","d":{"type":"bool","value":true},"l":["y"],"n":123456789012345678901234567890}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(to_json(&state_from_json(&json, &ty()).unwrap()).to_string(), text);
    }

    #[test]
    fn a_wrong_kind_is_named_with_its_path() {
        let error = config_from_json(&json!({ "l": ["x", 3] }), &ty()).unwrap_err();
        assert!(error.starts_with("l[1]:"), "{error}");
    }
}
