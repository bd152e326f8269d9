//! What the walks of a [`super::World`] hand back to a suite.

use serde_json::Value as Json;

use crate::host::json::to_json;
use crate::host::session::{Diagnostic, Planned};
use crate::host::value::{Path, Value};

/// What a plan would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    NoOp,
    /// Create the object.
    Create,
    /// Change it in place.
    Update,
    /// Delete it and create another, in whichever order.
    Replace,
    /// Delete it.
    Delete,
}

/// By what an object is imported.
#[derive(Debug, Clone, Copy)]
pub enum ImportBy<'a> {
    /// An id as on the command line.
    Id(&'a str),
    /// An identity as in an import block.
    Identity(&'a Json),
}

/// One attribute that a plan changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Its name at the root.
    pub name: String,
    /// What it was.
    pub before: Json,
    /// What it will be.
    pub after: Json,
}

/// A plan.
#[derive(Debug, Clone)]
pub struct PlanOutcome {
    /// What would be done.
    pub action: Action,
    /// The attributes that make it a replacement.
    pub replace_paths: Vec<String>,
    /// The object as it is, null for none.
    pub before: Json,
    /// The object as it would be, with `{"$unknown": true}` for what is known after apply.
    pub after: Json,
    /// Warnings of read, validation and plan.
    pub diagnostics: Vec<Diagnostic>,
}

impl PlanOutcome {
    /// Whether nothing would be done.
    pub fn is_empty(&self) -> bool {
        self.action == Action::NoOp
    }

    /// The attributes that would change.
    pub fn changes(&self) -> Vec<Change> {
        let empty = serde_json::Map::new();
        let before = self.before.as_object().unwrap_or(&empty);
        let after = self.after.as_object().unwrap_or(&empty);
        let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
        names.sort();
        names.dedup();
        let value = |object: &serde_json::Map<_, Json>, name: &str| {
            object.get(name).cloned().unwrap_or(Json::Null)
        };
        let change = |name: &String| Change {
            name: name.clone(),
            before: value(before, name),
            after: value(after, name),
        };
        names.into_iter().map(change).filter(|change| change.before != change.after).collect()
    }

    /// The names of the attributes that would change.
    pub fn changed(&self) -> Vec<String> {
        self.changes().into_iter().map(|change| change.name).collect()
    }

    /// Whether a warning contains a text.
    pub fn warns(&self, text: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.says(text))
    }

    /// Fails unless nothing would be done.
    ///
    /// # Panics
    /// With the changes, if there are any.
    #[track_caller]
    pub fn expect_empty(&self) {
        assert!(self.is_empty(), "the plan is {:?}: {:#?}", self.action, self.changes());
    }

    /// Fails unless it would do just that.
    ///
    /// # Panics
    /// With the changes, if it would do something else.
    #[track_caller]
    pub fn expect(&self, action: Action) {
        assert_eq!(self.action, action, "{:#?} {:?}", self.changes(), self.replace_paths);
    }
}

/// An apply.
#[derive(Debug, Clone)]
pub struct ApplyOutcome {
    /// The plan that was carried out.
    pub plan: PlanOutcome,
    /// The stored object, null for none.
    pub state: Json,
    /// Warnings of the apply itself.
    pub diagnostics: Vec<Diagnostic>,
}

impl ApplyOutcome {
    /// Whether a warning of the apply contains a text.
    pub fn warns(&self, text: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.says(text))
    }
}

/// The action between a prior and a planned value, with the paths that really force a
/// replacement: those which changed, or hold a write-only value.
pub(super) fn action_of(
    prior: &Value,
    planned: &Planned,
    write_only: impl Fn(&Path) -> bool,
) -> (Action, Vec<Path>) {
    let after = &planned.held.state;
    if prior.is_null() {
        return (Action::Create, Vec::new());
    }
    if after.is_null() {
        return (Action::Delete, Vec::new());
    }
    let changed = |path: &&Path| {
        let (before, after) = (prior.at(path), after.at(path));
        write_only(path) || before != after || after.is_some_and(|value| !value.is_known())
    };
    let replace: Vec<_> = planned.replace.iter().filter(changed).cloned().collect();
    match (replace.is_empty(), prior.unrefined() == after.unrefined()) {
        (false, _) => (Action::Replace, replace),
        (true, true) => (Action::NoOp, replace),
        (true, false) => (Action::Update, replace),
    }
}

pub(super) fn outcome(
    action: Action,
    replace: &[Path],
    before: &Value,
    after: &Value,
    diagnostics: Vec<Diagnostic>,
) -> PlanOutcome {
    PlanOutcome {
        action,
        replace_paths: replace.iter().map(ToString::to_string).collect(),
        before: to_json(before),
        after: to_json(after),
        diagnostics,
    }
}
