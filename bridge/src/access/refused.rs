//! Why there is no way to a server now, as a condition and as what comes next.

use std::time::Duration;

use terdut_core::error::Class;

use crate::engine::{Next, RetryWhy};
use crate::kube::KubeError;
use crate::servers::Down;
use crate::status::{Reason, State};

/// Why there is no way.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The server in the same namespace is not there.
    #[error("the server is not there")]
    NoServer,
    /// The server does not allow it, or is not there: nobody outside may tell which.
    #[error("the server may not be used from this namespace")]
    NotPermitted,
    /// The server is being deleted.
    #[error("the server is being deleted")]
    ServerDeleting,
    /// The bridge has no key to the server yet.
    #[error("there is no key to the server yet")]
    NoCredential,
    /// The team is not there.
    #[error("the team is not there")]
    NoTeam,
    /// The team is being deleted.
    #[error("the team is being deleted")]
    TeamDeleting,
    /// The team is there, and not yet on the server, or it may not be.
    #[error("the team is not ready")]
    TeamNotReady,
    /// The bridge has no rights in the object's namespace.
    #[error("the bridge has no rights in the namespace")]
    NotGranted,
    /// Not all records are known yet, so that nobody can tell whose what is.
    #[error("the records in the bridge's namespace are not listed yet")]
    NotListed,
    /// The server does not answer.
    #[error("the server does not answer")]
    Down(Down),
    /// The Kubernetes API could not be asked.
    #[error("the Kubernetes API could not be asked")]
    Kube(#[from] KubeError),
}

impl Refused {
    /// The same for a child, which waits for its team whatever that waits for.
    pub(super) fn seen_by_child(self) -> Self {
        match self {
            Self::NoServer | Self::NotPermitted | Self::NoCredential => Self::TeamNotReady,
            other => other,
        }
    }

    /// What a condition says; none where the Kubernetes API failed: the error itself tells.
    pub fn state(&self) -> Option<State> {
        let (reason, message) = match self {
            Self::NoServer => (
                Reason::WaitingForServer,
                "There is no TerdutServer of that name in this namespace.",
            ),
            Self::NotPermitted => (
                Reason::RefNotPermitted,
                "No TerdutServer of that name may be used from this namespace. If it exists, its \
                 owner can allow it in spec.allowedTeams.",
            ),
            Self::ServerDeleting => (Reason::ServerDeleting, "The TerdutServer is being deleted."),
            Self::NoCredential => (
                Reason::WaitingForServer,
                "The TerdutServer is not bootstrapped yet: there is no key to it.",
            ),
            Self::NoTeam => {
                (Reason::WaitingForTeam, "There is no TerdutTeam of that name in this namespace.")
            }
            Self::TeamDeleting => (Reason::WaitingForTeam, "The TerdutTeam is being deleted."),
            Self::TeamNotReady => {
                (Reason::WaitingForTeam, "The TerdutTeam is not ready; its conditions say why.")
            }
            Self::NotGranted => return Some(not_granted()),
            Self::Down(down) => return Some(down.state()),
            Self::NotListed | Self::Kube(_) => return None,
        };
        Some(State::no(reason, message))
    }

    /// What comes next.
    pub fn next(&self) -> Next {
        match self {
            Self::Down(down) => down.next(),
            Self::Kube(error) => kube_next(error),
            Self::NotGranted => Next::retry(Class::Denied),
            Self::NotListed => Next::retry(Class::Retryable),
            _ => Next::Waiting,
        }
    }
}

/// The pass failed at the Kubernetes API and is made again.
pub fn kube_next(error: &KubeError) -> Next {
    let after = error.retry_after().map(|seconds| Duration::from_secs(seconds.into()));
    Next::Retry(RetryWhy { class: error.class.core(), after })
}

/// The bridge may not work in the object's namespace.
pub fn not_granted() -> State {
    State::no(
        Reason::NamespaceNotGranted,
        "The bridge has no rights in this namespace: grant it its Role for tenants there (the \
         chart's tenants.namespaces).",
    )
}
