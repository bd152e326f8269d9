//! What is known of a value while planning.
//!
//! [`Input`] is what a user wrote, [`Field`] what validation made of it.

/// A validated value, or one that is only known after something else was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<T> {
    /// Known now.
    Known(T),
    /// Known after apply.
    Unknown,
}

impl<T> Field<T> {
    /// The value, if it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// Whether it differs from what is there: `None` where only the apply can tell.
    pub fn differs(&self, same: impl FnOnce(&T) -> bool) -> Option<bool> {
        self.known().map(|value| !same(value))
    }
}

/// What a user wrote for one attribute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Input<T> {
    /// Nothing (Terraform: null).
    #[default]
    Absent,
    /// Known after apply.
    Unknown,
    /// A value, not yet validated.
    Given(T),
}

impl<T> Input<T> {
    /// The same about a reference.
    pub fn as_ref(&self) -> Input<&T> {
        match self {
            Self::Absent => Input::Absent,
            Self::Unknown => Input::Unknown,
            Self::Given(value) => Input::Given(value),
        }
    }

    /// The same with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Input<U> {
        match self {
            Self::Absent => Input::Absent,
            Self::Unknown => Input::Unknown,
            Self::Given(value) => Input::Given(change(value)),
        }
    }
}

impl<T> From<Option<T>> for Input<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Given)
    }
}
