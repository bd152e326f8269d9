//! What a call of a resource comes to.

use super::Private;
use crate::diagnostics::{Diagnostic, Diagnostics};

/// A state, what to remember beside it, and what to tell the user: any of them with any other.
#[derive(Clone, Debug)]
pub struct Outcome<M> {
    /// The object, if there is one.
    pub state: Option<M>,
    /// What to remember beside it.
    pub private: Private,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

impl<M> Outcome<M> {
    /// The object is like this.
    pub fn state(state: M, private: Private) -> Self {
        Self { state: Some(state), private, diagnostics: Diagnostics::new() }
    }

    /// The object is gone.
    pub fn gone() -> Self {
        Self { state: None, private: Private::default(), diagnostics: Diagnostics::new() }
    }

    /// Nothing was done, for these reasons; what was remembered stays.
    pub fn failed(diagnostics: impl Into<Diagnostics>, private: Private) -> Self {
        Self { state: None, private, diagnostics: diagnostics.into() }
    }

    /// Tells the user something more.
    #[must_use]
    pub fn tell(mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        self.diagnostics.extend(diagnostics);
        self
    }
}
