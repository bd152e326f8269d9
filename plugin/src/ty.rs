//! Terraform's types and their JSON form.
//!
//! Schemas, function signatures and dynamic values carry a type as JSON (`"string"`,
//! `["list","string"]`, `["object",{"a":"bool"}]`); the codecs and the engine walk [`Type`]. A type
//! never holds a value, and it knows nothing of required, optional or computed.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

/// The deepest type or value that is accepted from outside.
pub const MAX_DEPTH: usize = 100;

/// A Terraform type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    String,
    /// Any type; the value brings its own.
    Dynamic,
    /// `list(T)`.
    List(Box<Type>),
    /// `set(T)`.
    Set(Box<Type>),
    /// `map(T)`.
    Map(Box<Type>),
    /// `object({name = T, …})`.
    Object(BTreeMap<String, Type>),
    /// `tuple([T, …])`.
    Tuple(Vec<Type>),
}

/// A type's JSON form that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TypeError {
    /// Not JSON at all.
    #[error("the type is not valid JSON")]
    Json(#[source] serde_json::Error),
    /// JSON, but not a type.
    #[error("{0} is not a type")]
    Unknown(String),
    /// Nested more than [`MAX_DEPTH`] deep.
    #[error("the type is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
}

impl Type {
    /// `list(element)`.
    pub fn list(element: Type) -> Self {
        Type::List(Box::new(element))
    }

    /// `set(element)`.
    pub fn set(element: Type) -> Self {
        Type::Set(Box::new(element))
    }

    /// `map(element)`.
    pub fn map(element: Type) -> Self {
        Type::Map(Box::new(element))
    }

    /// An object of these attributes.
    pub fn object<N: Into<String>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Type::Object(attributes.into_iter().map(|(name, ty)| (name.into(), ty)).collect())
    }

    /// The JSON form as bytes, as schemas carry it.
    pub fn to_json_bytes(&self) -> Vec<u8> {
        self.to_json().to_string().into_bytes()
    }

    /// The JSON form.
    pub fn to_json(&self) -> Json {
        let of = |kind: &str, inner: Json| Json::Array(vec![kind.into(), inner]);
        match self {
            Type::Bool => "bool".into(),
            Type::Number => "number".into(),
            Type::String => "string".into(),
            Type::Dynamic => "dynamic".into(),
            Type::List(element) => of("list", element.to_json()),
            Type::Set(element) => of("set", element.to_json()),
            Type::Map(element) => of("map", element.to_json()),
            Type::Tuple(elements) => of("tuple", elements.iter().map(Type::to_json).collect()),
            Type::Object(attributes) => {
                let members = attributes.iter().map(|(name, ty)| (name.clone(), ty.to_json()));
                of("object", Json::Object(members.collect()))
            }
        }
    }

    /// Reads the JSON form.
    pub fn from_json_bytes(json: &[u8]) -> Result<Self, TypeError> {
        Self::from_json(&serde_json::from_slice(json).map_err(TypeError::Json)?)
    }

    /// Reads the JSON form.
    pub fn from_json(json: &Json) -> Result<Self, TypeError> {
        read(json, MAX_DEPTH)
    }

    /// The attributes, if this is an object type.
    pub fn attributes(&self) -> Option<&BTreeMap<String, Type>> {
        match self {
            Type::Object(attributes) => Some(attributes),
            _ => None,
        }
    }

    /// Whether `dynamic` occurs anywhere.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::Bool | Type::Number | Type::String => false,
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => inner.has_dynamic(),
            Type::Object(attributes) => attributes.values().any(Type::has_dynamic),
            Type::Tuple(elements) => elements.iter().any(Type::has_dynamic),
        }
    }

    /// The word Terraform uses for this kind of type.
    pub fn kind(&self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Number => "number",
            Type::String => "string",
            Type::Dynamic => "dynamic",
            Type::List(_) => "list",
            Type::Set(_) => "set",
            Type::Map(_) => "map",
            Type::Object(_) => "object",
            Type::Tuple(_) => "tuple",
        }
    }
}

