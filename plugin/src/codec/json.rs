//! JSON: the other form of a `DynamicValue`, and the form of stored state.
//!
//! Stored state is read leniently: what the schema gained since is null, what it lost is dropped.
//! JSON cannot say unknown, so encoding one is an error.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::{CodecError, Reason, attribute, attributes};
use crate::number::Number;
use crate::path::Step;
use crate::ty::{MAX_DEPTH, Type};
use crate::value::{Value, normalize};

#[cfg(test)]
mod tests;

/// How strictly objects must fit their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every attribute and nothing else: for values on the wire.
    Strict,
    /// Missing attributes are null and extra ones dropped: for stored state.
    Lenient,
}

/// Decodes JSON bytes.
pub fn decode(bytes: &[u8], ty: &Type, mode: Mode) -> Result<Value, CodecError> {
    from_json(serde_json::from_slice(bytes).map_err(|_| Reason::Json)?, ty, mode)
}

/// Encodes to JSON bytes.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    Ok(to_json(value, ty)?.to_string().into_bytes())
}

/// Decodes JSON that is parsed already.
pub fn from_json(json: Json, ty: &Type, mode: Mode) -> Result<Value, CodecError> {
    read(json, ty, mode, MAX_DEPTH)
}

fn read(json: Json, ty: &Type, mode: Mode, depth: usize) -> Result<Value, CodecError> {
    let depth = depth.checked_sub(1).ok_or(Reason::Depth)?;
    match (ty, json) {
        (_, Json::Null) => Ok(Value::Null),
        (Type::Bool, json) => bool(&json).map(Value::Bool),
        (Type::Number, json) => number(&json).map(Value::Number),
        (Type::String, json) => string(json).map(Value::String),
        (Type::List(ty), Json::Array(json)) => elements(json, ty, mode, depth).map(Value::List),
        (Type::Set(ty), Json::Array(json)) => elements(json, ty, mode, depth).map(Value::set),
        (Type::Tuple(types), Json::Array(json)) => tuple(json, types, mode, depth),
        (Type::Map(ty), Json::Object(json)) => map(json, ty, mode, depth),
        (Type::Object(types), Json::Object(json)) => object(json, types, mode, depth),
        (Type::Dynamic, Json::Object(json)) => dynamic(json, mode, depth),
        (ty, json) => Err(wrong(ty.kind(), &json)),
    }
}

fn wrong(wanted: &'static str, json: &Json) -> CodecError {
    let found = match json {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "list",
        Json::Object(_) => "object",
    };
    Reason::Kind(wanted, found).into()
}

/// Primitives convert into each other as the language's own conversions do: state of an attribute
/// whose type was corrected stays readable.
fn bool(json: &Json) -> Result<bool, CodecError> {
    match json {
        Json::Bool(bool) => Ok(*bool),
        Json::String(text) if text == "true" || text == "1" => Ok(true),
        Json::String(text) if text == "false" || text == "0" => Ok(false),
        other => Err(wrong("bool", other)),
    }
}

fn number(json: &Json) -> Result<Number, CodecError> {
    let text = match json {
        Json::Number(number) => number.as_str(),
        Json::String(text) => text,
        other => return Err(wrong("number", other)),
    };
    text.parse().map_err(|_| Reason::Number.into())
}

fn string(json: Json) -> Result<String, CodecError> {
    match json {
        Json::String(text) => Ok(normalize(text)),
        Json::Bool(bool) => Ok(bool.to_string()),
        Json::Number(_) => number(&json).map(|number| number.to_string()),
        other => Err(wrong("string", &other)),
    }
}

fn elements(
    json: Vec<Json>,
    ty: &Type,
    mode: Mode,
    depth: usize,
) -> Result<Vec<Value>, CodecError> {
    let one = |(place, json)| {
        read(json, ty, mode, depth).map_err(|error| error.inside(Step::Index(place)))
    };
    json.into_iter().enumerate().map(one).collect()
}

fn tuple(json: Vec<Json>, types: &[Type], mode: Mode, depth: usize) -> Result<Value, CodecError> {
    if json.len() != types.len() {
        return Err(Reason::Length.into());
    }
    let one = |(place, (json, ty))| {
        read(json, ty, mode, depth).map_err(|error| error.inside(Step::Index(place)))
    };
    let elements = json.into_iter().zip(types).enumerate().map(one).collect::<Result<_, _>>()?;
    Ok(Value::Tuple(elements))
}

