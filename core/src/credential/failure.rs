//! Why the machine stopped short, and what a person should know although it did not.
//!
//! The tools turn these into diagnostics, conditions and Events. A text says what happened, in
//! words of neither tool; [`Failure::advice`] says what to do, in the words of one.

use crate::api::AccountScope;
use crate::error::ApiError;
use crate::ids::{AccountId, KeyId};

/// Why an order was not carried out in full.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// 403: the one bootstrap is spent.
    #[error("the server was bootstrapped before: it has users, and /api/bootstrap works only once")]
    WaitingForCredential,
    /// The bootstrap may have worked, and its answer is lost.
    #[error(
        "the answer to /api/bootstrap was lost; the server may have made the first user, and its \
         admin key is shown only once"
    )]
    BootstrapStateLost(#[source] Option<ApiError>),
    /// Nobody answered, and nobody has said that the bootstrap is spent: asking again tells.
    #[error(
        "/api/bootstrap was asked for, and whether the server made the first user is not known"
    )]
    BootstrapUnanswered(#[source] ApiError),
    /// No key is at hand for what has to be done.
    #[error("{doing} needs a key, and none was handed in")]
    NoCredential {
        /// What has to be done.
        doing: String,
    },
    /// The account's name is taken.
    #[error("the service account {name:?} exists already, with the id {account}")]
    NameTaken {
        /// The name.
        name: String,
        /// Whose it is.
        account: AccountId,
    },
    /// The account that was to be adopted is of another scope.
    #[error("the service account {name:?} (id {account}) has the scope {scope}, not {wanted}")]
    WrongScope {
        /// Its name.
        name: String,
        /// Its id.
        account: AccountId,
        /// Its scope, as the server calls it.
        scope: String,
        /// The one that was wanted.
        wanted: String,
    },
    /// 403: an instance key cannot make an instance account.
    #[error("the key handed in may not make the service account {name:?}")]
    NeedsAdminKey {
        /// The account's name.
        name: String,
        /// What the server said.
        #[source]
        error: ApiError,
    },
    /// The held key may not mint a further one.
    #[error("{doing} with its own key was refused; the key in use stays")]
    RotationDenied {
        /// What was being done to which object.
        doing: String,
        /// What the server said.
        #[source]
        error: ApiError,
    },
    /// The account is no longer on the server.
    #[error("the service account {account} is no longer on the server")]
    AccountGone {
        /// The account.
        account: AccountId,
    },
    /// An answer was lost, and more than one new key is there.
    #[error(
        "an answer was lost, and the keys {} are all new on service account {account}",
        list(keys)
    )]
    Ambiguous {
        /// The account.
        account: AccountId,
        /// The keys, one of which is ours.
        keys: Vec<KeyId>,
    },
    /// A request failed.
    #[error("{doing} failed")]
    Call {
        /// What was being done to which object.
        doing: String,
        /// What the server said.
        #[source]
        error: ApiError,
    },
}

impl Failure {
    pub(super) fn call(doing: impl Into<String>, error: ApiError) -> Self {
        Self::Call { doing: doing.into(), error }
    }

    /// A word for it: the reason of a condition, the summary's end of a diagnostic.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::WaitingForCredential | Self::NoCredential { .. } => "WaitingForCredential",
            Self::BootstrapStateLost(_) => "BootstrapStateLost",
            Self::NameTaken { .. } => "NameTaken",
            Self::WrongScope { .. } | Self::Ambiguous { .. } => "Invalid",
            Self::NeedsAdminKey { .. } => "Denied",
            Self::RotationDenied { .. } => "RotationDenied",
            Self::AccountGone { .. } => "NotFound",
            Self::BootstrapUnanswered(error) | Self::Call { error, .. } => error.class.as_str(),
        }
    }

    /// What the server said, where it said something.
    pub fn said(&self) -> Option<&ApiError> {
        match self {
            Self::BootstrapStateLost(error) => error.as_ref(),
            Self::BootstrapUnanswered(error)
            | Self::NeedsAdminKey { error, .. }
            | Self::RotationDenied { error, .. }
            | Self::Call { error, .. } => Some(error),
            Self::WaitingForCredential
            | Self::NoCredential { .. }
            | Self::NameTaken { .. }
            | Self::WrongScope { .. }
            | Self::AccountGone { .. }
            | Self::Ambiguous { .. } => None,
        }
    }
}

/// What is left over or was not possible, without keeping the order from being done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Keys of ours that could not be revoked.
    #[error("the keys {} of service account {account} were not revoked", list(keys))]
    KeysLeft {
        /// The account.
        account: AccountId,
        /// The keys; empty where their ids are unknown.
        keys: Vec<KeyId>,
        /// What the server said.
        #[source]
        error: Option<ApiError>,
    },
    /// Keys that may be ours and that nobody here holds. Never revoked by guess.
    #[error("service account {account} has keys that are not held here: {}", list(keys))]
    KeysNotHeld {
        /// The account.
        account: AccountId,
        /// The keys.
        keys: Vec<KeyId>,
    },
    /// The account's keys cannot be listed, so that others of ours may be left on it.
    #[error(
        "the keys of service account {account} cannot be listed; one of ours may be left on it"
    )]
    KeysUnlisted {
        /// The account.
        account: AccountId,
        /// What the server said.
        #[source]
        error: ApiError,
    },
    /// A key whose answer was lost cannot be looked up on this server.
    #[error("service account {account} may have one more key, whose answer was lost")]
    KeyLost {
        /// The account.
        account: AccountId,
    },
    /// The account that we made could not be deleted.
    #[error("service account {account}, which was made here, stays on the server")]
    AccountStays {
        /// The account.
        account: AccountId,
        /// What the server said.
        #[source]
        error: Option<ApiError>,
    },
    /// The first person's admin key could not be revoked.
    #[error("the admin key {key} of user {user} was not revoked")]
    AdminKeyLeft {
        /// The person.
        user: crate::ids::UserId,
        /// The key.
        key: KeyId,
        /// What the server said.
        #[source]
        error: ApiError,
    },
    /// No key of this server is held.
    #[error("no key of this server is held, so none was revoked")]
    NothingHeld,
}

impl Warning {
    /// Whether a key that works is left on the server.
    pub const fn is_of_a_key_left(&self) -> bool {
        matches!(self, Self::KeysLeft { .. } | Self::AdminKeyLeft { .. })
    }

    /// What the server said, where it said something.
    pub fn said(&self) -> Option<&ApiError> {
        match self {
            Self::KeysLeft { error, .. } | Self::AccountStays { error, .. } => error.as_ref(),
            Self::AdminKeyLeft { error, .. } | Self::KeysUnlisted { error, .. } => Some(error),
            Self::KeysNotHeld { .. } | Self::KeyLost { .. } | Self::NothingHeld => None,
        }
    }
}

pub(super) fn list(keys: &[KeyId]) -> String {
    if keys.is_empty() {
        return "(of unknown id)".to_owned();
    }
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A scope as the server calls it.
pub(super) fn scope_word(scope: &AccountScope) -> String {
    match scope {
        AccountScope::Instance => "instance".to_owned(),
        AccountScope::Team(team) => format!("team ({team})"),
        AccountScope::Other(word) => word.clone(),
    }
}
