//! Why a plan does nothing.

use super::Change;
use crate::model::{Kind, Model};
use crate::problem::{Path, Problem};
use crate::text::capital;

/// Why a plan does nothing. Its object was found by name and is not known to be ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Its name is taken.
    Taken {
        /// The kind.
        kind: Kind,
        /// The id by which it is imported.
        id: String,
        /// How it is called.
        label: String,
    },
    /// It may be taken over, but differs where it cannot be changed.
    Differs {
        /// The kind.
        kind: Kind,
        /// The id by which it is imported.
        id: String,
        /// How it is called.
        label: String,
        /// Where it differs.
        changes: Vec<Change>,
    },
    /// Another resource of the same configuration has it.
    Shared {
        /// The kind.
        kind: Kind,
        /// The id by which it is imported.
        id: String,
        /// How it is called.
        label: String,
    },
    /// It would be deleted without a record that it is ours.
    NotOurs {
        /// The kind.
        kind: Kind,
        /// The id by which it is imported.
        id: String,
        /// How it is called.
        label: String,
    },
}

impl Refusal {
    pub(super) fn taken<M: Model>(observed: &M::Observed) -> Self {
        let (id, label) = (M::import_id(observed), M::label(observed));
        Self::Taken { kind: M::KIND, id, label }
    }

    pub(super) fn differs<M: Model>(observed: &M::Observed, changes: Vec<Change>) -> Self {
        let (id, label) = (M::import_id(observed), M::label(observed));
        Self::Differs { kind: M::KIND, id, label, changes }
    }

    pub(super) fn shared<M: Model>(observed: &M::Observed) -> Self {
        let (id, label) = (M::import_id(observed), M::label(observed));
        Self::Shared { kind: M::KIND, id, label }
    }

    pub(super) fn not_ours<M: Model>(observed: &M::Observed) -> Self {
        let (id, label) = (M::import_id(observed), M::label(observed));
        Self::NotOurs { kind: M::KIND, id, label }
    }

    /// What a Terraform user is told.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Taken { kind, id, label } => taken(*kind, id, label),
            Self::Differs { kind, id, label, changes } => differs(*kind, id, label, changes),
            Self::Shared { kind, id, label } => {
                let detail = format!(
                    "The {} {label:?} (id {id}) belongs to another resource of this configuration. \
                     Two would fight over it, so it is not adopted twice: give one of them another \
                     name, or remove it.",
                    kind.noun()
                );
                Problem::new(Path::root(), "Two resources of one name", detail)
            }
            Self::NotOurs { kind, id, label } => {
                let detail = format!(
                    "{} {label:?} (id {id}) is not recorded as made by this configuration.",
                    kind.noun()
                );
                Problem::new(Path::root(), "Not deleted", detail)
            }
        }
    }
}

fn taken(kind: Kind, id: &str, label: &str) -> Problem {
    let (noun, resource) = (kind.noun(), kind.resource_type());
    let (summary, detail) = if kind == Kind::EscalationRule {
        let detail = format!(
            "The {noun} {label} exists already and was not made by this configuration. Nothing was \
             changed."
        );
        ("The team has an escalation rule already".to_owned(), detail)
    } else {
        let detail = format!(
            "{} named {label:?} exists already, with id {id}, and was not made by this \
             configuration. Nothing was changed.",
            kind.a_noun()
        );
        (format!("The name of the {noun} is taken"), capital(&detail))
    };
    let other = match kind {
        Kind::EscalationRule => String::new(),
        Kind::DeadmanSwitch | Kind::AlertSource => {
            // What is replaced with an unchanged name is in its own way.
            format!(
                " If this {noun} is being replaced with create_before_destroy, the old one still \
                 has the name: remove create_before_destroy. Else choose another name."
            )
        }
        Kind::Server | Kind::Team | Kind::User | Kind::ServiceAccount | Kind::ServiceAccountKey => {
            " Else choose another name.".to_owned()
        }
    };
    Problem::new(Path::root(), summary, detail).hint(format!(
        "To manage it, import it:\n\n  import {{\n    to = {resource}.NAME\n    id = \"{id}\"\n  \
         }}\n\nor set adopt_existing = true.{other}"
    ))
}

fn differs(kind: Kind, id: &str, label: &str, changes: &[Change]) -> Problem {
    let fields: Vec<_> = changes.iter().map(|change| change.field).collect();
    let detail = format!(
        "The {} {label:?} (id {id}) differs from the configuration in {}, which terdut cannot \
         change. Nothing was changed.",
        kind.noun(),
        fields.join(", ")
    );
    let field = changes.first().map_or_else(Path::root, |change| Path::of(change.field));
    Problem::new(field, format!("The {} cannot be adopted", kind.noun()), detail)
        .hint("Make the configuration say what is there, choose another name, or remove it first.")
}
