//! Conversions of the plain Rust types that models are made of.
//!
//! Models call them field by field. None converts between kinds: a string is never read as a
//! number.

use super::{
    Attr, BTreeMap, BTreeSet, FromValue, Mismatch, ModelError, Number, Step, ToValue, Type, Value,
};
use crate::value::normalize;

impl<T: FromValue> FromValue for Attr<T> {
    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        if value.is_null() {
            return Ok(Attr::Null);
        }
        if value.is_unknown() {
            return Ok(Attr::Unknown);
        }
        match T::from_value(value) {
            Ok(value) => Ok(Attr::Known(value)),
            // A part is unknown that the type cannot hold as such: then the whole is not known.
            Err(error) if error.why() == Mismatch::Unknown => Ok(Attr::Unknown),
            Err(error) => Err(error),
        }
    }
}

impl<T: ToValue> ToValue for Attr<T> {
    fn into_value(self) -> Value {
        match self {
            Attr::Null => Value::Null,
            Attr::Unknown => Value::UNKNOWN,
            Attr::Known(value) => value.into_value(),
        }
    }
}

/// Any value at all: the model's side of a dynamic attribute.
impl FromValue for Value {
    fn ty() -> Type {
        Type::Dynamic
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        Ok(value)
    }
}

impl ToValue for Value {
    fn into_value(self) -> Value {
        self
    }
}

impl FromValue for bool {
    fn ty() -> Type {
        Type::Bool
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        value.as_bool().ok_or_else(|| ModelError::kind("bool", &value))
    }
}

impl ToValue for bool {
    fn into_value(self) -> Value {
        Value::Bool(self)
    }
}

impl FromValue for String {
    fn ty() -> Type {
        Type::String
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(ModelError::kind("string", &other)),
        }
    }
}

impl ToValue for String {
    fn into_value(self) -> Value {
        Value::String(normalize(self))
    }
}

impl FromValue for Number {
    fn ty() -> Type {
        Type::Number
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        match value {
            Value::Number(number) => Ok(number),
            other => Err(ModelError::kind("number", &other)),
        }
    }
}

impl ToValue for Number {
    fn into_value(self) -> Value {
        Value::Number(self)
    }
}

macro_rules! integer {
    ($($int:ty),*) => {$(
        impl FromValue for $int {
            fn ty() -> Type {
                Type::Number
            }

            fn from_value(value: Value) -> Result<Self, ModelError> {
                let number = Number::from_value(value)?;
                let int = number.as_i64().and_then(|int| Self::try_from(int).ok());
                int.ok_or(ModelError::new(Mismatch::Range))
            }
        }

        impl ToValue for $int {
            fn into_value(self) -> Value {
                Value::Number(self.into())
            }
        }
    )*};
}

integer!(i64, i32, u32, u16);

impl<T: FromValue> FromValue for Vec<T> {
    fn ty() -> Type {
        Type::list(T::ty())
    }

    /// A set or tuple is taken too.
    fn from_value(value: Value) -> Result<Self, ModelError> {
        match value {
            Value::List(elements) | Value::Set(elements) | Value::Tuple(elements) => {
                each(elements).collect()
            }
            other => Err(ModelError::kind("list", &other)),
        }
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
    }
}

impl<T: FromValue + Ord> FromValue for BTreeSet<T> {
    fn ty() -> Type {
        Type::set(T::ty())
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        match value {
            Value::Set(elements) | Value::List(elements) | Value::Tuple(elements) => {
                each(elements).collect()
            }
            other => Err(ModelError::kind("set", &other)),
        }
    }
}

impl<T: ToValue> ToValue for BTreeSet<T> {
    fn into_value(self) -> Value {
        Value::set(self.into_iter().map(T::into_value))
    }
}

fn each<T: FromValue>(elements: Vec<Value>) -> impl Iterator<Item = Result<T, ModelError>> {
    elements.into_iter().enumerate().map(|(place, element)| {
        T::from_value(element).map_err(|error| error.inside(Step::Index(place)))
    })
}

impl<T: FromValue> FromValue for BTreeMap<String, T> {
    fn ty() -> Type {
        Type::map(T::ty())
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        let (Value::Map(members) | Value::Object(members)) = value else {
            return Err(ModelError::kind("map", &value));
        };
        let convert = |(key, value)| match T::from_value(value) {
            Ok(value) => Ok((key, value)),
            Err(error) => Err(error.inside(Step::Key(key))),
        };
        members.into_iter().map(convert).collect()
    }
}

impl<T: ToValue> ToValue for BTreeMap<String, T> {
    fn into_value(self) -> Value {
        Value::map(self.into_iter().map(|(key, value)| (key, value.into_value())))
    }
}
