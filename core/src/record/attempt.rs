//! What was tried and refused: it is tried again only for something new.
//!
//! Used by the records of bootstraps and keys. That a refusal is written down, and not only shown in
//! a condition, is what keeps it through passes that fail for another reason, and through restarts.

use super::data::{self, Data};

/// What an object said when it was tried: another attempt needs something new.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its generation.
    pub generation: i64,
    /// Its `reconcile-at`.
    pub reconcile_at: String,
}

/// How long a refusal counts, in seconds: a server may let a key be replaced another day.
const DAY: i64 = 24 * 60 * 60;

/// A rotation that the server refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusedRotation {
    /// The wish of a person; `None` if the key's age asked for it.
    pub asked: Option<String>,
    /// What the object said besides.
    pub attempt: Attempt,
    /// When it was refused, in seconds since 1970.
    pub at: i64,
}

impl Attempt {
    pub(super) fn parse(data: &Data) -> Self {
        Self {
            generation: data::parsed(data, "generation").unwrap_or_default(),
            reconcile_at: data::text(data, "reconcile-at").unwrap_or_default(),
        }
    }

    pub(super) fn put(&self, data: &mut Data) {
        data::put(data, "generation", self.generation);
        data::put(data, "reconcile-at", &self.reconcile_at);
    }
}

impl RefusedRotation {
    /// Whether a rotation that is due now would be the same again, on the same day.
    pub fn is_of(&self, due: &Self) -> bool {
        self.asked == due.asked
            && self.attempt == due.attempt
            && due.at.saturating_sub(self.at) < DAY
    }

    pub(super) fn parse(data: &Data) -> Option<Self> {
        let generation = data::parsed(data, "refused-generation")?;
        let reconcile_at = data::text(data, "refused-reconcile-at").unwrap_or_default();
        let attempt = Attempt { generation, reconcile_at };
        let at = data::parsed(data, "refused-at").unwrap_or_default();
        Some(Self { asked: data::text(data, "refused-rotation"), attempt, at })
    }

    pub(super) fn put(&self, data: &mut Data) {
        data::put_some(data, "refused-rotation", self.asked.as_ref());
        data::put(data, "refused-at", self.at);
        data::put(data, "refused-generation", self.attempt.generation);
        data::put(data, "refused-reconcile-at", &self.attempt.reconcile_at);
    }
}
