//! How we come by the first person and by the account that our keys are of.
//!
//! Called by `converge`. Creating follows one rule: a name that was free when we set out, and is
//! there after a lost answer, is ours; one that was taken before is adopted only if the order
//! allows it.

use super::facts::{AdminKey, HeldAccount, HeldKey};
use super::failure::{Failure, scope_word};
use super::run::{Run, is_lost};
use super::{ATTEMPTS, FirstPerson, WantedAccount, mint};
use crate::api::{Account, AccountScope, Bootstrapped, NewAccount, Request};
use crate::error::{ApiError, Class};
use crate::secret::SecretString;

/// Spends the server's one bootstrap and records the admin key.
pub(super) async fn bootstrap(run: &mut Run, person: &FirstPerson) -> Result<(), Failure> {
    let mut lost = None;
    for _ in 0..ATTEMPTS {
        let request =
            Request::Bootstrap { username: person.username.clone(), email: person.email.clone() };
        match run.bootstrap(request).await {
            Ok(made) => return record_admin(run, made).await,
            Err(error) if error.status == Some(403) => return Err(refused(lost)),
            // It works once at most, so asking again can make no second user.
            Err(error) if is_lost(&error) => lost = Some(error),
            Err(error) if lost.is_none() => {
                return Err(Failure::call("bootstrapping the server", error));
            }
            Err(_) => break,
        }
    }
    Err(Failure::BootstrapStateLost(lost))
}

fn refused(lost: Option<ApiError>) -> Failure {
    match lost {
        Some(error) => Failure::BootstrapStateLost(Some(error)),
        None => Failure::WaitingForCredential,
    }
}

async fn record_admin(run: &mut Run, made: Bootstrapped) -> Result<(), Failure> {
    let Some(token) = made.key.key else { return Err(Failure::BootstrapStateLost(None)) };
    run.facts.admin = Some(AdminKey { user: made.user.id, key: made.key.id, token, done: false });
    run.facts.unfinished = true;
    run.store().await;
    Ok(())
}

/// Makes the wanted account, or takes up one that is ours or may be adopted; with a key on it.
pub(super) async fn establish(
    run: &mut Run,
    keys: &[SecretString],
    wanted: &WantedAccount,
) -> Result<(), Failure> {
    let name = wanted.name.as_str();
    if keys.is_empty() {
        return Err(Failure::NoCredential {
            doing: format!("making the service account {name:?}"),
        });
    }
    if take_up_retired(run, name) {
        return mint::mint(run, keys).await;
    }
    let found = find(run, keys, name).await?;
    match found {
        None => make(run, keys, wanted).await,
        Some(account) if run.facts.intent.as_deref() == Some(name) => {
            claim_unanswered(run, keys, &account).await
        }
        Some(account) => adopt(run, keys, wanted, &account).await,
    }
}

/// An account that we left by a rename and that still stands is taken up again.
fn take_up_retired(run: &mut Run, name: &str) -> bool {
    let position =
        run.facts.retired.iter().position(|account| account.name.as_deref() == Some(name));
    let Some(position) = position else { return false };
    run.facts.current = Some(run.facts.retired.remove(position));
    true
}

pub(super) async fn find(
    run: &Run,
    keys: &[SecretString],
    name: &str,
) -> Result<Option<Account>, Failure> {
    let found = run.accounts_named(keys, name).await;
    let found = found.map_err(|error| {
        Failure::call(format!("looking up the service account {name:?}"), error)
    })?;
    Ok(found.into_iter().next())
}

async fn make(run: &mut Run, keys: &[SecretString], wanted: &WantedAccount) -> Result<(), Failure> {
    let name = wanted.name.as_str();
    run.facts.intent = Some(name.to_owned());
    run.store().await;
    let mut lost = None;
    for _ in 0..ATTEMPTS {
        let error = match run.create_account(keys, name).await {
            Ok(made) => return hold_new(run, keys, made).await,
            Err(error) => error,
        };
        let taken = error.class == Class::Conflict;
        if !is_lost(&error) && !taken {
            run.facts.intent = None;
            return Err(not_made(name, error));
        }
        let ours = is_lost(&error) || lost.is_some();
        if let Some(account) = find(run, keys, name).await? {
            return if ours {
                claim_unanswered(run, keys, &account).await
            } else {
                adopt(run, keys, wanted, &account).await
            };
        }
        lost = Some(error);
    }
    let error = lost.map(|error| not_made(name, error));
    Err(error.unwrap_or_else(|| Failure::NoCredential { doing: format!("making {name:?}") }))
}

fn not_made(name: &str, error: ApiError) -> Failure {
    if error.status == Some(403) && error.class == Class::Denied {
        return Failure::NeedsAdminKey { name: name.to_owned(), error };
    }
    Failure::call(format!("making the service account {name:?}"), error)
}

async fn hold_new(run: &mut Run, keys: &[SecretString], made: NewAccount) -> Result<(), Failure> {
    let mut account = HeldAccount::new(made.account.id, made.account.name.trim(), true);
    let answered = made.key.key.is_some();
    match made.key.key {
        Some(token) => account.take_key(HeldKey { id: Some(made.key.id), token }),
        None => account.spare.push(made.key.id),
    }
    hold(run, account).await;
    if answered { Ok(()) } else { mint::mint(run, keys).await }
}

/// The account is ours, but its first key is known to nobody: that one is noted for removal.
async fn claim_unanswered(
    run: &mut Run,
    keys: &[SecretString],
    account: &Account,
) -> Result<(), Failure> {
    hold(run, HeldAccount::new(account.id, account.name.trim(), true)).await;
    let listed = run.keys_of(keys, account.id).await.unwrap_or_default();
    if let [first] = listed.as_slice()
        && let Some(current) = &mut run.facts.current
    {
        current.spare.push(first.id);
        run.store().await;
    }
    mint::mint(run, keys).await
}

async fn adopt(
    run: &mut Run,
    keys: &[SecretString],
    wanted: &WantedAccount,
    account: &Account,
) -> Result<(), Failure> {
    run.facts.intent = None;
    let name = wanted.name.clone();
    if !wanted.adopt_existing {
        return Err(Failure::NameTaken { name, account: account.id });
    }
    if account.scope != AccountScope::Instance {
        let scope = scope_word(&account.scope);
        return Err(Failure::WrongScope { name, account: account.id, scope });
    }
    hold(run, HeldAccount::new(account.id, &name, false)).await;
    mint::mint(run, keys).await
}

async fn hold(run: &mut Run, account: HeldAccount) {
    run.facts.intent = None;
    run.facts.unfinished |= account.is_ours();
    run.facts.current = Some(account);
    run.store().await;
}
