//! Giving up what is held: our keys and, where we made it and may, the account.
//!
//! Called when the server is forgotten, and for the account that a rename left behind. It touches
//! only keys and accounts that are on record as ours, and never the server. What it may not remove
//! is named by a warning; what it cannot reach is a failure and stays on record. Gone is only what a
//! list of all accounts lacks: a proxy's 404 would leave the account without a word.

use super::converge::revoke_admin;
use super::establish::find;
use super::facts::HeldAccount;
use super::failure::{Failure, Warning};
use super::run::Run;
use super::{WantedAccount, sole};
use crate::api::Request;
use crate::error::{ApiError, Class};
use crate::ids::{AccountId, KeyId};
use crate::secret::SecretString;

pub(super) async fn release(run: &mut Run, handed: &[SecretString]) -> Result<(), Failure> {
    if run.facts.current.is_none() && !run.facts.hold_anything() {
        run.warnings.push(Warning::NothingHeld);
        return Ok(());
    }
    let admins = admins(run, handed);
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

/// The same for an account that is ours alone, with whatever keys it has.
pub(super) async fn release_sole(
    run: &mut Run,
    wanted: &WantedAccount,
    handed: &[SecretString],
) -> Result<(), Failure> {
    let admins = admins(run, handed);
    sole::locate(run, wanted, &admins).await?;
    let Some(current) = run.facts.current.clone() else { return release_admin(run).await };
    let keys: Vec<_> = admins.iter().chain(current.token()).cloned().collect();
    // What cannot be listed may still go with the account.
    let _ = sole::note_others(run, &keys).await;
    let mut current = run.facts.current.clone().unwrap_or(current);
    let result = remove(run, &mut current, &admins).await;
    run.facts.current = result.is_err().then_some(current);
    run.store().await;
    result?;
    release_admin(run).await
}

fn admins(run: &Run, handed: &[SecretString]) -> Vec<SecretString> {
    let admin = run.facts.admin.iter().map(|admin| admin.token.clone());
    admin.chain(handed.iter().cloned()).collect()
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
    let own: Vec<_> = account.token().into_iter().cloned().collect();
    let mut refusal = revoke_held(run, account, &own).await?;
    if !admins.is_empty() && account.is_ours() {
        match whereabouts(run, account, admins).await? {
            Whereabouts::Gone => {
                account.be_gone();
                return Ok(());
            }
            Whereabouts::There => refusal = remove_with(run, account, admins).await?.or(refusal),
            Whereabouts::Untold(error) => refusal = Some(error),
        }
    }
    warn_of_rest(run, account, refusal);
    Ok(())
}

/// Where an account is.
pub(super) enum Whereabouts {
    There,
    Gone,
    /// Nobody says whether it is there.
    Untold(ApiError),
}

/// Where our own key did not do it all, the account is looked for by name: the database may have
/// been made anew, and the id may be somebody else's.
async fn whereabouts(
    run: &Run,
    account: &HeldAccount,
    admins: &[SecretString],
) -> Result<Whereabouts, Failure> {
    let Some(name) = account.name.as_deref() else { return Ok(Whereabouts::There) };
    match find(run, admins, name).await {
        Ok(Some(found)) if found.id == account.id => Ok(Whereabouts::There),
        Ok(Some(_)) => Ok(Whereabouts::Gone),
        // A look-up by name may answer 404 where there is none, and so may whoever knows nothing.
        Ok(None) => confirmed(run, account, admins).await,
        Err(Failure::Call { error, .. }) if error.class == Class::Denied => {
            Ok(Whereabouts::Untold(error))
        }
        Err(failure) => Err(failure),
    }
}

/// What a list of all accounts says.
pub(super) async fn confirmed(
    run: &Run,
    account: &HeldAccount,
    admins: &[SecretString],
) -> Result<Whereabouts, Failure> {
    match run.is_listed(admins, account.id, account.name.as_deref()).await {
        Ok(true) => Ok(Whereabouts::There),
        Ok(false) => Ok(Whereabouts::Gone),
        Err(error) => match error.class {
            Class::Denied | Class::NotFound | Class::TooOld => Ok(Whereabouts::Untold(error)),
            Class::Retryable | Class::Conflict | Class::Invalid | Class::Unreachable => {
                let doing = format!("looking whether the service account {} is gone", account.id);
                Err(Failure::call(doing, error))
            }
        },
    }
}

/// Removes with a handed key what is left; the refusal, if there was one.
async fn remove_with(
    run: &Run,
    account: &mut HeldAccount,
    admins: &[SecretString],
) -> Result<Option<ApiError>, Failure> {
    let kept = if account.made { delete(run, account, admins).await? } else { None };
    if account.made && kept.is_none() {
        account.be_gone();
    }
    Ok(revoke_held(run, account, admins).await?.or(kept))
}

fn warn_of_rest(run: &mut Run, account: &HeldAccount, error: Option<ApiError>) {
    let keys = account.keys();
    if !keys.is_empty() || account.key.is_some() {
        run.warnings.push(Warning::KeysLeft { account: account.id, keys, error: error.clone() });
    }
    if account.made {
        run.warnings.push(Warning::AccountStays { account: account.id, error });
    }
}

/// Revokes our keys, the account's own one last: the others may be revoked with it.
async fn revoke_held(
    run: &Run,
    account: &mut HeldAccount,
    with: &[SecretString],
) -> Result<Option<ApiError>, Failure> {
    let mut refusal = None;
    if with.is_empty() {
        return Ok(refusal);
    }
    for key in account.keys() {
        match run.revoke(with, account.id, key).await {
            Ok(()) => account.forget(key),
            Err(error) if error.class == Class::Denied => refusal = Some(error),
            Err(error) => return Err(not_revoked(account.id, key, error)),
        }
    }
    Ok(refusal)
}

/// Deletes an account that we made. `None`: it is gone; else why it stays.
async fn delete(
    run: &Run,
    held: &mut HeldAccount,
    admins: &[SecretString],
) -> Result<Option<ApiError>, Failure> {
    let account = held.id;
    let Err(error) = run.call_with_any(admins, Request::DeleteAccount { account }).await else {
        return Ok(None);
    };
    match error.class {
        Class::NotFound => match confirmed(run, held, admins).await? {
            Whereabouts::Gone => Ok(None),
            Whereabouts::There | Whereabouts::Untold(_) => Ok(Some(error)),
        },
        Class::Denied => Ok(Some(error)),
        Class::TooOld => {
            revoke_all(run, account, admins).await?;
            held.forget_all();
            Ok(Some(error))
        }
        Class::Retryable | Class::Conflict | Class::Invalid | Class::Unreachable => {
            Err(Failure::call(format!("deleting the service account {account}"), error))
        }
    }
}

fn not_revoked(account: AccountId, key: KeyId, error: ApiError) -> Failure {
    Failure::call(format!("revoking the key {key} of service account {account}"), error)
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