fn map(json: Map<String, Json>, ty: &Type, mode: Mode, depth: usize) -> Result<Value, CodecError> {
    let one = |(key, json)| match read(json, ty, mode, depth) {
        Ok(value) => Ok((normalize(key), value)),
        Err(error) => Err(error.inside(Step::Key(key))),
    };
    json.into_iter().map(one).collect::<Result<_, _>>().map(Value::Map)
}

fn object(
    mut json: Map<String, Json>,
    types: &BTreeMap<String, Type>,
    mode: Mode,
    depth: usize,
) -> Result<Value, CodecError> {
    let mut members = BTreeMap::new();
    for (name, ty) in types {
        let value = match json.remove(name) {
            Some(json) => {
                read(json, ty, mode, depth).map_err(|error| error.inside(attribute(name)))?
            }
            None if mode == Mode::Lenient => Value::Null,
            None => return Err(CodecError::from(Reason::Missing).inside(attribute(name))),
        };
        members.insert(name.clone(), value);
    }
    match json.keys().next() {
        Some(name) if mode == Mode::Strict => {
            Err(CodecError::from(Reason::Extra).inside(attribute(name)))
        }
        _ => Ok(Value::Object(members)),
    }
}

/// `{"type": …, "value": …}`.
fn dynamic(mut json: Map<String, Json>, mode: Mode, depth: usize) -> Result<Value, CodecError> {
    let ty = json.remove("type").ok_or(Reason::DynamicType)?;
    let ty = Type::from_json(&ty).map_err(|_| Reason::DynamicType)?;
    let value = read(json.remove("value").unwrap_or_default(), &ty, mode, depth)?;
    Ok(Value::Dynamic(Box::new((ty, value))))
}

/// The value as JSON; it must be wholly known and of the type exactly.
pub fn to_json(value: &Value, ty: &Type) -> Result<Json, CodecError> {
    match (value, ty) {
        (Value::Null, _) => Ok(Json::Null),
        (Value::Unknown(_), _) => Err(Reason::Unknown.into()),
        (Value::Bool(bool), Type::Bool) => Ok(Json::Bool(*bool)),
        (Value::Number(number), Type::Number) => {
            let text = number.to_string();
            Ok(Json::Number(serde_json::Number::from_string_unchecked(text)))
        }
        (Value::String(text), Type::String) => Ok(Json::String(normalize(text.clone()))),
        (Value::List(elements), Type::List(ty)) | (Value::Set(elements), Type::Set(ty)) => {
            each(elements.iter().map(|element| (element, &**ty)))
        }
        (Value::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            each(elements.iter().zip(types))
        }
        (Value::Tuple(_), Type::Tuple(_)) => Err(Reason::Length.into()),
        (Value::Map(members), Type::Map(ty)) => {
            let one = |(key, value): (&String, _)| match to_json(value, ty) {
                Ok(json) => Ok((normalize(key.clone()), json)),
                Err(error) => Err(error.inside(Step::Key(key.clone()))),
            };
            members.iter().map(one).collect::<Result<_, _>>().map(Json::Object)
        }
        (Value::Object(members), Type::Object(types)) => object_to_json(members, types),
        (Value::Dynamic(inner), Type::Dynamic) => {
            let value = to_json(&inner.1, &inner.0)?;
            Ok(serde_json::json!({"type": inner.0.to_json(), "value": value}))
        }
        _ => Err(Reason::Kind(ty.kind(), value.kind()).into()),
    }
}

fn each<'v>(elements: impl Iterator<Item = (&'v Value, &'v Type)>) -> Result<Json, CodecError> {
    let one = |(place, (element, ty))| {
        to_json(element, ty).map_err(|error| error.inside(Step::Index(place)))
    };
    elements.enumerate().map(one).collect::<Result<_, _>>().map(Json::Array)
}

fn object_to_json(
    members: &BTreeMap<String, Value>,
    types: &BTreeMap<String, Type>,
) -> Result<Json, CodecError> {
    let one = |(name, value, ty): (&String, &Value, &Type)| match to_json(value, ty) {
        Ok(json) => Ok((name.clone(), json)),
        Err(error) => Err(error.inside(attribute(name))),
    };
    attributes(members, types)?.map(one).collect::<Result<_, _>>().map(Json::Object)
}
