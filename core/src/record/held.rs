//! The key of a service account of ours, as a Secret holds it.
//!
//! Between the record and [`Facts`] of the credential machine.

use std::time::Duration;

use super::attempt::RefusedRotation;
use super::data::{self, Data};
use crate::credential::{Facts, HeldAccount, HeldKey};
use crate::ids::{AccountId, KeyId};
use crate::secret::SecretString;

/// What is held on one service account of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// The account.
    pub account: Option<AccountId>,
    /// The key's id.
    pub key: Option<KeyId>,
    /// The key.
    pub token: Option<SecretString>,
    /// When it was made, in seconds since 1970.
    pub minted_at: Option<i64>,
    /// The last asked-for rotation that was carried out.
    pub rotated: Option<String>,
    /// The last rotation that the server refused, until a key is made.
    pub refused: Option<RefusedRotation>,
    /// Whether other keys of the account are still to be revoked.
    pub unfinished: bool,
}

impl Held {
    /// The facts that the credential machine goes on from.
    pub fn facts(&self, account_name: &str) -> Facts {
        // An id without a key proves nothing: the account is looked for by its name.
        let (Some(id), Some(token)) = (self.account, self.token.clone()) else {
            return Facts::default();
        };
        let key = Some(HeldKey { id: self.key, token });
        let name = Some(account_name.to_owned());
        let spare = Vec::new();
        let current = Some(HeldAccount { id, name, made: true, key, previous: None, spare });
        Facts { current, unfinished: self.unfinished, ..Facts::default() }
    }

    /// The same after the credential machine has asked to store these facts at that time.
    #[must_use]
    pub fn storing(&self, facts: &Facts, now: i64) -> Self {
        let current = facts.current.as_ref();
        let key = current.and_then(|account| account.key.as_ref());
        let token = key.map(|key| key.token.clone());
        let is_new = token.is_some() && token != self.token;
        Self {
            account: current.map(|account| account.id),
            key: key.and_then(|key| key.id),
            token,
            minted_at: if is_new { Some(now) } else { self.minted_at },
            rotated: self.rotated.clone(),
            refused: self.refused.clone().filter(|_| !is_new),
            unfinished: facts.unfinished,
        }
    }

    /// Whether another key is to take its place, `now` in seconds since 1970: a person asks for it
    /// with a new value, or it is as old as it may get. One whose age nobody knows is old.
    pub fn is_due(&self, asked: Option<&str>, now: i64, oldest: Option<Duration>) -> bool {
        let is_old = |oldest: Duration| {
            let oldest = i64::try_from(oldest.as_secs()).unwrap_or(i64::MAX);
            self.minted_at.is_none_or(|minted_at| now.saturating_sub(minted_at) >= oldest)
        };
        (asked.is_some() && asked != self.rotated.as_deref()) || oldest.is_some_and(is_old)
    }

    pub(super) fn parse(data: &Data) -> Self {
        Self {
            account: data::parsed(data, "account-id"),
            key: data::parsed(data, "key-id"),
            token: data::secret(data, "token"),
            minted_at: data::parsed(data, "minted-at"),
            rotated: data::text(data, "rotated"),
            refused: RefusedRotation::parse(data),
            unfinished: data::flag(data, "unfinished"),
        }
    }

    pub(super) fn put(&self, data: &mut Data) {
        data::put_some(data, "account-id", self.account);
        data::put_some(data, "key-id", self.key);
        data::put_some(data, "token", self.token.as_ref().map(SecretString::expose));
        data::put_some(data, "minted-at", self.minted_at);
        data::put_some(data, "rotated", self.rotated.as_ref());
        if let Some(refused) = &self.refused {
            refused.put(data);
        }
        data::put_some(data, "unfinished", self.unfinished.then_some(true));
    }
}
