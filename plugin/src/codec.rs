//! Values on the wire and in state files.
//!
//! The engine decodes what a host sends and encodes what it answers, always guided by the
//! schema's [`Type`]. Both forms of a `DynamicValue` are read, msgpack is what is written. Bytes
//! from outside never panic, never recurse without bound and never allocate more than they carry.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use terdut_proto::tfplugin6::DynamicValue;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::{AttributePath, Step, Trail};
use crate::ty::Type;
use crate::value::Value;

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod json;
pub mod msgpack;
#[cfg(test)]
mod vectors;

/// Decodes a value of the protocol; an absent one is null.
pub fn decode(wire: Option<&DynamicValue>, ty: &Type) -> Result<Value, CodecError> {
    match wire {
        Some(wire) if !wire.msgpack.is_empty() => msgpack::decode(&wire.msgpack, ty),
        Some(wire) if !wire.json.is_empty() => json::decode(&wire.json, ty, json::Mode::Strict),
        _ => Ok(Value::Null),
    }
}

/// Encodes a value for the protocol.
pub fn encode(value: &Value, ty: &Type) -> Result<DynamicValue, CodecError> {
    let msgpack = msgpack::encode(value, ty)?.into();
    Ok(DynamicValue { msgpack, ..DynamicValue::default() })
}

/// Why bytes are not a value of the type, or a value is not one of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes end too early.
    Truncated,
    /// There are more bytes than the value.
    Trailing,
    /// Another kind of value than the type says; wanted and found.
    Kind(&'static str, &'static str),
    /// A string that is not UTF-8.
    Utf8,
    /// A number that is not finite or out of every range.
    Number,
    /// An attribute of the object type is missing.
    Missing,
    /// An attribute that the object type does not have.
    Extra,
    /// A tuple of another length than its type.
    Length,
    /// Not JSON.
    Json,
    /// The type within a dynamic value cannot be read.
    DynamicType,
    /// Nested too deep.
    Depth,
    /// Unknown where the form has no way to say so.
    Unknown,
}

/// A value that cannot be decoded or encoded: where and why, never the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecError {
    trail: Trail,
    reason: Reason,
}

impl CodecError {
    /// The place within the value.
    pub fn path(&self) -> AttributePath {
        self.trail.path()
    }

    /// The reason.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    fn inside(mut self, step: Step) -> Self {
        self.trail.outer(step);
        self
    }
}

impl From<Reason> for CodecError {
    fn from(reason: Reason) -> Self {
        Self { trail: Trail::default(), reason }
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        match self.reason {
            Reason::Truncated => write!(f, "{path} ends too early"),
            Reason::Trailing => write!(f, "{path} is followed by more bytes"),
            Reason::Kind(wanted, found) => write!(f, "{path} is a {found} instead of a {wanted}"),
            Reason::Utf8 => write!(f, "{path} is not UTF-8"),
            Reason::Number => write!(f, "{path} is not a number that Terraform can hold"),
            Reason::Missing => write!(f, "the attribute {path} is missing"),
            Reason::Extra => write!(f, "the schema has no attribute {path}"),
            Reason::Length => write!(f, "{path} has another number of elements than its type"),
            Reason::Json => write!(f, "{path} is not valid JSON"),
            Reason::DynamicType => write!(f, "{path} carries a type that cannot be read"),
            Reason::Depth => write!(f, "{path} is nested too deep"),
            Reason::Unknown => write!(f, "{path} is unknown, which is not possible here"),
        }
    }
}

impl std::error::Error for CodecError {}

/// Each attribute's name, value and type; an error if the object has other ones than its type.
///
/// Both maps are sorted, so comparing them takes no look-ups.
fn attributes<'v>(
    members: &'v BTreeMap<String, Value>,
    types: &'v BTreeMap<String, Type>,
) -> Result<impl Iterator<Item = (&'v String, &'v Value, &'v Type)>, CodecError> {
    if !members.keys().eq(types.keys()) {
        return Err(difference(members, types));
    }
    Ok(members.iter().zip(types.values()).map(|((name, value), ty)| (name, value, ty)))
}

/// The first attribute that is too many or missing.
fn difference(members: &BTreeMap<String, Value>, types: &BTreeMap<String, Type>) -> CodecError {
    let extra = members.keys().find(|name| !types.contains_key(*name));
    let missing = || types.keys().find(|name| !members.contains_key(*name));
    let (reason, name) = match extra {
        Some(name) => (Reason::Extra, Some(name)),
        None => (Reason::Missing, missing()),
    };
    CodecError::from(reason).inside(attribute(name.map_or("", String::as_str)))
}

fn attribute(name: &str) -> Step {
    Step::Attribute(Cow::Owned(name.to_owned()))
}

impl From<CodecError> for Diagnostics {
    fn from(error: CodecError) -> Self {
        let path = error.path();
        let detail = format!(
            "{error}. Terraform and the provider disagree about the schema: check that the \
             provider's version is the one that wrote the state, else this is a bug in the provider."
        );
        Diagnostic::error("The value does not fit the schema", detail).at(path).into()
    }
}
