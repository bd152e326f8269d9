//! One order being carried out: the facts so far, and the few requests it is made of.
//!
//! Called by the protocol's steps beside it. Every request goes through [`Run::call`]; nothing here
//! decides what comes next.

use super::facts::Facts;
use super::failure::{Failure, Warning};
use super::machine::{Command, Event};
use super::port::Port;
use super::{Custody, WantedAccount};
use crate::api::{Account, ApiKey, Bootstrapped, NewAccount, Reply, Request};
use crate::error::{ApiError, Class, Effect};
use crate::ids::{AccountId, KeyId};
use crate::secret::SecretString;

#[derive(Debug)]
pub(super) struct Run {
    port: Port,
    custody: Custody,
    stored: Facts,
    pub(super) facts: Facts,
    pub(super) warnings: Vec<Warning>,
    /// Whether a request for a key may still act of which nobody has heard.
    pub(super) in_doubt: bool,
    /// Whether the account on record is known to be the one that is meant.
    pub(super) is_there: bool,
}

impl Run {
    pub(super) fn new(port: Port, facts: Facts, custody: Custody) -> Self {
        let (stored, warnings, in_doubt, is_there) = (facts.clone(), Vec::new(), false, false);
        Self { port, custody, stored, facts, warnings, in_doubt, is_there }
    }

    /// Whether the account and all its keys are ours alone.
    pub(super) fn is_sole(&self) -> bool {
        self.custody == Custody::Sole
    }

    /// Has the facts recorded; in sole custody only if they are others than before.
    pub(super) async fn store(&mut self) {
        if !self.is_sole() || self.facts != self.stored {
            self.port.ask(Command::Store(self.facts.clone())).await;
            self.stored = self.facts.clone();
        }
    }

    /// Has a step recorded on which nobody relies who is in sole custody.
    pub(super) async fn note(&mut self) {
        if !self.is_sole() {
            self.store().await;
        }
    }

    /// Has recorded what in shared custody every step recorded already.
    pub(super) async fn settle(&mut self) {
        if self.is_sole() {
            self.store().await;
        }
    }

    pub(super) async fn call(
        &self,
        key: Option<&SecretString>,
        request: Request,
    ) -> Result<Reply, ApiError> {
        match self.port.ask(Command::Call { key: key.cloned(), request }).await {
            Event::Replied(result) => result,
            Event::Begin | Event::Stored => Err(unreadable()),
        }
    }

    /// Makes the request with the first of the keys that is allowed to. A refusal has no effect, so
    /// that even a POST may be tried with the next key. Where all are refused, one that is no key of
    /// this server says more than one that may not do it.
    pub(super) async fn call_with_any(
        &self,
        keys: &[SecretString],
        request: Request,
    ) -> Result<Reply, ApiError> {
        let mut refusal = no_key();
        for key in keys {
            match self.call(Some(key), request.clone()).await {
                Err(error) if error.class == Class::Denied => {
                    if refusal.status != Some(401) {
                        refusal = error;
                    }
                }
                other => return other,
            }
        }
        Err(refusal)
    }

    pub(super) async fn bootstrap(&self, request: Request) -> Result<Bootstrapped, ApiError> {
        match self.call(None, request).await? {
            Reply::Bootstrapped(made) if made.key.key.is_some() => Ok(made),
            _ => Err(unreadable()),
        }
    }

    /// The accounts of exactly that name.
    pub(super) async fn accounts_named(
        &self,
        keys: &[SecretString],
        name: &str,
    ) -> Result<Vec<Account>, ApiError> {
        let request = Request::ListAccounts { name: Some(name.to_owned()) };
        let list = match self.call_with_any(keys, request).await {
            Ok(Reply::Accounts(list)) => list,
            // A look-up of one name may answer one object, and 404 where there is none.
            Err(error) if error.class == Class::NotFound => return Ok(Vec::new()),
            Ok(_) => return Err(unreadable()),
            Err(error) => return Err(error),
        };
        Ok(list.iter().filter(|account| account.name.trim() == name).cloned().collect())
    }

