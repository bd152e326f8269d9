//! From what is held to what is ordered, in one order of steps for every case.
//!
//! Prove what is held if its server moved; bootstrap if nothing is there; a new key if one is
//! missing or a rotation or rename is ordered; prove it; only then give up what it replaces; finish
//! the bootstrap. A step that is done already is passed over, which is what makes resuming work.

use super::establish::{bootstrap, establish, find};
use super::facts::{AdminKey, Facts, HeldAccount};
use super::failure::{Failure, Warning};
use super::mint::mint;
use super::release::remove;
use super::run::{Run, gone_is_done};
use super::sole;
use super::{Custody, Order, Rotate};
use crate::api::Request;
use crate::error::{ApiError, Class};
use crate::ids::AccountId;
use crate::secret::SecretString;

pub(super) async fn converge(run: &mut Run, order: &Order) -> Result<(), Failure> {
    if order.prove_held {
        // Ids mean nothing on another server: without this proof nothing else may be done there.
        run.prove_current().await?;
    }
    if let Some(person) = &order.bootstrap
        && !run.facts.hold_anything()
    {
        bootstrap(run, person, order.resumed).await?;
    }
    if wants_key(&run.facts, order) {
        renew(run, order).await?;
    } else if run.facts.unfinished {
        run.prove_current().await?;
        tidy(run, order).await;
    }
    finish_bootstrap(run, order).await?;
    // In sole custody it stays until the other keys are revoked.
    run.facts.unfinished &= run.is_sole();
    run.store().await;
    Ok(())
}

fn wants_key(facts: &Facts, order: &Order) -> bool {
    order.rotate != Rotate::No || facts.token().is_none() || is_renamed(facts, order)
}

fn is_renamed(facts: &Facts, order: &Order) -> bool {
    let name = facts.current.as_ref().and_then(|account| account.name.as_deref());
    name.is_some_and(|name| name != order.account.name)
}

/// Comes by a new key and proves it. Where that fails, what was held before stays in use.
async fn renew(run: &mut Run, order: &Order) -> Result<(), Failure> {
    sole::announce(run).await;
    let before = run.facts.clone();
    let old: Vec<_> = before.retired.iter().map(|account| account.id).collect();
    let keys = minters(&before, order);
    match obtain(run, order, &keys).await {
        Ok(()) => {
            run.settle().await;
            tidy(run, order).await;
            dispose(run, order, &old).await;
            Ok(())
        }
        Err(failure) => {
            fall_back(run, order, before).await;
            Err(name_denial(failure, order))
        }
    }
}

async fn obtain(run: &mut Run, order: &Order, keys: &[SecretString]) -> Result<(), Failure> {
    if is_renamed(&run.facts, order)
        && let Some(old) = run.facts.current.take()
    {
        run.facts.retire(old);
    }
    let may_look = if run.is_sole() && !order.handed.is_empty() { &order.handed } else { keys };
    run.is_there = !may_be_gone(run, order) || is_still_there(run, may_look).await?;
    if !run.is_there {
        run.facts.current = None;
    }
    if run.facts.current.is_none() {
        establish(run, keys, &order.account).await?;
    } else {
        match mint(run, keys).await {
            Err(Failure::AccountGone { .. }) if may_be_made_again(&run.facts, order) => {
                run.facts.current = None;
                establish(run, keys, &order.account).await?;
            }
            other => other?,
        }
    }
    run.prove_current().await
}

/// Whether our account may have gone: our key is refused, or, since in sole custody all other keys
/// of it will be revoked, another key than its own may mint.
fn may_be_gone(run: &Run, order: &Order) -> bool {
    order.rotate == Rotate::Lost || (run.is_sole() && !order.handed.is_empty())
}

fn may_be_made_again(facts: &Facts, order: &Order) -> bool {
    order.rotate == Rotate::Lost || facts.token().is_none()
}

/// Whether our account is still on a server that refuses our key. The database may have been made
/// anew, and its id may be another account's: id and name must both fit.
async fn is_still_there(run: &Run, keys: &[SecretString]) -> Result<bool, Failure> {
    let Some(current) = &run.facts.current else { return Ok(false) };
    let Some(name) = current.name.clone() else { return Ok(true) };
    if keys.is_empty() {
        return Err(Failure::NoCredential { doing: format!("renewing the key of {name:?}") });
    }
    let found = find(run, keys, &name).await?;
    Ok(found.is_some_and(|account| account.id == current.id))
}

/// The keys to mint with, best first.
fn minters(facts: &Facts, order: &Order) -> Vec<SecretString> {
    let held = || facts.token().cloned();
    let admin = facts.admin.iter().map(|admin| admin.token.clone());
    let handed = order.handed.iter().cloned().chain(admin);
    match order.rotate {
        Rotate::ByHeld => held().into_iter().chain(handed).collect(),
        Rotate::No | Rotate::ByHanded => handed.chain(held()).collect(),
        Rotate::Lost => handed.collect(),
    }
}

async fn fall_back(run: &mut Run, order: &Order, before: Facts) {
    if before.token().is_none() {
        return;
    }
    let attempted = run.facts.fall_back(before);
    run.note().await;
    // What is on record may be another's account by now. The next order looks again.
    if run.is_there {
        tidy(run, order).await;
    }
    if let Some(account) = attempted {
        undo(run, order, account).await;
    }
    run.settle().await;
}

