//! Rust structs as Terraform objects: [`model!`](crate::model!) and the conversions under it.
//!
//! Resource authors declare their model once; the engine turns values into it and back. A model
//! holds every attribute of its schema, and a conversion never invents or drops one. Errors name
//! the place and the kinds, never a value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::attr::Attr;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::number::Number;
use crate::path::{AttributePath, Step, Trail};
use crate::ty::Type;
use crate::value::Value;

#[doc(hidden)]
pub mod object;
mod overlay;
mod plain;
mod sensitive;
#[cfg(test)]
mod tests;

pub use overlay::overlay;
pub use sensitive::Sensitive;

/// A Rust type that a Terraform value can become.
pub trait FromValue: Sized {
    /// The Terraform type.
    fn ty() -> Type;

    /// The value as this type.
    fn from_value(value: Value) -> Result<Self, ModelError>;
}

/// A Rust type that a Terraform value can be made of.
pub trait ToValue {
    /// The value.
    fn into_value(self) -> Value;

    /// The value, leaving this one as it is.
    fn to_value(&self) -> Value
    where
        Self: Clone,
    {
        self.clone().into_value()
    }
}

/// A struct that stands for a whole object: made by [`model!`](crate::model!).
///
/// [`Default`] has every attribute null.
pub trait Model:
    FromValue + ToValue + Clone + Default + fmt::Debug + Send + Sync + 'static
{
    /// The names of the attributes, in the order of the declaration.
    fn attribute_names() -> &'static [&'static str];
}

/// The model of what has no attributes at all.
impl FromValue for () {
    fn ty() -> Type {
        Type::Object(BTreeMap::new())
    }

    fn from_value(_: Value) -> Result<Self, ModelError> {
        Ok(())
    }
}

impl ToValue for () {
    fn into_value(self) -> Value {
        Value::Object(BTreeMap::new())
    }
}

impl Model for () {
    fn attribute_names() -> &'static [&'static str] {
        &[]
    }
}

/// A model that is made of whatever its schema says, for schemas that are put together by code.
impl Model for Value {
    fn attribute_names() -> &'static [&'static str] {
        &[]
    }
}

/// Why a value is not what the model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The model cannot hold null here.
    Null,
    /// The model cannot hold an unknown here.
    Unknown,
    /// Another kind of value; the kind wanted and the kind found.
    Kind(&'static str, &'static str),
    /// A number beyond the model's integer, or with a fraction.
    Range,
    /// The object has an attribute that the model lacks.
    Extra,
}

/// A value that does not fit a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    trail: Trail,
    why: Mismatch,
}

impl ModelError {
    /// An error about the value itself.
    pub fn new(why: Mismatch) -> Self {
        Self { trail: Trail::default(), why }
    }

    /// Another kind of value was found than wanted.
    pub fn kind(wanted: &'static str, found: &Value) -> Self {
        Self::new(match found {
            found if found.is_null() => Mismatch::Null,
            found if found.is_unknown() => Mismatch::Unknown,
            found => Mismatch::Kind(wanted, found.kind()),
        })
    }

    /// The same error, seen from one step further out.
    #[must_use]
    pub fn inside(mut self, step: Step) -> Self {
        self.trail.outer(step);
        self
    }

    /// The place.
    pub fn path(&self) -> AttributePath {
        self.trail.path()
    }

    /// The reason.
    pub fn why(&self) -> Mismatch {
        self.why
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        match self.why {
            Mismatch::Null => write!(f, "{path} is null, which is not possible here"),
            Mismatch::Unknown => write!(f, "{path} is not known yet, which is not possible here"),
            Mismatch::Kind(wanted, found) => write!(f, "{path} is a {found} instead of a {wanted}"),
            Mismatch::Range => write!(f, "{path} is not a whole number in the possible range"),
            Mismatch::Extra => write!(f, "{path} is not an attribute of this object"),
        }
    }
}

impl std::error::Error for ModelError {}

impl From<ModelError> for Diagnostics {
    fn from(error: ModelError) -> Self {
        let summary = match error.why {
            Mismatch::Null | Mismatch::Range => "Invalid value",
            Mismatch::Unknown => "Value not known yet",
            Mismatch::Kind(..) | Mismatch::Extra => "The value does not fit the schema",
        };
        Diagnostic::error(summary, format!("{error}.")).at(error.path()).into()
    }
}

/// Declares a struct whose fields are the attributes of a Terraform object.
///
/// Fields are `Attr<…>` of `bool`, integers, [`Number`], `String`, [`Sensitive`], other models,
/// `Vec`, `BTreeSet`, `BTreeMap<String, …>` of these, or [`Value`] for a dynamic type.
/// `Debug`, `Clone`, `Default` (all null) and `PartialEq` are derived.
///
/// ```
/// use terdut_plugin::attr::Attr;
/// use terdut_plugin::model::{FromValue, ToValue};
/// use terdut_plugin::value::Value;
///
/// terdut_plugin::model! {
///     struct Team {
///         id: Attr<String>,
///         members: Attr<Vec<String>>,
///     }
/// }
///
/// let team = Team { id: "7".into(), ..Team::default() };
/// let value = Value::object([("id", "7".into()), ("members", Value::Null)]);
/// assert_eq!(team.to_value(), value);
/// assert_eq!(Team::from_value(value), Ok(team));
/// ```
#[macro_export]
macro_rules! model {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$field_meta:meta])* $field_vis:vis $field:ident : $ty:ty ),* $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[allow(missing_docs, reason = "the schema describes the attributes")]
        $vis struct $name {
            $( $(#[$field_meta])* $field_vis $field: $ty, )*
        }

        impl $crate::model::FromValue for $name {
            fn ty() -> $crate::ty::Type {
                $crate::ty::Type::object([
                    $((
                        $crate::model::object::name(stringify!($field)),
                        <$ty as $crate::model::FromValue>::ty(),
                    ),)*
                ] as [(&str, $crate::ty::Type); _])
            }

            fn from_value(value: $crate::value::Value)
                -> ::core::result::Result<Self, $crate::model::ModelError>
            {
                let mut attributes = $crate::model::object::Attributes::open(value)?;
                let model = Self { $( $field: attributes.take(stringify!($field))?, )* };
                attributes.close()?;
                Ok(model)
            }
        }

        impl $crate::model::ToValue for $name {
            fn into_value(self) -> $crate::value::Value {
                $crate::value::Value::object([
                    $((
                        $crate::model::object::name(stringify!($field)),
                        $crate::model::ToValue::into_value(self.$field),
                    ),)*
                ] as [(&str, $crate::value::Value); _])
            }
        }

        impl $crate::model::Model for $name {
            fn attribute_names() -> &'static [&'static str] {
                const { &[ $( $crate::model::object::name(stringify!($field)), )* ] }
            }
        }
    )+};
}
