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

/// A rotation that the server refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusedRotation {
    /// The wish of a person; `None` if the key's age asked for it.
    pub asked: Option<String>,
    /// What the object said besides.
    pub attempt: Attempt,
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
    pub(super) fn parse(data: &Data) -> Option<Self> {
        let generation = data::parsed(data, "refused-generation")?;
        let reconcile_at = data::text(data, "refused-reconcile-at").unwrap_or_default();
        let attempt = Attempt { generation, reconcile_at };
        Some(Self { asked: data::text(data, "refused-rotation"), attempt })
    }

    pub(super) fn put(&self, data: &mut Data) {
        data::put_some(data, "refused-rotation", self.asked.as_ref());
        data::put(data, "refused-generation", self.attempt.generation);
        data::put(data, "refused-reconcile-at", &self.attempt.reconcile_at);
    }
}
