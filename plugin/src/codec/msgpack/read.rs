//! From bytes to a value.
//!
//! The walk follows the type, never the bytes alone; what a host claims about lengths reserves
//! nothing.

use std::collections::BTreeMap;

use super::reader::{Reader, Token};
use super::refine;
use crate::codec::{CodecError, Reason, attribute, difference};
use crate::number::Number;
use crate::path::Step;
use crate::ty::{MAX_DEPTH, Type};
use crate::value::{Value, normalized};

/// The most that a claimed length may reserve before its elements have arrived.
const MAX_RESERVE: usize = 64;

/// Decodes one value; an object must have every attribute of its type and nothing else.
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, CodecError> {
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader, ty, MAX_DEPTH)?;
    if reader.left() > 0 { Err(Reason::Trailing.into()) } else { Ok(value) }
}

fn read(reader: &mut Reader<'_>, ty: &Type, depth: usize) -> Result<Value, CodecError> {
    let depth = depth.checked_sub(1).ok_or(Reason::Depth)?;
    let token = reader.token()?;
    match (token, ty) {
        (Token::Nil, _) => Ok(Value::Null),
        (Token::Ext(code, len), _) => Ok(refine::read(code, reader.bytes(len)?)),
        (Token::Bool(bool), Type::Bool) => Ok(Value::Bool(bool)),
        (Token::Str(len), Type::String) => {
            Ok(Value::String(normalized(reader.text(len)?).into_owned()))
        }
        (_, Type::Number) => number(reader, token).map(Value::Number),
        (Token::Array(len), Type::List(ty)) => elements(reader, len, ty, depth).map(Value::List),
        (Token::Array(len), Type::Set(ty)) => elements(reader, len, ty, depth).map(Value::set),
        (Token::Array(len), Type::Tuple(types)) => tuple(reader, len, types, depth),
        (Token::Map(len), Type::Map(ty)) => map(reader, len, ty, depth),
        (Token::Map(len), Type::Object(types)) => object(reader, len, types, depth),
        (Token::Array(2), Type::Dynamic) => dynamic(reader, depth),
        _ => Err(Reason::Kind(ty.kind(), token.kind()).into()),
    }
}

/// An integer, a float, or a decimal text for what is beyond both.
pub(super) fn number(reader: &mut Reader<'_>, token: Token) -> Result<Number, CodecError> {
    match token {
        Token::Int(int) => Ok(int.into()),
        Token::Uint(int) => Ok(int.into()),
        Token::Float(float) => Number::from_f64(float).map_err(|_| Reason::Number.into()),
        Token::Str(len) => reader.text(len)?.parse().map_err(|_| Reason::Number.into()),
        _ => Err(Reason::Kind("number", token.kind()).into()),
    }
}

fn elements(
    reader: &mut Reader<'_>,
    len: usize,
    ty: &Type,
    depth: usize,
) -> Result<Vec<Value>, CodecError> {
    let mut elements = Vec::with_capacity(len.min(MAX_RESERVE));
    for place in 0..len {
        let element = read(reader, ty, depth).map_err(|error| error.inside(Step::Index(place)))?;
        elements.push(element);
    }
    Ok(elements)
}

fn tuple(
    reader: &mut Reader<'_>,
    len: usize,
    types: &[Type],
    depth: usize,
) -> Result<Value, CodecError> {
    if len != types.len() {
        return Err(Reason::Length.into());
    }
    let one = |(place, ty)| {
        read(reader, ty, depth).map_err(|error: CodecError| error.inside(Step::Index(place)))
    };
    types.iter().enumerate().map(one).collect::<Result<_, _>>().map(Value::Tuple)
}

fn map(reader: &mut Reader<'_>, len: usize, ty: &Type, depth: usize) -> Result<Value, CodecError> {
    let mut members = BTreeMap::new();
    for _ in 0..len {
        let key = name(reader)?;
        let value =
            read(reader, ty, depth).map_err(|error| error.inside(Step::Key(key.to_owned())))?;
        members.insert(normalized(key).into_owned(), value);
    }
    Ok(Value::Map(members))
}

fn object(
    reader: &mut Reader<'_>,
    len: usize,
    types: &BTreeMap<String, Type>,
    depth: usize,
) -> Result<Value, CodecError> {
    let mut members = BTreeMap::new();
    for _ in 0..len {
        let key = name(reader)?;
        let Some((name, ty)) = types.get_key_value(key) else {
            return Err(CodecError::from(Reason::Extra).inside(attribute(key)));
        };
        let value = read(reader, ty, depth).map_err(|error| error.inside(attribute(name)))?;
        members.insert(name.clone(), value);
    }
    if members.len() == types.len() {
        return Ok(Value::Object(members));
    }
    Err(difference(&members, types))
}

fn name<'b>(reader: &mut Reader<'b>) -> Result<&'b str, CodecError> {
    match reader.token()? {
        Token::Str(len) | Token::Bin(len) => reader.text(len),
        other => Err(Reason::Kind("name", other.kind()).into()),
    }
}

/// `[type as JSON bytes, value]`.
fn dynamic(reader: &mut Reader<'_>, depth: usize) -> Result<Value, CodecError> {
    let json = match reader.token()? {
        Token::Bin(len) | Token::Str(len) => reader.bytes(len)?,
        other => return Err(Reason::Kind("type", other.kind()).into()),
    };
    let ty = Type::from_json_bytes(json).map_err(|_| Reason::DynamicType)?;
    let value = read(reader, &ty, depth)?;
    Ok(Value::Dynamic(Box::new((ty, value))))
}
