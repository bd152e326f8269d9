//! What is known about an unknown value.
//!
//! A host sends refinements to let a provider decide early, and a provider may plan them. A
//! refinement is a promise: what is planned has to hold after apply.

use crate::number::Number;

/// One end of a number's range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The end.
    pub value: Number,
    /// Whether the end itself is in the range.
    pub inclusive: bool,
}

/// What is known about an unknown value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Refinement {
    /// Whether it will be null; `Some(false)` is the promise that it will not.
    pub null: Option<bool>,
    /// How the string will start.
    pub prefix: Option<String>,
    /// The least the number can be.
    pub number_min: Option<Bound>,
    /// The most the number can be.
    pub number_max: Option<Bound>,
    /// The least length of the collection.
    pub length_min: Option<i64>,
    /// The greatest length of the collection.
    pub length_max: Option<i64>,
}

impl Refinement {
    /// "It will not be null."
    pub fn not_null() -> Self {
        Self { null: Some(false), ..Self::default() }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