fn name_denial(failure: Failure, order: &Order) -> Failure {
    match failure {
        Failure::Call { error, doing } if is_denied_to_held(&error, order) => {
            Failure::RotationDenied { doing, error }
        }
        other => other,
    }
}

fn is_denied_to_held(error: &ApiError, order: &Order) -> bool {
    let by_held = error.class == Class::Denied && order.rotate == Rotate::ByHeld;
    by_held
        && match order.custody {
            Custody::Shared => order.handed.is_empty(),
            // A key that the server does not know is another matter: it is lost.
            Custody::Sole => error.status != Some(401),
        }
}

/// Revokes the keys that are of no more use; one that cannot be is tried again next time.
async fn tidy(run: &mut Run, order: &Order) {
    let Some(current) = &run.facts.current else { return };
    if run.is_sole() && !run.facts.unfinished {
        return;
    }
    let account = current.id;
    let keys: Vec<_> = current.token().into_iter().chain(&order.handed).cloned().collect();
    let listed = !run.is_sole() || sole::note_all_but_own(run, &keys).await;
    let spare = run.facts.current.as_ref().map(|current| current.spare.clone()).unwrap_or_default();
    let mut left = Vec::new();
    let mut refusal = None;
    for key in spare {
        match run.revoke(&keys, account, key).await {
            Ok(()) => run.facts.current.iter_mut().for_each(|current| current.forget(key)),
            Err(error) => {
                left.push(key);
                refusal = Some(error);
            }
        }
        run.note().await;
    }
    // A key that comes up late is looked for once more.
    run.facts.unfinished &= !run.is_sole() || run.in_doubt || !listed || !left.is_empty();
    if !left.is_empty() {
        run.warnings.push(Warning::KeysLeft { account, keys: left, error: refusal });
    }
}

/// Removes the account that only a failed attempt was about. Whatever stays of it stays on record:
/// the next attempt takes it up.
async fn undo(run: &mut Run, order: &Order, account: AccountId) {
    let admins = admins(&run.facts, order);
    let Some(mut left) = run.facts.take_retired(|retired| retired.id == account) else { return };
    try_remove(run, &mut left, &admins).await;
    if left.is_ours() {
        run.facts.retire(left);
    }
    run.store().await;
}

/// Removes the accounts left by an earlier rename.
async fn dispose(run: &mut Run, order: &Order, old: &[AccountId]) {
    let admins = admins(&run.facts, order);
    let retired = std::mem::take(&mut run.facts.retired);
    let (gone, stay): (Vec<_>, Vec<_>) =
        retired.into_iter().partition(|account| old.contains(&account.id));
    run.facts.retired = stay;
    for account in gone {
        let mut account = account;
        if !try_remove(run, &mut account, &admins).await {
            run.facts.retire(account);
        }
        run.store().await;
    }
}

/// Removes an account. `false`: that failed, which is told.
async fn try_remove(run: &mut Run, account: &mut HeldAccount, admins: &[SecretString]) -> bool {
    let Err(failure) = remove(run, account, admins).await else { return true };
    let error = failure.said().cloned();
    run.warnings.push(Warning::AccountStays { account: account.id, error });
    false
}

fn admins(facts: &Facts, order: &Order) -> Vec<SecretString> {
    let admin = facts.admin.iter().map(|admin| admin.token.clone());
    order.handed.iter().cloned().chain(admin).collect()
}

/// Sets the first person's password and gives up their admin key.
async fn finish_bootstrap(run: &mut Run, order: &Order) -> Result<(), Failure> {
    let Some(admin) = run.facts.admin.clone() else { return Ok(()) };
    if !admin.done {
        set_password(run, order, &admin).await?;
        run.facts.admin = Some(AdminKey { done: true, ..admin });
        run.note().await;
    }
    if order.keep_bootstrap_key {
        Ok(())
    } else if run.is_sole() {
        sole::give_up_admin(run).await
    } else {
        revoke_admin(run).await
    }
}

async fn set_password(run: &Run, order: &Order, admin: &AdminKey) -> Result<(), Failure> {
    let password = order.bootstrap.as_ref().and_then(|person| person.password.clone());
    let Some(password) = password else { return Ok(()) };
    let request = Request::SetPassword { user: admin.user, password };
    let doing = || format!("setting the password of user {}", admin.user);
    match run.call(Some(&admin.token), request).await {
        // Sole custody keeps no record of this step: the key is revoked only after it was done.
        Err(error) if run.is_sole() && error.status == Some(401) => Ok(()),
        other => other.map(|_| ()).map_err(|error| Failure::call(doing(), error)),
    }
}

/// A key that is refused is revoked.
pub(super) async fn revoke_admin(run: &mut Run) -> Result<(), Failure> {
    let Some(admin) = run.facts.admin.clone() else { return Ok(()) };
    let request = Request::RevokeUserKey { user: admin.user, key: admin.key };
    match gone_is_done(run.call(Some(&admin.token), request).await) {
        Err(error) if error.status != Some(401) || error.class != Class::Denied => {
            let doing = format!("revoking the admin key {} of user {}", admin.key, admin.user);
            Err(Failure::call(doing, error))
        }
        _ => {
            run.facts.admin = None;
            run.store().await;
            Ok(())
        }
    }
}
