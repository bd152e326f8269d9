//! What only sole custody has: an account whose name says that all its keys are ours.
//!
//! Called by `converge` and `release`. It notes and gives up; the keys themselves are revoked
//! there, after their successor is stored.

use super::WantedAccount;
use super::converge::revoke_admin;
use super::establish::{check_scope, find};
use super::facts::HeldAccount;
use super::failure::{Failure, Warning};
use super::release::{Whereabouts, confirmed};
use super::run::Run;
use crate::error::{ApiError, Class};
use crate::secret::SecretString;

/// Has recorded that a further key is about to be on the account: a crash must not leave one that
/// nobody looks for.
pub(super) async fn announce(run: &mut Run) {
    if run.is_sole() && run.facts.token().is_some() {
        run.facts.unfinished = true;
        run.store().await;
    }
}

/// Notes for removal every key of the account but the one in use. `false`: they cannot be listed
/// now, and may be later.
pub(super) async fn note_all_but_own(run: &mut Run, keys: &[SecretString]) -> bool {
    let Some(current) = &run.facts.current else { return true };
    if !current.knows_own() {
        return true;
    }
    let account = current.id;
    match note_others(run, keys).await {
        Ok(()) => true,
        Err(error) if may_pass(&error) => false,
        Err(error) => {
            run.warnings.push(Warning::KeysUnlisted { account, error });
            true
        }
    }
}

/// Notes for removal all keys of the account that are on no record.
pub(super) async fn note_others(run: &mut Run, keys: &[SecretString]) -> Result<(), ApiError> {
    let Some(account) = run.facts.current.as_ref().map(|current| current.id) else {
        return Ok(());
    };
    let listed = run.keys_of(keys, account).await?;
    let current = run.facts.current.iter_mut();
    current.for_each(|current| current.spare_unknown(listed.iter().map(|key| key.id)));
    Ok(())
}

/// Revokes the first person's admin key. What the server refuses for good is only told.
pub(super) async fn give_up_admin(run: &mut Run) -> Result<(), Failure> {
    match revoke_admin(run).await {
        Err(Failure::Call { error, .. }) if !may_pass(&error) => {
            if let Some(admin) = run.facts.admin.take() {
                let (user, key) = (admin.user, admin.key);
                run.warnings.push(Warning::AdminKeyLeft { user, key, error });
            }
            run.store().await;
            Ok(())
        }
        other => other,
    }
}

/// Finds the account that is to go by its name, where a key is at hand that may: what is on record
/// may lack it after a crash, and its id may be another's after the database was made anew.
pub(super) async fn locate(
    run: &mut Run,
    wanted: &WantedAccount,
    handed: &[SecretString],
) -> Result<(), Failure> {
    if handed.is_empty() {
        return Ok(());
    }
    let found = match find(run, handed, &wanted.name).await {
        Ok(Some(found)) => found,
        Ok(None) => {
            if is_gone(run, handed).await? {
                run.facts.current = None;
            }
            return Ok(());
        }
        // The key that is held still says by itself what it is a key of.
        Err(failure) if is_denied(&failure) && run.facts.token().is_some() => return Ok(()),
        Err(failure) => return Err(failure),
    };
    check_scope(wanted, &found)?;
    if run.facts.current.as_ref().is_none_or(|current| current.id != found.id) {
        run.facts.current = Some(HeldAccount::new(found.id, &wanted.name, true));
    }
    Ok(())
}

/// Whether what is on record is gone, and not only unknown to whoever answered.
async fn is_gone(run: &Run, handed: &[SecretString]) -> Result<bool, Failure> {
    let Some(current) = &run.facts.current else { return Ok(true) };
    Ok(matches!(confirmed(run, current, handed).await?, Whereabouts::Gone))
}

fn is_denied(failure: &Failure) -> bool {
    failure.said().is_some_and(|error| error.class == Class::Denied)
}

fn may_pass(error: &ApiError) -> bool {
    matches!(error.class, Class::Retryable | Class::Unreachable)
}
