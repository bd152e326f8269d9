//! The `MessagePack` form of values, written and read by type as the wire format demands.
//!
//! Reading is strict: an object with a missing or a foreign attribute, a text that is not in
//! Unicode's composed form or a kind other than the schema's is an error that names its path.

use std::collections::BTreeMap;
use std::str::FromStr;

use bigdecimal::ToPrimitive;
use bigdecimal::num_bigint::BigInt;
use rmpv::Value as Pack;
use unicode_normalization::is_nfc;

use super::types::Type;
use super::value::{Number, Path, Refinement, Value};

const UNKNOWN: i8 = 0;
const REFINED_UNKNOWN: i8 = 12;

/// Writes a value of a type.
pub(in crate::host) fn encode(value: &Value, ty: &Type) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, &pack(value, ty));
    bytes
}

fn write(bytes: &mut Vec<u8>, pack: &Pack) {
    rmpv::encode::write_value(bytes, pack).expect("writing to memory does not fail");
}

fn pack(value: &Value, ty: &Type) -> Pack {
    match (value, ty) {
        (Value::Null, _) => Pack::Nil,
        (Value::Unknown(refinement), _) => pack_unknown(refinement),
        (Value::Typed(inner_ty, inner), Type::Dynamic) => Pack::Array(vec![
            Pack::Binary(inner_ty.to_json().to_string().into_bytes()),
            pack(inner, inner_ty),
        ]),
        (Value::Bool(value), Type::Bool) => Pack::Boolean(*value),
        (Value::String(text), Type::String) => Pack::from(text.as_str()),
        (Value::Number(number), Type::Number) => pack_number(number),
        (Value::Seq(elements), Type::List(inner)) | (Value::Set(elements), Type::Set(inner)) => {
            Pack::Array(elements.iter().map(|element| pack(element, inner)).collect())
        }
        (Value::Seq(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            Pack::Array(elements.iter().zip(types).map(|(part, ty)| pack(part, ty)).collect())
        }
        (Value::Keyed(entries), Type::Map(inner)) => {
            pack_keyed(entries.iter().map(|(key, entry)| (key, pack(entry, inner))))
        }
        (Value::Keyed(entries), Type::Object(types)) => pack_keyed(
            types.iter().map(|(key, ty)| (key, pack(entries.get(key).unwrap_or(&Value::Null), ty))),
        ),
        (value, ty) => panic!("the host was given {value:?} for the type {}", ty.to_json()),
    }
}

fn pack_keyed<'a>(entries: impl Iterator<Item = (&'a String, Pack)>) -> Pack {
    Pack::Map(entries.map(|(key, entry)| (Pack::from(key.as_str()), entry)).collect())
}

/// Whole numbers that fit are integers, exact doubles are doubles, all else is a decimal text.
fn pack_number(number: &Number) -> Pack {
    if number.is_integer() {
        if let Some(whole) = number.to_i64() {
            return Pack::from(whole);
        }
    } else if let Some(double) = number.to_f64()
        && exact(double).is_some_and(|back| back == *number)
    {
        return Pack::from(double);
    }
    Pack::from(number.to_plain_string())
}

fn pack_unknown(refinement: &Refinement) -> Pack {
    let mut facts: Vec<(Pack, Pack)> = Vec::new();
    let mut fact = |code: i64, pack: Pack| facts.push((Pack::from(code), pack));
    if let Some(null) = refinement.null {
        fact(1, Pack::Boolean(null));
    }
    if let Some(prefix) = &refinement.prefix {
        fact(2, Pack::from(prefix.as_str()));
    }
    for (code, bound) in [(3, &refinement.lower), (4, &refinement.upper)] {
        if let Some((number, included)) = bound {
            fact(code, Pack::Array(vec![pack_number(number), Pack::Boolean(*included)]));
        }
    }
    for (code, length) in [(5, refinement.min_length), (6, refinement.max_length)] {
        if let Some(length) = length {
            fact(code, Pack::from(length));
        }
    }
    if facts.is_empty() {
        return Pack::Ext(UNKNOWN, vec![0]);
    }
    let mut body = Vec::new();
    write(&mut body, &Pack::Map(facts));
    Pack::Ext(REFINED_UNKNOWN, body)
}

/// Reads a value of a type; the error names the path.
pub(in crate::host) fn decode(bytes: &[u8], ty: &Type) -> Result<Value, String> {
    let mut rest = bytes;
    let pack =
        rmpv::decode::read_value(&mut rest).map_err(|error| format!("not MessagePack: {error}"))?;
    if !rest.is_empty() {
        return Err(format!("{} bytes follow the value", rest.len()));
    }
    unpack(&pack, ty, &Path::root())
}

