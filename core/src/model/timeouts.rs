//! `timeouts`: how long a whole operation may take.

use super::check::note;
use crate::problem::{Findings, Path};
use crate::value::{GoDuration, Input, OPERATION};

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct TimeoutsInput {
    /// Of a create.
    pub create: Input<String>,
    /// Of an update.
    pub update: Input<String>,
    /// Of a delete.
    pub delete: Input<String>,
}

/// The validated ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Of a create.
    pub create: GoDuration,
    /// Of an update.
    pub update: GoDuration,
    /// Of a delete.
    pub delete: GoDuration,
}

/// What is not given takes this long.
const DEFAULT: GoDuration = GoDuration::from_nanos(5 * 60 * 1_000_000_000);

impl Default for Timeouts {
    fn default() -> Self {
        Self { create: DEFAULT, update: DEFAULT, delete: DEFAULT }
    }
}

impl TimeoutsInput {
    /// Checks all three; what is not given or not known takes the default.
    pub fn validate(&self, findings: &mut Findings) -> Timeouts {
        let mut one = |field, input: &Input<String>| {
            let path = Path::of("timeouts").field(field);
            let Input::Given(text) = input else { return DEFAULT };
            let checked = text.parse().and_then(|value: GoDuration| value.within(OPERATION));
            note(findings, &path, checked).unwrap_or(DEFAULT)
        };
        Timeouts {
            create: one("create", &self.create),
            update: one("update", &self.update),
            delete: one("delete", &self.delete),
        }
    }
}
