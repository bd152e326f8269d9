//! Why nothing was made, or why nobody can say whether it was.

use crate::error::ApiError;
use crate::explain::{Doing, explain};
use crate::model::Kind;
use crate::plan::Refusal;
use crate::problem::{Path, Problem};
use crate::text::capital;

/// Why a create has failed. Nothing that was there before was touched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The name was taken before we asked, by one or more.
    #[error("the name {label:?} is taken")]
    Taken {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// The ids by which those are imported that have it.
        ids: Vec<String>,
    },
    /// After a lost answer more than one new object has that name.
    #[error("more than one new object is named {label:?}")]
    Ambiguous {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// The ids of the new ones.
        ids: Vec<String>,
    },
    /// The answer is lost, and so is the look-up after it: it may have been made.
    #[error("whether {label:?} was made is not known")]
    Lost {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// What went wrong with the request.
        #[source]
        error: ApiError,
    },
    /// The answer is lost, and the look-up after it did not show it yet.
    #[error("whether {label:?} is still made is not known")]
    Unseen {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// What went wrong with the request.
        #[source]
        error: ApiError,
        /// Why it was not asked for again, or not with success.
        last: Option<Box<ApiError>>,
    },
    /// Ours was made, its answer was lost, and it could not be removed.
    #[error("{label:?} (id {id}) was made without its key being known, and is still there")]
    LeftBehind {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// The id by which it is imported.
        id: String,
        /// Whether another request may still act that nobody has seen act.
        more: bool,
        /// Why it could not be removed.
        #[source]
        error: ApiError,
    },
    /// A request failed, and nothing was made.
    #[error("{label:?} was not made")]
    Call {
        /// The kind.
        kind: Kind,
        /// The name that was asked for.
        label: String,
        /// What went wrong with the request.
        #[source]
        error: ApiError,
    },
}

impl Failure {
    /// Whether something of ours may be on the server now.
    pub fn may_have_made(&self) -> bool {
        match self {
            Self::Ambiguous { .. }
            | Self::Lost { .. }
            | Self::Unseen { .. }
            | Self::LeftBehind { .. } => true,
            Self::Taken { .. } | Self::Call { .. } => false,
        }
    }

    /// The request's error, where one failed.
    pub fn error(&self) -> Option<&ApiError> {
        match self {
            Self::Taken { .. } | Self::Ambiguous { .. } => None,
            Self::Lost { error, .. }
            | Self::Unseen { error, .. }
            | Self::LeftBehind { error, .. }
            | Self::Call { error, .. } => Some(error),
        }
    }

    /// What a Terraform user is told.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Taken { kind, label, ids } => taken(*kind, label, ids),
            Self::Ambiguous { kind, label, ids } => ambiguous(*kind, label, ids),
            Self::Lost { kind, label, error } => lost(*kind, label, error),
            Self::Unseen { kind, label, error, last } => {
                unseen(*kind, label, error, last.as_deref())
            }
            Self::LeftBehind { kind, label, id, more, error } => {
                left_behind(*kind, label, (id, *more), error)
            }
            Self::Call { kind, label, error } => explain(&Doing::creating(*kind, label), error),
        }
    }
}

fn taken(kind: Kind, label: &str, ids: &[String]) -> Problem {
    if let [id] = ids {
        return Refusal::Taken { kind, id: id.clone(), label: label.to_owned() }.problem();
    }
    let noun = kind.noun();
    let detail = match ids {
        [] => {
            format!("terdut says that the {noun} {label:?} exists already, but does not list it.")
        }
        _ => format!("More than one {noun} is named {label:?}: ids {}.", ids.join(", ")),
    };
    let hint = match ids {
        [] => "Choose another name, or use a key that may see it.",
        _ => "Import the one that is meant by its id, or choose another name.",
    };
    Problem::new(Path::root(), format!("The name of the {noun} is taken"), detail).hint(hint)
}

fn ambiguous(kind: Kind, label: &str, ids: &[String]) -> Problem {
    let noun = kind.noun();
    let detail = format!(
        "The answer to creating the {noun} {label:?} was lost, and more than one new {noun} has \
         that name now: ids {}. Which of them is ours cannot be told; none was touched.",
        ids.join(", ")
    );
    Problem::new(Path::root(), format!("Which {noun} was made is not known"), detail)
        .hint("Delete those that nobody needs, or import one of them by its id.")
}

fn lost(kind: Kind, label: &str, error: &ApiError) -> Problem {
    let said = explain(&Doing::creating(kind, label), error);
    let detail =
        format!("{} It could not be looked up after that, so it may have been made.", said.detail);
    unknown(kind, detail)
}

/// A request may be carried out after whoever waited for it has gone.
fn unseen(kind: Kind, label: &str, error: &ApiError, last: Option<&ApiError>) -> Problem {
    let said = |error| explain(&Doing::creating(kind, label), error).detail;
    let again = last.map(|last| format!(" {}", said(last))).unwrap_or_default();
    let detail = format!(
        "{} It was looked for and is not there yet, but may still appear.{again}",
        said(error)
    );
    unknown(kind, detail)
}

fn unknown(kind: Kind, detail: String) -> Problem {
    let hint = if kind == Kind::ServiceAccountKey {
        "Apply again when the server answers. One more key of that name may then be on the account \
         that nobody holds: revoke it by hand."
    } else {
        "Apply again when the server answers. If the name is taken then, import the object or set \
         adopt_existing = true."
    };
    let summary = format!("Whether the {} was made is not known", kind.noun());
    Problem::new(Path::root(), summary, detail).hint(hint)
}

fn left_behind(kind: Kind, label: &str, (id, more): (&str, bool), error: &ApiError) -> Problem {
    let noun = kind.noun();
    let said = explain(&Doing::deleting(kind, label), error);
    let more = if more { " Another one may still appear." } else { "" };
    let detail = format!(
        "The answer to creating the {noun} {label:?} was lost, and with it the key. The {noun} \
         (id {id}) could not be removed: {}{more}",
        said.detail
    );
    Problem::new(Path::root(), format!("{} is left behind", capital(kind.a_noun())), detail)
        .hint("Remove it by hand, then apply again.")
}
