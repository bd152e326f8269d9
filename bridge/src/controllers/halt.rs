//! Why a pass ended before all was as the manifest says.
//!
//! Every step of a reconcile answers with one of these; `ending` turns it into conditions, an Event
//! and what comes next. Its texts are fixed: nothing that a server said gets into a condition.

use std::error::Error;

use terdut_core::create::Failure;
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::plan::StepError;
use terdut_core::problem::{Findings, Problem};

use terdut_client::execute::{Failed, Why};

use crate::access::{Refused, kube_next, not_granted};
use crate::engine::{Grant, Next};
use crate::kube::{KubeClass, KubeError};
use crate::status::{Reason, State, from_error};

/// Why a pass ended early.
#[derive(Debug)]
pub(super) enum Halt {
    /// For a reason that people see.
    Because {
        /// What the conditions say.
        state: State,
        /// What comes next.
        next: Next,
    },
    /// The Kubernetes API failed; nothing is to be said, the pass is made again.
    Again(Next),
}

impl Halt {
    /// Something else has to change first.
    pub(super) fn waiting(reason: Reason, message: impl Into<String>) -> Self {
        Self::Because { state: State::no(reason, message), next: Next::Waiting }
    }

    /// It is tried again, later each time.
    pub(super) fn retry(reason: Reason, message: impl Into<String>, class: Class) -> Self {
        Self::Because { state: State::no(reason, message), next: Next::retry(class) }
    }

    /// What the manifest says is wrong: all of it in one message.
    pub(super) fn invalid(findings: &Findings) -> Self {
        Self::waiting(Reason::Invalid, listed(&findings.errors))
    }
}

/// All problems in one message, each with its path as the manifest has it.
fn listed(problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let path = problem.path.camel_case();
        if path.is_empty() {
            problem.detail.clone()
        } else {
            format!("spec.{path}: {}", problem.detail)
        }
    };
    problems.iter().map(line).collect::<Vec<_>>().join(" ")
}

/// What people read of it in a namespace. A refusal of the API server reads as if the bridge had no
/// rights there, which is so where nothing else is known; where it has them, that would lead astray.
pub(super) fn told_where(grant: Grant, state: State) -> State {
    if grant != Grant::Granted || state.reason != Reason::NamespaceNotGranted {
        return state;
    }
    let message = "The API server forbids what has to be done for this object, although the bridge \
                   may work in this namespace: a quota, an admission policy or an old Role may be \
                   why. The bridge's log has its words.";
    State { reason: Reason::Invalid, message: message.to_owned(), ..state }
}

impl From<Refused> for Halt {
    fn from(refused: Refused) -> Self {
        if let Refused::Kube(error) = refused {
            return error.into();
        }
        let next = refused.next();
        match refused.state() {
            Some(state) => Self::Because { state, next },
            None => Self::Again(next),
        }
    }
}

impl From<KubeError> for Halt {
    fn from(error: KubeError) -> Self {
        let next = kube_next(&error);
        if error.class == KubeClass::Forbidden {
            let cause = error.source().map(ToString::to_string);
            tracing::warn!(%error, cause, "the API server forbids it");
            return Self::Because { state: not_granted(), next };
        }
        tracing::debug!(%error, "a pass is made again");
        Self::Again(next)
    }
}

impl From<&ApiError> for Halt {
    fn from(error: &ApiError) -> Self {
        tracing::debug!(%error, "a request to a server failed");
        if error.class == Class::NotFound {
            return Self::retry(
                Reason::WaitingForTeam,
                "The team is not on the server any more; it is looked at first.",
                error.class,
            );
        }
        let state = from_error(error, "bring the server to what the manifest says");
        Self::Because { state, next: Next::retry(error.class) }
    }
}

impl From<&Failed> for Halt {
    fn from(failed: &Failed) -> Self {
        match &failed.why {
            Why::Create(failure) => Self::from(failure),
            Why::Call(error) => Self::from(error),
            Why::Step(StepError::UnknownUsers(problems)) => {
                Self::retry(Reason::UnknownUser, listed(problems), Class::NotFound)
            }
            Why::Step(error) => fault(error),
            Why::Broken(error) => fault(error),
        }
    }
}

impl From<&Failure> for Halt {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Taken { ids, .. } => taken(ids),
            Failure::Ambiguous { ids, .. } => Self::retry(
                Reason::NameTaken,
                format!(
                    "The answer to making it was lost, and more than one new object has its name: \
                     {}. Which is ours cannot be told; none was touched. Remove those that nobody \
                     needs.",
                    ids.join(", ")
                ),
                Class::Conflict,
            ),
            Failure::LeftBehind { id, .. } => Self::retry(
                Reason::Unreachable,
                format!(
                    "It was made as {id}, the answer with its key was lost, and it could not be \
                     removed yet. It is tried again."
                ),
                Class::Retryable,
            ),
            Failure::Lost { error, .. }
            | Failure::Unseen { error, .. }
            | Failure::Call { error, .. } => Self::from(error),
        }
    }
}

fn taken(ids: &[String]) -> Halt {
    let whose = if ids.is_empty() { String::new() } else { format!(" by {}", ids.join(", ")) };
    let message = format!(
        "The name is taken on the server{whose}. Choose another one, or remove what has it."
    );
    Halt::retry(Reason::NameTaken, message, Class::Conflict)
}

/// Whether it is certain that a create made nothing, and will not yet. Then its record has to go: to
/// a later pass it would say that whatever gets the name is ours.
pub(super) fn made_nothing(failed: &Failed) -> bool {
    let Why::Create(failure) = &failed.why else { return false };
    let refused = failure.error().is_none_or(|error| error.effect == Effect::None);
    refused && !failure.may_have_made()
}

/// A fault of ours: nothing was done.
fn fault(error: &dyn std::error::Error) -> Halt {
    tracing::error!(%error, "a plan was not carried out");
    Halt::retry(
        Reason::Invalid,
        "The bridge made a plan that breaks its own rules; nothing was done. Please report it.",
        Class::Invalid,
    )
}

#[cfg(test)]
mod tests {
    use terdut_core::problem::Path;

    use super::*;

    #[test]
    fn all_that_is_wrong_is_in_one_message_with_its_place() {
        let mut findings = Findings::default();
        findings.error(Problem::new(Path::of("repeat_count"), "Invalid value", "Too many."));
        findings.error(Problem::new(Path::root(), "Invalid value", "No levels."));
        let Halt::Because { state, .. } = Halt::invalid(&findings) else { panic!() };
        assert_eq!(state.message, "spec.repeatCount: Too many. No levels.");
        assert_eq!(state.reason, Reason::Invalid);
    }
}
