//! Terraform's types and their JSON notation, as schemas and dynamic values carry them.
//!
//! Used by the codec and the schema reader. Knows no values.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

/// A type of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Text.
    String,
    /// A number of any size.
    Number,
    /// True or false.
    Bool,
    /// A value that brings its own type.
    Dynamic,
    /// Ordered elements of one type.
    List(Box<Type>),
    /// Elements of one type without order.
    Set(Box<Type>),
    /// Elements of one type by key.
    Map(Box<Type>),
    /// Named attributes.
    Object(BTreeMap<String, Type>),
    /// Ordered elements, each of its own type.
    Tuple(Vec<Type>),
}

impl Type {
    /// Reads the JSON notation, `"string"` or `["list", "string"]`.
    pub fn from_json_bytes(bytes: &[u8]) -> Result<Self, String> {
        let json: Json =
            serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))?;
        Self::from_json(&json)
    }

    /// Reads the JSON notation from a parsed value.
    pub fn from_json(json: &Json) -> Result<Self, String> {
        match json {
            Json::String(word) => Self::from_word(word),
            Json::Array(parts) if parts.len() >= 2 => Self::from_parts(parts),
            other => Err(format!("{other} is no type")),
        }
    }

    fn from_word(word: &str) -> Result<Self, String> {
        match word {
            "string" => Ok(Self::String),
            "number" => Ok(Self::Number),
            "bool" => Ok(Self::Bool),
            "dynamic" => Ok(Self::Dynamic),
            other => Err(format!("{other:?} is no type")),
        }
    }

    fn from_parts(parts: &[Json]) -> Result<Self, String> {
        let inner = || Self::from_json(&parts[1]).map(Box::new);
        match parts[0].as_str() {
            Some("list") => Ok(Self::List(inner()?)),
            Some("set") => Ok(Self::Set(inner()?)),
            Some("map") => Ok(Self::Map(inner()?)),
            Some("object") => Self::object_from_json(&parts[1]),
            Some("tuple") => parts[1]
                .as_array()
                .ok_or("a tuple needs an array of types")?
                .iter()
                .map(Self::from_json)
                .collect::<Result<_, _>>()
                .map(Self::Tuple),
            _ => Err(format!("{} is no kind of type", parts[0])),
        }
    }

    fn object_from_json(json: &Json) -> Result<Self, String> {
        json.as_object()
            .ok_or("an object type needs an object of types")?
            .iter()
            .map(|(name, ty)| Ok((name.clone(), Self::from_json(ty)?)))
            .collect::<Result<_, String>>()
            .map(Self::Object)
    }

    /// The JSON notation.
    pub fn to_json(&self) -> Json {
        match self {
            Self::String => json!("string"),
            Self::Number => json!("number"),
            Self::Bool => json!("bool"),
            Self::Dynamic => json!("dynamic"),
            Self::List(inner) => json!(["list", inner.to_json()]),
            Self::Set(inner) => json!(["set", inner.to_json()]),
            Self::Map(inner) => json!(["map", inner.to_json()]),
            Self::Object(attributes) => {
                let attributes: serde_json::Map<_, _> =
                    attributes.iter().map(|(name, ty)| (name.clone(), ty.to_json())).collect();
                json!(["object", attributes])
            }
            Self::Tuple(parts) => {
                json!(["tuple", parts.iter().map(Self::to_json).collect::<Vec<_>>()])
            }
        }
    }

    /// Whether a dynamic part is anywhere inside.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Self::Dynamic => true,
            Self::String | Self::Number | Self::Bool => false,
            Self::List(inner) | Self::Set(inner) | Self::Map(inner) => inner.has_dynamic(),
            Self::Object(attributes) => attributes.values().any(Self::has_dynamic),
            Self::Tuple(parts) => parts.iter().any(Self::has_dynamic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_reads_back() {
        for text in [
            r#""string""#,
            r#""dynamic""#,
            r#"["list","number"]"#,
            r#"["set",["map","bool"]]"#,
            r#"["object",{"a":"string","b":["list","bool"]}]"#,
            r#"["tuple",["string",["set","number"]]]"#,
        ] {
            let ty = Type::from_json_bytes(text.as_bytes()).unwrap();
            assert_eq!(ty.to_json().to_string(), text);
        }
    }

    #[test]
    fn an_unknown_word_is_refused() {
        for text in [r#""text""#, r#"["list"]"#, r#"["bag","string"]"#, "3", "x"] {
            assert!(Type::from_json_bytes(text.as_bytes()).is_err(), "{text}");
        }
    }
}
