//! Where what is wanted and what is there do not mean the same.
//!
//! Filled by the models, read by [`super::plan`] and shown by the faces.

use crate::ids::TeamId;
use crate::value::Field;

/// An attribute that forces a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name, in `snake_case`.
    pub field: &'static str,
    /// Why it cannot be changed in place.
    pub why: &'static str,
    /// Whether it is known to differ; else it is only known after apply.
    pub certain: bool,
}

/// All differences of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// What forces a replacement.
    pub replace: Vec<Change>,
    /// What is changed in place, each once.
    pub updates: Vec<&'static str>,
}

impl Differences {
    /// Whether both mean the same.
    pub fn is_empty(&self) -> bool {
        self.replace.is_empty() && self.updates.is_empty()
    }

    /// Whether that attribute is changed in place.
    pub fn updates(&self, field: &str) -> bool {
        self.updates.contains(&field)
    }

    /// Notes an attribute that is changed in place, unless it means the same.
    pub(crate) fn update<T>(
        &mut self,
        field: &'static str,
        wanted: &Field<T>,
        same: impl FnOnce(&T) -> bool,
    ) {
        if wanted.differs(same).unwrap_or(true) && !self.updates(field) {
            self.updates.push(field);
        }
    }

    /// Notes an attribute that forces a replacement, unless it means the same.
    pub(crate) fn replace<T>(
        &mut self,
        field: &'static str,
        wanted: &Field<T>,
        same: impl FnOnce(&T) -> bool,
        why: &'static str,
    ) {
        match wanted.differs(same) {
            Some(false) => {}
            Some(true) => self.replace.push(Change { field, why, certain: true }),
            None => self.replace.push(Change { field, why, certain: false }),
        }
    }

    /// The same for a text that the server always has: an empty one comes from a partial state,
    /// which says nothing. What is not known to differ must not cost an object.
    pub(crate) fn replace_text<T>(
        &mut self,
        field: &'static str,
        wanted: &Field<T>,
        there: &str,
        same: impl FnOnce(&T, &str) -> bool,
        why: &'static str,
    ) {
        if !there.is_empty() {
            self.replace(field, wanted, |wanted| same(wanted, there), why);
        }
    }

    /// Notes another team.
    pub(crate) fn team(&mut self, wanted: &Field<TeamId>, there: TeamId) {
        let why = "an object cannot move to another team";
        self.replace("team_id", wanted, |team| *team == there, why);
    }

    /// Notes that a new key is asked for.
    pub(super) fn rotate(&mut self, asked: bool) {
        if asked {
            let why = "a new key is asked for, and terdut gives one only with a new object";
            self.replace.push(Change { field: "rotate_when_changed", why, certain: true });
        }
    }
}
