//! The credential machine: how a tool comes by a key of its own on a server, renews it and gives
//! it up.
//!
//! [`Machine::step`] takes an [`Event`] and answers with the next [`Command`]. The provider's
//! `terdut_server` carries the commands out (the bridge will, too): one after another, and a
//! [`Command::Store`] must be recorded before the next step. So a crash at any command leaves
//! [`Facts`] from which a new machine finishes the work.
//!
//! It never talks to a server itself, never revokes a stored key before its successor is proved,
//! and never revokes or deletes what it has no record of having made.

mod converge;
mod establish;
mod facts;
mod failure;
mod machine;
mod mint;
mod port;
mod release;
mod run;

#[cfg(test)]
mod tests;

pub use facts::{AdminKey, Facts, HeldAccount, HeldKey};
pub use failure::{Failure, Warning};
pub use machine::{Command, Event, Machine, Outcome};

use crate::secret::SecretString;

/// The name of every key that is minted here; names of keys may repeat.
pub const KEY_NAME: &str = "terraform";

/// How often a request is made again whose answer was lost without having acted.
const ATTEMPTS: usize = 3;

/// What the server and our key on it are to be. The same order creates, finishes what a crash
/// left, rotates and renames: the facts say what is still missing.
#[derive(Debug, Clone)]
pub struct Order {
    /// The service account that our keys are to be of.
    pub account: WantedAccount,
    /// Keys handed in to mint with, best first.
    pub handed: Vec<SecretString>,
    /// The first person, made only where nothing is recorded yet.
    pub bootstrap: Option<FirstPerson>,
    /// Whether the first person's admin key outlives the create.
    pub keep_bootstrap_key: bool,
    /// Whether the key that we hold must answer before anything else is done (its server moved).
    pub prove_held: bool,
    /// Whether a new key is minted although one is held.
    pub rotate: Rotate,
}

/// The service account that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedAccount {
    /// Its name.
    pub name: String,
    /// Whether one that is there already may be used.
    pub adopt_existing: bool,
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
