//! From a value to bytes.
//!
//! A value that is not of its type is an error here, before the host would call it a bug. The
//! forms are the host's own, byte for byte.

use std::collections::BTreeMap;

use rmp::encode::{self, ByteBuf};

use super::refine;
use crate::codec::{CodecError, Reason, attribute, attributes};
use crate::number::Number;
use crate::path::Step;
use crate::ty::Type;
use crate::value::{Value, normalized};

/// Encodes one value; it must be of the type exactly, with every attribute of every object.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    let mut out = Out::new();
    write(&mut out, value, ty)?;
    Ok(out.into_bytes())
}

fn write(out: &mut Out, value: &Value, ty: &Type) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::Null, _) => out.nil(),
        (Value::Unknown(refinement), _) => refine::write(out, refinement.as_deref()),
        (Value::Dynamic(inner), Type::Dynamic) => {
            out.array(2);
            out.bytes(&inner.0.to_json_bytes());
            return write(out, &inner.1, &inner.0);
        }
        (Value::Bool(bool), Type::Bool) => out.bool(*bool),
        (Value::Number(value), Type::Number) => number(out, value),
        (Value::String(text), Type::String) => out.text(text),
        (Value::List(elements), Type::List(ty)) | (Value::Set(elements), Type::Set(ty)) => {
            out.array(elements.len());
            return each(out, elements.iter().map(|element| (element, &**ty)));
        }
        (Value::Tuple(elements), Type::Tuple(types)) => {
            if elements.len() != types.len() {
                return Err(Reason::Length.into());
            }
            out.array(elements.len());
            return each(out, elements.iter().zip(types));
        }
        (Value::Map(members), Type::Map(ty)) => return map(out, members, ty),
        (Value::Object(members), Type::Object(types)) => return object(out, members, types),
        _ => return Err(Reason::Kind(ty.kind(), value.kind()).into()),
    }
    Ok(())
}

/// As the host does: an integer if it fits, else a float if that is exact, else decimal text.
pub(super) fn number(out: &mut Out, number: &Number) {
    if let Some(int) = number.as_i64() {
        out.int(int);
    } else if let Some(float) = number.as_exact_f64() {
        out.float(float);
    } else {
        out.text(&number.to_string());
    }
}

fn each<'v>(
    out: &mut Out,
    elements: impl Iterator<Item = (&'v Value, &'v Type)>,
) -> Result<(), CodecError> {
    for (place, (element, ty)) in elements.enumerate() {
        write(out, element, ty).map_err(|error| error.inside(Step::Index(place)))?;
    }
    Ok(())
}

fn map(out: &mut Out, members: &BTreeMap<String, Value>, ty: &Type) -> Result<(), CodecError> {
    out.map(members.len());
    for (key, value) in members {
        out.text(key);
        write(out, value, ty).map_err(|error| error.inside(Step::Key(key.clone())))?;
    }
    Ok(())
}

fn object(
    out: &mut Out,
    members: &BTreeMap<String, Value>,
    types: &BTreeMap<String, Type>,
) -> Result<(), CodecError> {
    let attributes = attributes(members, types)?;
    out.map(types.len());
    for (name, value, ty) in attributes {
        out.text(name);
        write(out, value, ty).map_err(|error| error.inside(attribute(name)))?;
    }
    Ok(())
}

/// The bytes so far. Writing to memory cannot fail, and the types say so.
pub(super) struct Out(ByteBuf);

impl Out {
    pub(super) fn new() -> Self {
        Self(ByteBuf::with_capacity(256))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_vec()
    }

    fn nil(&mut self) {
        let Ok(()) = encode::write_nil(&mut self.0);
    }

    pub(super) fn bool(&mut self, bool: bool) {
        let Ok(()) = encode::write_bool(&mut self.0, bool);
    }

    pub(super) fn int(&mut self, int: i64) {
        let Ok(_) = encode::write_sint(&mut self.0, int);
    }

    fn float(&mut self, float: f64) {
        let Ok(()) = encode::write_f64(&mut self.0, float);
    }

    /// Text in normal form, which a value that was built by hand may not be in.
    pub(super) fn text(&mut self, text: &str) {
        let Ok(()) = encode::write_str(&mut self.0, &normalized(text));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let Ok(()) = encode::write_bin(&mut self.0, bytes);
    }

    pub(super) fn array(&mut self, len: usize) {
        let Ok(_) = encode::write_array_len(&mut self.0, length(len));
    }

    pub(super) fn map(&mut self, len: usize) {
        let Ok(_) = encode::write_map_len(&mut self.0, length(len));
    }

    pub(super) fn ext(&mut self, code: i8, payload: &[u8]) {
        let Ok(_) = encode::write_ext_meta(&mut self.0, length(payload.len()), code);
        self.0.as_mut_vec().extend_from_slice(payload);
    }
}

/// Lengths are 32 bits on the wire, far beyond the protocol's message limit.
fn length(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
