//! What is kept beside the state, in the resource's private data.
//!
//! The state says which keys are held; this says what of it we made, and what is left to do. It
//! holds keys in clear, as the state does, and has therefore no `Debug`.

use serde::{Deserialize, Serialize};
use terdut_core::credential::{AdminKey, Facts, HeldAccount, HeldKey};
use terdut_core::ids::{AccountId, KeyId, UserId};
use terdut_core::secret::SecretString;

/// The key of the private data.
pub(super) const KEY: &str = "credential";

/// See the module.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// Whether we made the account.
    pub(super) made: bool,
    /// Keys of ours on it that are of no more use.
    pub(super) spare: Vec<KeyId>,
    /// Whether a create was begun and is not finished.
    pub(super) unfinished: bool,
    /// Whether the server refused the token when it was last read.
    pub(super) refused: bool,
    intent: Option<String>,
    admin: Option<Admin>,
    retired: Vec<Retired>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Admin {
    user: UserId,
    key: KeyId,
    token: String,
    done: bool,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Retired {
    id: AccountId,
    name: Option<String>,
    made: bool,
    key: Option<KeyId>,
    token: Option<String>,
    previous: Option<KeyId>,
    spare: Vec<KeyId>,
}

impl Record {
    /// The same, with a token that the server is known to refuse.
    #[must_use]
    pub(super) fn refused_if(self, refused: bool) -> Self {
        Self { refused, ..self }
    }

    /// The record of what is held now.
    pub(super) fn of(facts: &Facts) -> Self {
        let current = facts.current.as_ref();
        Self {
            made: current.is_some_and(|account| account.made),
            spare: current.map(|account| account.spare.clone()).unwrap_or_default(),
            unfinished: facts.unfinished,
            refused: false,
            intent: facts.intent.clone(),
            admin: facts.admin.as_ref().map(Admin::of),
            retired: facts.retired.iter().map(Retired::of).collect(),
        }
    }

    /// What it says beside the account in use, which is the state's.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            current: None,
            retired: self.retired.iter().map(Retired::account).collect(),
            admin: self.admin.as_ref().map(Admin::key),
            intent: self.intent.clone(),
            unfinished: self.unfinished,
        }
    }
}

impl Admin {
    fn of(admin: &AdminKey) -> Self {
        let token = admin.token.expose().to_owned();
        Self { user: admin.user, key: admin.key, token, done: admin.done }
    }

    fn key(&self) -> AdminKey {
        let token = SecretString::new(self.token.as_str());
        AdminKey { user: self.user, key: self.key, token, done: self.done }
    }
}

impl Retired {
    fn of(account: &HeldAccount) -> Self {
        Self {
            id: account.id,
            name: account.name.clone(),
            made: account.made,
            key: account.key.as_ref().and_then(|key| key.id),
            token: account.token().map(|token| token.expose().to_owned()),
            previous: account.previous,
            spare: account.spare.clone(),
        }
    }

    fn account(&self) -> HeldAccount {
        let token = self.token.as_deref().map(SecretString::new);
        HeldAccount {
            id: self.id,
            name: self.name.clone(),
            made: self.made,
            key: token.map(|token| HeldKey { id: self.key, token }),
            previous: self.previous,
            spare: self.spare.clone(),
        }
    }
}
