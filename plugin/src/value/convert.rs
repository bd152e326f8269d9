//! Plain Rust values as Terraform values, and the normal form of strings.
//!
//! Used by whoever builds values by hand; nothing here can fail or make a value unknown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::{Refinement, Value};
use crate::number::Number;

/// The text in Unicode normal form C, the only one Terraform holds; no copy if it is already.
pub fn normalize(text: String) -> String {
    match normalized(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}

/// The same for borrowed text.
pub fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Value::Bool(bool)
    }
}

impl From<i32> for Value {
    fn from(int: i32) -> Self {
        Value::Number(int.into())
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Value::Number(int.into())
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::string(text)
    }
}

impl From<Refinement> for Value {
    fn from(refinement: Refinement) -> Self {
        Value::Unknown((!refinement.is_empty()).then(|| Box::new(refinement)))
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(elements: Vec<V>) -> Self {
        Value::List(elements.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>> From<BTreeMap<String, V>> for Value {
    fn from(elements: BTreeMap<String, V>) -> Self {
        Value::map(elements.into_iter().map(|(key, value)| (key, value.into())))
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_held_in_normal_form() {
        assert_eq!(Value::from("e\u{301}"), Value::String("\u{e9}".into()));
        assert_eq!(normalize("plain".into()), "plain");
    }

    #[test]
    fn an_empty_refinement_is_no_refinement() {
        assert_eq!(Value::from(Refinement::default()), Value::UNKNOWN);
        assert_ne!(Value::from(Refinement::not_null()), Value::UNKNOWN);
    }
}