fn unpack(pack: &Pack, ty: &Type, path: &Path) -> Result<Value, String> {
    match (pack, ty) {
        (Pack::Nil, _) => Ok(Value::Null),
        (Pack::Ext(code, body), _) => unpack_unknown(*code, body, path),
        (Pack::Array(parts), Type::Dynamic) => unpack_dynamic(parts, path),
        (Pack::Boolean(value), Type::Bool) => Ok(Value::Bool(*value)),
        (Pack::String(text), Type::String) => {
            text_of(text.as_str(), path).map(|text| Value::String(text.to_owned()))
        }
        (pack, Type::Number) => unpack_number(pack, path).map(Value::Number),
        (Pack::Array(parts), Type::List(inner)) => {
            unpack_all(parts.iter().map(|part| (part, &**inner)), path).map(Value::Seq)
        }
        (Pack::Array(parts), Type::Set(inner)) => {
            unpack_all(parts.iter().map(|part| (part, &**inner)), path).map(Value::set)
        }
        (Pack::Array(parts), Type::Tuple(types)) if parts.len() == types.len() => {
            unpack_all(parts.iter().zip(types), path).map(Value::Seq)
        }
        (Pack::Map(entries), Type::Map(inner)) => unpack_map(entries, inner, path),
        (Pack::Map(entries), Type::Object(types)) => unpack_object(entries, types, path),
        (pack, ty) => Err(format!("{path}: {pack} is not of the type {}", ty.to_json())),
    }
}

fn text_of<'a>(text: Option<&'a str>, path: &Path) -> Result<&'a str, String> {
    let text = text.ok_or_else(|| format!("{path}: a text is not UTF-8"))?;
    if is_nfc(text) { Ok(text) } else { Err(format!("{path}: {text:?} is not NFC-normalised")) }
}

fn unpack_all<'a>(
    parts: impl Iterator<Item = (&'a Pack, &'a Type)>,
    path: &Path,
) -> Result<Vec<Value>, String> {
    parts.enumerate().map(|(index, (part, ty))| unpack(part, ty, &path.index(index))).collect()
}

fn unpack_map(entries: &[(Pack, Pack)], inner: &Type, path: &Path) -> Result<Value, String> {
    let mut values = BTreeMap::new();
    for (key, entry) in entries {
        let key = text_of(key.as_str(), path)?;
        if values.insert(key.to_owned(), unpack(entry, inner, &path.attribute(key))?).is_some() {
            return Err(format!("{path}: the key {key:?} occurs twice"));
        }
    }
    Ok(Value::Keyed(values))
}

fn unpack_object(
    entries: &[(Pack, Pack)],
    types: &BTreeMap<String, Type>,
    path: &Path,
) -> Result<Value, String> {
    let mut values = BTreeMap::new();
    for (key, entry) in entries {
        let key = text_of(key.as_str(), path)?;
        let Some(ty) = types.get(key) else {
            return Err(format!("{path}: unsupported attribute {key:?}"));
        };
        if values.insert(key.to_owned(), unpack(entry, ty, &path.attribute(key))?).is_some() {
            return Err(format!("{path}: the attribute {key:?} occurs twice"));
        }
    }
    match types.keys().find(|name| !values.contains_key(*name)) {
        Some(name) => Err(format!("{path}: attribute {name:?} is missing")),
        None => Ok(Value::Keyed(values)),
    }
}

fn unpack_dynamic(parts: &[Pack], path: &Path) -> Result<Value, String> {
    let [Pack::Binary(ty), inner] = parts else {
        return Err(format!("{path}: a dynamic value needs its type and its value"));
    };
    let ty = Type::from_json_bytes(ty).map_err(|error| format!("{path}: {error}"))?;
    let inner = unpack(inner, &ty, path)?;
    Ok(Value::Typed(ty, Box::new(inner)))
}

fn unpack_number(pack: &Pack, path: &Path) -> Result<Number, String> {
    let number = match pack {
        Pack::Integer(whole) => BigInt::from_str(&whole.to_string()).ok().map(Number::from),
        Pack::F32(single) => exact(f64::from(*single)),
        Pack::F64(double) => exact(*double),
        Pack::String(text) => text.as_str().and_then(|text| Number::from_str(text).ok()),
        _ => None,
    };
    number.ok_or_else(|| format!("{path}: {pack} is no number"))
}

fn exact(double: f64) -> Option<Number> {
    Number::try_from(double).ok().map(|number| number.normalized())
}

fn unpack_unknown(code: i8, body: &[u8], path: &Path) -> Result<Value, String> {
    if code != REFINED_UNKNOWN {
        return Ok(Value::unknown());
    }
    let Ok(Pack::Map(facts)) = rmpv::decode::read_value(&mut &body[..]) else {
        return Err(format!("{path}: the refinement of an unknown value is not a map"));
    };
    let mut refinement = Refinement::default();
    for (code, fact) in &facts {
        match code.as_i64() {
            Some(1) => refinement.null = fact.as_bool(),
            Some(2) => refinement.prefix = fact.as_str().map(str::to_owned),
            Some(3) => refinement.lower = Some(unpack_bound(fact, path)?),
            Some(4) => refinement.upper = Some(unpack_bound(fact, path)?),
            Some(5) => refinement.min_length = fact.as_u64(),
            Some(6) => refinement.max_length = fact.as_u64(),
            _ => {}
        }
    }
    Ok(Value::Unknown(refinement))
}

fn unpack_bound(fact: &Pack, path: &Path) -> Result<(Number, bool), String> {
    match fact.as_array().map(Vec::as_slice) {
        Some([number, Pack::Boolean(included)]) => Ok((unpack_number(number, path)?, *included)),
        _ => Err(format!("{path}: a bound of an unknown number needs a number and a flag")),
    }
}

#[cfg(test)]
mod tests;