/// The type in the configuration language: `list(string)`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool | Type::Number | Type::String | Type::Dynamic => f.write_str(self.kind()),
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => {
                write!(f, "{}({inner})", self.kind())
            }
            Type::Object(attributes) => {
                f.write_str("object({")?;
                for (place, (name, ty)) in attributes.iter().enumerate() {
                    write!(f, "{}{name}={ty}", if place == 0 { "" } else { "," })?;
                }
                f.write_str("})")
            }
            Type::Tuple(elements) => {
                f.write_str("tuple([")?;
                for (place, ty) in elements.iter().enumerate() {
                    write!(f, "{}{ty}", if place == 0 { "" } else { "," })?;
                }
                f.write_str("])")
            }
        }
    }
}

fn read(json: &Json, depth: usize) -> Result<Type, TypeError> {
    let depth = depth.checked_sub(1).ok_or(TypeError::TooDeep)?;
    match json {
        Json::String(word) => primitive(word),
        Json::Array(parts) => match parts.as_slice() {
            [Json::String(kind), inner] => compound(kind, inner, depth),
            // The third part names optional attributes: a matter of conversion, not of values.
            [Json::String(kind), inner @ Json::Object(_), Json::Array(_)] if kind == "object" => {
                compound(kind, inner, depth)
            }
            _ => Err(TypeError::Unknown(json.to_string())),
        },
        _ => Err(TypeError::Unknown(json.to_string())),
    }
}

fn primitive(word: &str) -> Result<Type, TypeError> {
    match word {
        "bool" => Ok(Type::Bool),
        "number" => Ok(Type::Number),
        "string" => Ok(Type::String),
        "dynamic" => Ok(Type::Dynamic),
        _ => Err(TypeError::Unknown(format!("{word:?}"))),
    }
}

fn compound(kind: &str, inner: &Json, depth: usize) -> Result<Type, TypeError> {
    match (kind, inner) {
        ("list", _) => Ok(Type::list(read(inner, depth)?)),
        ("set", _) => Ok(Type::set(read(inner, depth)?)),
        ("map", _) => Ok(Type::map(read(inner, depth)?)),
        ("tuple", Json::Array(elements)) => {
            elements.iter().map(|ty| read(ty, depth)).collect::<Result<_, _>>().map(Type::Tuple)
        }
        // A host in Go may write an empty list as null.
        ("tuple", Json::Null) => Ok(Type::Tuple(Vec::new())),
        ("object", Json::Object(attributes)) => attributes
            .iter()
            .map(|(name, ty)| Ok((name.clone(), read(ty, depth)?)))
            .collect::<Result<_, _>>()
            .map(Type::Object),
        _ => Err(TypeError::Unknown(format!("{kind:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, display: &str) {
        let ty = Type::from_json_bytes(json.as_bytes()).unwrap();
        assert_eq!(ty.to_json().to_string(), json);
        assert_eq!(ty.to_string(), display);
    }

    #[test]
    fn every_kind_of_type_keeps_its_json_form() {
        check(r#""bool""#, "bool");
        check(r#""number""#, "number");
        check(r#""dynamic""#, "dynamic");
        check(r#"["list","string"]"#, "list(string)");
        check(r#"["set",["map","bool"]]"#, "set(map(bool))");
        check(r#"["tuple",["string","number"]]"#, "tuple([string,number])");
        check(
            r#"["object",{"a":"bool","b":["list","string"]}]"#,
            "object({a=bool,b=list(string)})",
        );
    }

    #[test]
    fn optional_attributes_are_read_and_forgotten() {
        let ty = Type::from_json_bytes(br#"["object",{"a":"bool"},["a"]]"#).unwrap();
        assert_eq!(ty, Type::object([("a", Type::Bool)]));
    }

    #[test]
    fn a_tuple_without_elements_may_be_null() {
        let ty = Type::from_json_bytes(br#"["tuple",null]"#).unwrap();
        assert_eq!(ty, Type::Tuple(Vec::new()));
    }

    #[test]
    fn what_is_not_a_type_is_refused() {
        for json in ["", "1", r#""str""#, r#"["list"]"#, r#"["tuple","bool"]"#, r#"["x","bool"]"#] {
            assert!(Type::from_json_bytes(json.as_bytes()).is_err(), "{json}");
        }
        let deep = format!("{}\"bool\"{}", "[\"list\",".repeat(110), "]".repeat(110));
        assert!(Type::from_json_bytes(deep.as_bytes()).is_err());
    }
}
