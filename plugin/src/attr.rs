//! One attribute of a model: null, unknown until apply, or known.
//!
//! Resource authors read and write models made of these. An attribute never decides what unknown
//! means for a resource; it only makes forgetting the case impossible.

/// A Terraform attribute's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attr<T> {
    /// Not set.
    #[default]
    Null,
    /// Set to something that is known only after apply.
    Unknown,
    /// Set.
    Known(T),
}

impl<T> Attr<T> {
    /// Whether it is null.
    pub const fn is_null(&self) -> bool {
        matches!(self, Attr::Null)
    }

    /// Whether it is unknown.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Attr::Unknown)
    }

    /// Whether it is known (and not null).
    pub const fn is_known(&self) -> bool {
        matches!(self, Attr::Known(_))
    }

    /// The value, if known.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Attr::Known(value) => Some(value),
            Attr::Null | Attr::Unknown => None,
        }
    }

    /// The value, if known.
    pub fn known_mut(&mut self) -> Option<&mut T> {
        match self {
            Attr::Known(value) => Some(value),
            Attr::Null | Attr::Unknown => None,
        }
    }

    /// The value, if known.
    pub fn into_known(self) -> Option<T> {
        match self {
            Attr::Known(value) => Some(value),
            Attr::Null | Attr::Unknown => None,
        }
    }

    /// `None` while unknown, else null as `Some(None)`: what a caller sees once all is decided.
    pub fn settled(&self) -> Option<Option<&T>> {
        match self {
            Attr::Null => Some(None),
            Attr::Unknown => None,
            Attr::Known(value) => Some(Some(value)),
        }
    }

    /// The same, borrowed.
    pub const fn as_ref(&self) -> Attr<&T> {
        match self {
            Attr::Null => Attr::Null,
            Attr::Unknown => Attr::Unknown,
            Attr::Known(value) => Attr::Known(value),
        }
    }

    /// Changes the value, if known.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Attr<U> {
        match self {
            Attr::Null => Attr::Null,
            Attr::Unknown => Attr::Unknown,
            Attr::Known(value) => Attr::Known(change(value)),
        }
    }

    /// Changes the value, if known, by a step that can fail.
    pub fn try_map<U, E>(self, change: impl FnOnce(T) -> Result<U, E>) -> Result<Attr<U>, E> {
        Ok(match self {
            Attr::Null => Attr::Null,
            Attr::Unknown => Attr::Unknown,
            Attr::Known(value) => Attr::Known(change(value)?),
        })
    }

    /// The value, or what the closure makes of null and unknown.
    pub fn unwrap_or_else(self, other: impl FnOnce() -> T) -> T {
        self.into_known().unwrap_or_else(other)
    }

    /// The value, or this one if null or unknown.
    pub fn unwrap_or(self, other: T) -> T {
        self.into_known().unwrap_or(other)
    }

    /// The value, or the default if null or unknown.
    pub fn unwrap_or_default(self) -> T
    where
        T: Default,
    {
        self.into_known().unwrap_or_default()
    }

    /// This attribute unless it is null, else the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_null() { other } else { self }
    }

    /// This attribute unless it is null, else what the closure gives.
    #[must_use]
    pub fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_null() { other() } else { self }
    }

    /// This attribute unless it is unknown, else the other.
    #[must_use]
    pub fn if_unknown(self, other: Self) -> Self {
        if self.is_unknown() { other } else { self }
    }

    /// Leaves null behind and gives what was there.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Sets it to a known value.
    pub fn set(&mut self, value: T) {
        *self = Attr::Known(value);
    }

    /// `Some` as known, `None` as null.
    pub fn from_option(value: Option<T>) -> Self {
        value.map_or(Attr::Null, Attr::Known)
    }
}

impl<T: Clone> Attr<&T> {
    /// The same with its own copy of the value.
    pub fn cloned(self) -> Attr<T> {
        self.map(T::clone)
    }
}

impl<T: std::ops::Deref> Attr<T> {
    /// The target of the value, if known: `Attr<String>` to `Option<&str>`.
    pub fn as_deref(&self) -> Option<&T::Target> {
        self.known().map(|value| &**value)
    }
}

impl<T> From<Option<T>> for Attr<T> {
    fn from(value: Option<T>) -> Self {
        Self::from_option(value)
    }
}

impl<T> From<T> for Attr<T> {
    fn from(value: T) -> Self {
        Attr::Known(value)
    }
}

impl From<&str> for Attr<String> {
    fn from(value: &str) -> Self {
        Attr::Known(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_null_falls_back_with_or() {
        assert_eq!(Attr::Null.or(Attr::Known(1)), Attr::Known(1));
        assert_eq!(Attr::Unknown.or(Attr::Known(1)), Attr::Unknown);
        assert_eq!(Attr::Known(2).or_else(|| Attr::Known(1)), Attr::Known(2));
        assert_eq!(Attr::Unknown.if_unknown(Attr::Known(1)), Attr::Known(1));
    }

    #[test]
    fn settled_keeps_null_and_unknown_apart() {
        assert_eq!(Attr::<i64>::Null.settled(), Some(None));
        assert_eq!(Attr::<i64>::Unknown.settled(), None);
        assert_eq!(Attr::Known(3).settled(), Some(Some(&3)));
    }

    #[test]
    fn options_and_plain_values_convert() {
        assert_eq!(Attr::from(Some(1)), Attr::Known(1));
        assert_eq!(Attr::<i64>::from(None), Attr::Null);
        assert_eq!(Attr::<String>::from("a").as_deref(), Some("a"));
    }
}
