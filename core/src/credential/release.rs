//! Giving up what is held: our keys and, where we made it and may, the account.
//!
//! Called when the server is forgotten, and for the account that a rename left behind. It touches
//! only keys and accounts that are on record as ours, and never the server. What it may not remove
//! is named by a warning; what it cannot reach is a failure and stays on record.

use super::converge::revoke_admin;
use super::facts::HeldAccount;
use super::failure::{Failure, Warning};
use super::run::Run;
use crate::api::Request;
use crate::error::{ApiError, Class};
use crate::ids::{AccountId, KeyId};
use crate::secret::SecretString;

pub(super) async fn release(run: &mut Run, handed: &[SecretString]) -> Result<(), Failure> {
    if run.facts.current.is_none() && !run.facts.hold_anything() {
        run.warnings.push(Warning::NothingHeld);
        return Ok(());
    }
    let admin = run.facts.admin.iter().map(|admin| admin.token.clone());
    let admins: Vec<_> = admin.chain(handed.iter().cloned()).collect();
    if let Some(mut current) = run.facts.current.clone() {
        let result = remove(run, &mut current, &admins).await;
        run.facts.current = result.is_err().then_some(current);
        run.store().await;
        result?;
    }
    while let Some(mut old) = run.facts.retired.pop() {
        if let Err(failure) = remove(run, &mut old, &admins).await {
            run.facts.retire(old);
            return Err(failure);
        }
        run.store().await;
    }
    release_admin(run).await
}

async fn release_admin(run: &mut Run) -> Result<(), Failure> {
    let Some(admin) = run.facts.admin.clone() else { return Ok(()) };
    match revoke_admin(run).await {
        Err(Failure::Call { error, .. }) if error.class == Class::Denied => {
            let (user, key) = (admin.user, admin.key);
            run.warnings.push(Warning::AdminKeyLeft { user, key, error });
            Ok(())
        }
        other => other,
    }
}

/// Removes our keys of an account and, if we made it, the account.
pub(super) async fn remove(
    run: &mut Run,
    account: &mut HeldAccount,
    admins: &[SecretString],
) -> Result<(), Failure> {
    let refusal = revoke_held(run, account, admins).await?;
    if account.made {
        match delete(run, account, admins).await? {
            Deleted::Gone => return Ok(()),
            Deleted::Stays(error) => {
                run.warnings.push(Warning::AccountStays { account: account.id, error });
            }
        }
    }
    let left = account.keys();
    if !left.is_empty() || account.key.is_some() {
        let error = refusal;
        run.warnings.push(Warning::KeysLeft { account: account.id, keys: left, error });
    }
    Ok(())
}

/// Revokes our keys with the account's own key, that one last; a handed one helps where it may not.
async fn revoke_held(
    run: &Run,
    account: &mut HeldAccount,
    admins: &[SecretString],
) -> Result<Option<ApiError>, Failure> {
    let with: Vec<_> = account.token().into_iter().chain(admins).cloned().collect();
    let mut refusal = None;
    for key in account.keys() {
        match run.revoke(&with, account.id, key).await {
            Ok(()) => account.forget(key),
            Err(error) if error.class == Class::Denied => refusal = Some(error),
            Err(error) => return Err(not_revoked(account.id, key, error)),
        }
    }
    Ok(refusal)
}

fn not_revoked(account: AccountId, key: KeyId, error: ApiError) -> Failure {
    Failure::call(format!("revoking the key {key} of service account {account}"), error)
}

enum Deleted {
    Gone,
    Stays(Option<ApiError>),
}

async fn delete(
    run: &Run,
    held: &mut HeldAccount,
    admins: &[SecretString],
) -> Result<Deleted, Failure> {
    if admins.is_empty() {
        return Ok(Deleted::Stays(None));
    }
    let account = held.id;
    let Err(error) = run.call_with_any(admins, Request::DeleteAccount { account }).await else {
        return Ok(Deleted::Gone);
    };
    match error.class {
        Class::NotFound => Ok(Deleted::Gone),
        Class::Denied => Ok(Deleted::Stays(Some(error))),
        Class::TooOld => {
            revoke_all(run, account, admins).await?;
            held.forget_all();
            Ok(Deleted::Stays(Some(error)))
        }
        Class::Retryable | Class::Conflict | Class::Invalid | Class::Unreachable => {
            Err(Failure::call(format!("deleting the service account {account}"), error))
        }
    }
}

/// For a server without the route that deletes accounts: ours is left without any key.
async fn revoke_all(run: &Run, account: AccountId, admins: &[SecretString]) -> Result<(), Failure> {
    let Ok(keys) = run.keys_of(admins, account).await else { return Ok(()) };
    for key in keys {
        let revoked = run.revoke(admins, account, key.id).await;
        revoked.map_err(|error| not_revoked(account, key.id, error))?;
    }
    Ok(())
}
