//! A secret string in a model.
//!
//! Resources expose it at the moment they send it, and never into a message.

use std::fmt;

use super::{FromValue, ModelError, ToValue};
use crate::ty::Type;
use crate::value::Value;

/// A string that shows itself to nobody by accident: its `Debug` is masked, and it has no
/// `Display`.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sensitive(String);

impl Sensitive {
    /// Guards a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The secret itself.
    pub fn into_exposed(self) -> String {
        self.0
    }
}

impl fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(sensitive)")
    }
}

impl From<String> for Sensitive {
    fn from(secret: String) -> Self {
        Self(secret)
    }
}

impl From<&str> for Sensitive {
    fn from(secret: &str) -> Self {
        Self(secret.to_owned())
    }
}

impl FromValue for Sensitive {
    fn ty() -> Type {
        Type::String
    }

    fn from_value(value: Value) -> Result<Self, ModelError> {
        String::from_value(value).map(Self)
    }
}

impl ToValue for Sensitive {
    fn into_value(self) -> Value {
        self.0.into_value()
    }
}