    /// Whether a complete list of all accounts has that one. A 404 is no such list.
    pub(super) async fn is_listed(
        &self,
        keys: &[SecretString],
        account: AccountId,
        name: Option<&str>,
    ) -> Result<bool, ApiError> {
        match self.call_with_any(keys, Request::ListAccounts { name: None }).await? {
            Reply::Accounts(list) => Ok(list.iter().any(|there| {
                there.id == account && name.is_none_or(|name| there.name.trim() == name)
            })),
            _ => Err(unreadable()),
        }
    }

    pub(super) async fn create_account(
        &self,
        keys: &[SecretString],
        wanted: &WantedAccount,
    ) -> Result<NewAccount, ApiError> {
        let WantedAccount { name, scope, .. } = wanted.clone();
        let request = Request::CreateAccount { name, scope };
        match self.call_with_any(keys, request).await? {
            Reply::NewAccount(made) => Ok(made),
            _ => Err(unreadable()),
        }
    }

    pub(super) async fn mint_key(
        &self,
        keys: &[SecretString],
        account: AccountId,
    ) -> Result<ApiKey, ApiError> {
        let request = Request::MintKey { account, name: self.custody.key_name().to_owned() };
        match self.call_with_any(keys, request).await? {
            Reply::Key(key) if key.key.is_some() => Ok(key),
            _ => Err(unreadable()),
        }
    }

    pub(super) async fn keys_of(
        &self,
        keys: &[SecretString],
        account: AccountId,
    ) -> Result<Vec<ApiKey>, ApiError> {
        match self.call_with_any(keys, Request::ListKeys { account }).await? {
            Reply::Keys(list) => Ok(list.to_vec()),
            _ => Err(unreadable()),
        }
    }

    /// Revokes a key; one that is not there is revoked.
    pub(super) async fn revoke(
        &self,
        keys: &[SecretString],
        account: AccountId,
        key: KeyId,
    ) -> Result<(), ApiError> {
        gone_is_done(self.call_with_any(keys, Request::RevokeKey { account, key }).await)
    }

    /// Proves with a GET that a key works.
    pub(super) async fn prove(&self, token: &SecretString) -> Result<(), ApiError> {
        match self.call(Some(token), Request::Me).await {
            // Older servers lack the route; every key may read users.
            Err(error) if matches!(error.class, Class::TooOld | Class::NotFound) => {
                self.call(Some(token), Request::ListUsers).await.map(|_| ())
            }
            other => other.map(|_| ()),
        }
    }

    /// The key in use, proved.
    pub(super) async fn prove_current(&self) -> Result<(), Failure> {
        let Some(token) = self.facts.token() else { return Ok(()) };
        let proved = self.prove(token).await;
        proved.map_err(|error| Failure::call("proving the key in use", error))
    }
}

/// A DELETE of what is not there has done its work.
pub(super) fn gone_is_done(result: Result<Reply, ApiError>) -> Result<(), ApiError> {
    match result {
        Err(error) if error.class == Class::NotFound => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Whether the request may have acted although its answer is lost.
pub(super) fn is_lost(error: &ApiError) -> bool {
    error.effect == Effect::Unknown
}

/// An answer of another kind than the request's: the client never gives one.
fn unreadable() -> ApiError {
    ApiError {
        class: Class::Invalid,
        effect: Effect::Unknown,
        method: "",
        route: "",
        status: None,
        own_word: false,
        said: "the answer lacks what was asked for".to_owned(),
    }
}

fn no_key() -> ApiError {
    ApiError {
        class: Class::Denied,
        effect: Effect::None,
        method: "",
        route: "",
        status: None,
        own_word: false,
        said: "no key is at hand that may do it".to_owned(),
    }
}
