//! A check of one attribute's value.

use std::fmt;
use std::sync::Arc;

use crate::value::Value;

type Function = dyn Fn(&Value) -> Result<(), String> + Send + Sync;

/// A check of one attribute's known value; what it answers is shown at the attribute.
#[derive(Clone)]
pub struct Check(Arc<Function>);

impl Check {
    pub(super) fn new(
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(check))
    }

    /// Checks a value. It is never called with null or with what is not known yet.
    pub fn run(&self, value: &Value) -> Result<(), String> {
        (self.0)(value)
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Check")
    }
}
