//! Taking an object apart into a model's fields: what [`model!`](crate::model!) expands to calls.
//!
//! Public only for the macro; nobody else calls it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{FromValue, Mismatch, ModelError};
use crate::path::Step;
use crate::value::Value;

/// The attribute's name of a field, which may be a raw identifier (`r#type`).
pub const fn name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// The attributes of an object that no field has taken yet.
#[derive(Debug)]
pub struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    /// Opens an object.
    pub fn open(value: Value) -> Result<Self, ModelError> {
        match value {
            Value::Object(attributes) => Ok(Self(attributes)),
            Value::Dynamic(inner) => Self::open(inner.1),
            other => Err(ModelError::kind("object", &other)),
        }
    }

    /// Takes a field's attribute; one that is missing is null.
    pub fn take<T: FromValue>(&mut self, field: &'static str) -> Result<T, ModelError> {
        let name = name(field);
        let value = self.0.remove(name).unwrap_or_default();
        T::from_value(value).map_err(|error| error.inside(Step::Attribute(Cow::Borrowed(name))))
    }

    /// Ends it; what is left over would be lost, so it is an error.
    pub fn close(mut self) -> Result<(), ModelError> {
        match self.0.pop_first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(ModelError::new(Mismatch::Extra).inside(Step::Attribute(name.into())))
            }
        }
    }
}
