//! Terraform's values: everything a configuration, plan or state can hold.
//!
//! The codecs make and write them, the engine compares them, models are built from them. A value
//! does not know its own type where the protocol does not say it (null, unknown, empty lists): a
//! [`Type`] goes along wherever it matters. Values may be secret: they are never logged.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::number::Number;
use crate::ty::Type;

mod convert;
mod order;
mod refinement;

pub use convert::{normalize, normalized};
pub use refinement::{Bound, Refinement};

/// A Terraform value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Not set.
    #[default]
    Null,
    /// Known only after apply, perhaps with something known about it already.
    Unknown(Option<Box<Refinement>>),
    /// A `bool`.
    Bool(bool),
    /// A `number`.
    Number(Number),
    /// A `string`, in Unicode normal form C.
    String(String),
    /// A `list`.
    List(Vec<Value>),
    /// A `set`: order and repetition mean nothing. Made by [`Value::set`].
    Set(Vec<Value>),
    /// A `map`.
    Map(BTreeMap<String, Value>),
    /// An object, with every attribute of its type.
    Object(BTreeMap<String, Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// What is held where the type says `dynamic`: a type and a value of it.
    Dynamic(Box<(Type, Value)>),
}

impl Value {
    /// Unknown, with nothing else known.
    pub const UNKNOWN: Self = Value::Unknown(None);

    /// A string in normal form.
    pub fn string(text: impl Into<String>) -> Self {
        Value::String(normalize(text.into()))
    }

    /// An object of these attributes.
    pub fn object<N: Into<String>>(attributes: impl IntoIterator<Item = (N, Value)>) -> Self {
        Value::Object(attributes.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// A map of these elements.
    pub fn map<K: Into<String>>(elements: impl IntoIterator<Item = (K, Value)>) -> Self {
        let elements = elements.into_iter();
        Value::Map(elements.map(|(key, value)| (normalize(key.into()), value)).collect())
    }

    /// A set of these elements: known ones sorted and once each, then the others.
    ///
    /// Two unknowns may turn out different, so they stay two; and hosts compare them in order, so
    /// they keep theirs.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Self {
        let (mut set, unknown): (Vec<Value>, Vec<Value>) =
            elements.into_iter().partition(Value::is_wholly_known);
        set.sort();
        set.dedup();
        set.extend(unknown);
        Value::Set(set)
    }

    /// An object with every attribute of the type null; null for any other type.
    pub fn empty_object(ty: &Type) -> Self {
        match ty.attributes() {
            Some(attributes) => {
                Value::Object(attributes.keys().map(|name| (name.clone(), Value::Null)).collect())
            }
            None => Value::Null,
        }
    }

    /// Whether it is null (a dynamic null included).
    pub fn is_null(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Dynamic(inner) => inner.1.is_null(),
            _ => false,
        }
    }

    /// Whether it is unknown as a whole (a dynamic unknown included).
    pub fn is_unknown(&self) -> bool {
        match self {
            Value::Unknown(_) => true,
            Value::Dynamic(inner) => inner.1.is_unknown(),
            _ => false,
        }
    }

    /// Whether it is neither null nor unknown; parts of it may be.
    pub fn is_known(&self) -> bool {
        !self.is_null() && !self.is_unknown()
    }

    /// Whether no part of it is unknown.
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Value::Unknown(_) => false,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
            Value::List(elements) | Value::Set(elements) | Value::Tuple(elements) => {
                elements.iter().all(Value::is_wholly_known)
            }
            Value::Map(members) | Value::Object(members) => {
                members.values().all(Value::is_wholly_known)
            }
            Value::Dynamic(inner) => inner.1.is_wholly_known(),
        }
    }

    /// Turns every unknown part into null.
    pub fn null_unknowns(&mut self) {
        match self {
            Value::Unknown(_) => *self = Value::Null,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            Value::List(elements) | Value::Tuple(elements) => {
                elements.iter_mut().for_each(Value::null_unknowns);
            }
            Value::Set(elements) => {
                elements.iter_mut().for_each(Value::null_unknowns);
                *self = Value::set(std::mem::take(elements));
            }
            Value::Map(members) | Value::Object(members) => {
                members.values_mut().for_each(Value::null_unknowns);
            }
            Value::Dynamic(inner) => inner.1.null_unknowns(),
        }
    }

    /// The bool, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The integer, if it is a number that is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list, set or tuple.
    pub fn elements(&self) -> Option<&[Value]> {
        match self {
            Value::List(elements) | Value::Set(elements) | Value::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members of a map or object.
    pub fn members(&self) -> Option<&BTreeMap<String, Value>> {
        match self {
            Value::Map(members) | Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members of a map or object.
    pub fn members_mut(&mut self) -> Option<&mut BTreeMap<String, Value>> {
        match self {
            Value::Map(members) | Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// One attribute of an object.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.get(name),
            _ => None,
        }
    }

    /// One attribute of an object.
    pub fn attribute_mut(&mut self, name: &str) -> Option<&mut Value> {
        match self {
            Value::Object(members) => members.get_mut(name),
            _ => None,
        }
    }

    /// Takes one attribute out of an object, leaving null; null if there is none.
    #[must_use]
    pub fn take_attribute(&mut self, name: &str) -> Value {
        self.attribute_mut(name).map(std::mem::take).unwrap_or_default()
    }

    /// The word for the kind of value, for messages: never the value itself.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Unknown(_) => "unknown",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Set(_) => "set",
            Value::Map(_) => "map",
            Value::Object(_) => "object",
            Value::Tuple(_) => "tuple",
            Value::Dynamic(_) => "dynamic",
        }
    }
}

/// Structural: null equals null, unknown equals an unknown with the same refinement, sets are
/// equal by their elements.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}
