//! The credential machine: how a tool comes by a key of its own on a server, renews it and gives
//! it up.
//!
//! [`Machine::step`] takes an [`Event`] and answers with the next [`Command`]. The provider's
//! `terdut_server` and the bridge's controllers carry the commands out: one after another, and a
//! [`Command::Store`] must be recorded before the next step. So a crash at any command leaves
//! [`Facts`] from which a new machine finishes the work.
//!
//! It never talks to a server itself, never revokes a stored key before its successor is proved,
//! and never revokes or deletes what is not ours: by a record, or, in [`Custody::Sole`], by the
//! account's name.

mod advice;
mod converge;
mod establish;
mod facts;
mod failure;
mod machine;
mod mint;
mod port;
mod release;
mod run;
mod sole;

#[cfg(test)]
mod tests;

pub use advice::Audience;
pub use facts::{AdminKey, Facts, HeldAccount, HeldKey};
pub use failure::{Failure, Warning};
pub use machine::{Command, Event, Machine, Outcome};

use crate::api::AccountScope;
use crate::secret::SecretString;

/// The name of every key that Terraform mints; names of keys may repeat.
pub const KEY_NAME: &str = "terraform";

/// The name of every key that the bridge mints.
pub const SOLE_KEY_NAME: &str = "terdut-bridge";

/// How often a request is made at the most: three answers in a row may be lost.
const ATTEMPTS: usize = 4;

/// What the server and our key on it are to be. The same order creates, finishes what a crash
/// left, rotates and renames: the facts say what is still missing.
#[derive(Debug, Clone)]
pub struct Order {
    /// The service account that our keys are to be of.
    pub account: WantedAccount,
    /// Whose the other keys of that account are, and what is recorded when.
    pub custody: Custody,
    /// Keys handed in to mint with, best first.
    pub handed: Vec<SecretString>,
    /// The first person, made only where nothing is recorded yet.
    pub bootstrap: Option<FirstPerson>,
    /// Whether the bootstrap may have been asked for before, so that a refusal does not say that
    /// somebody else was first.
    pub resumed: bool,
    /// Whether the first person's admin key outlives the create.
    pub keep_bootstrap_key: bool,
    /// Whether the key that we hold must answer before anything else is done (its server moved).
    pub prove_held: bool,
    /// Whether a new key is minted although one is held.
    pub rotate: Rotate,
}

impl Order {
    /// An account that others may have keys of. Nothing is handed in, nothing is rotated.
    pub fn shared(name: impl Into<String>, adopt_existing: bool) -> Self {
        let account =
            WantedAccount { name: name.into(), scope: AccountScope::Instance, adopt_existing };
        Self::of(account, Custody::Shared)
    }

    /// An account that is ours alone. Nothing is handed in, nothing is rotated.
    pub fn sole(name: impl Into<String>, scope: AccountScope) -> Self {
        let account = WantedAccount { name: name.into(), scope, adopt_existing: false };
        Self::of(account, Custody::Sole)
    }

    fn of(account: WantedAccount, custody: Custody) -> Self {
        Self {
            account,
            custody,
            handed: Vec::new(),
            bootstrap: None,
            resumed: false,
            keep_bootstrap_key: false,
            prove_held: false,
            rotate: Rotate::No,
        }
    }
}

/// The service account that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedAccount {
    /// Its name.
    pub name: String,
    /// What its keys may do.
    pub scope: AccountScope,
    /// Whether one that is there already may be used. One in sole custody is ours by its name.
    pub adopt_existing: bool,
}

/// Whose the keys of our account are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Custody {
    /// Others may have keys of it (Terraform). Only keys on record are revoked, and the key before
    /// the one in use lives until the next rotation, since the state is saved late. Each step is
    /// stored.
    Shared,
    /// The name is ours alone (the bridge). One that is there is ours and gets a further key; once
    /// a key is proved and stored, every other key of the account is revoked. Facts are stored
    /// when they hold a proved key, and the bootstrap's at once: so a create needs one record, and
    /// what a crash leaves is found by the name.
    Sole,
}

impl Custody {
    /// How the keys are called that are minted in it.
    pub const fn key_name(self) -> &'static str {
        match self {
            Self::Shared => KEY_NAME,
            Self::Sole => SOLE_KEY_NAME,
        }
    }
}

/// The person whom `/api/bootstrap` makes.
#[derive(Debug, Clone)]
pub struct FirstPerson {
    /// Log-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// With it the person can log in.
    pub password: Option<SecretString>,
}

/// Whether a new key is minted although one is held, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotate {
    /// Not.
    No,
    /// By the key that is held; by those handed in where it may not.
    ByHeld,
    /// By those handed in; by the one that is held where they may not.
    ByHanded,
    /// By those handed in: the held one is refused. The account may be gone, and is made again.
    Lost,
}
