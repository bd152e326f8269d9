//! How we come by the first person and by the account that our keys are of.
//!
//! Called by `converge`. Creating follows one rule: a name that was free when we set out, and is
//! there after a lost answer, is ours; one that was taken before is adopted only if the order
//! allows it. In sole custody the name says that it is ours.

use super::facts::{AdminKey, HeldAccount, HeldKey};
use super::failure::{Failure, Warning, scope_word};
use super::run::{Run, is_lost};
use super::{ATTEMPTS, FirstPerson, WantedAccount, mint};
use crate::api::{Account, Bootstrapped, NewAccount, Request};
use crate::error::{ApiError, Class};
use crate::secret::SecretString;

/// Spends the server's one bootstrap and records the admin key. `resumed`: it may be spent by us.
pub(super) async fn bootstrap(
    run: &mut Run,
    person: &FirstPerson,
    resumed: bool,
) -> Result<(), Failure> {
    let (mut lost, mut asked) = (None, 0);
    loop {
        asked += 1;
        let request =
            Request::Bootstrap { username: person.username.clone(), email: person.email.clone() };
        match run.bootstrap(request).await {
            Ok(made) => return record_admin(run, made).await,
            Err(error) if is_spent(&error) => return Err(refused(lost, resumed)),
            // It works once at most, so asking again can make no second user.
            Err(error) if is_lost(&error) && asked < ATTEMPTS => lost = Some(error),
            Err(error) => return Err(unanswered(lost, error)),
        }
    }
}

/// Whether the server itself says that its bootstrap was made. A 403 may be a proxy's.
fn is_spent(error: &ApiError) -> bool {
    error.status == Some(403) && error.own_word
}

/// Why it was not done, or why nobody knows whether it was: only the server's own word that it is
/// spent says that.
fn unanswered(lost: Option<ApiError>, refusal: ApiError) -> Failure {
    match lost {
        Some(error) => Failure::BootstrapUnanswered(error),
        None => Failure::call("bootstrapping the server", refusal),
    }
}

fn refused(lost: Option<ApiError>, resumed: bool) -> Failure {
    if lost.is_some() || resumed {
        Failure::BootstrapStateLost(lost)
    } else {
        Failure::WaitingForCredential
    }
}

async fn record_admin(run: &mut Run, made: Bootstrapped) -> Result<(), Failure> {
    let Some(token) = made.key.key else { return Err(Failure::BootstrapStateLost(None)) };
    run.facts.admin = Some(AdminKey { user: made.user.id, key: made.key.id, token, done: false });
    // In sole custody the admin key itself says that there is more to do.
    run.facts.unfinished |= !run.is_sole();
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
    while take_up_retired(run, name) {
        match mint::mint(run, keys).await {
            // It was removed meanwhile.
            Err(Failure::AccountGone { .. }) => run.facts.current = None,
            ended => return ended,
        }
    }
    if run.is_sole() {
        return make(run, keys, wanted).await;
    }
    match find(run, keys, name).await? {
        None => make(run, keys, wanted).await,
        Some(account) if run.facts.intent.as_deref() == Some(name) => {
            claim_unanswered(run, keys, &account).await
        }
        Some(account) => adopt(run, keys, wanted, &account).await,
    }
}

/// An account that we left by a rename and that still stands is taken up again.
fn take_up_retired(run: &mut Run, name: &str) -> bool {
    let retired = run.facts.take_retired(|account| account.name.as_deref() == Some(name));
    let is_there = retired.is_some();
    if is_there {
        run.facts.current = retired;
    }
    is_there
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
    // What an earlier attempt has on record it may have posted.
    let mut doubt = run.facts.intent.as_deref() == Some(name);
    intend(run, (!run.is_sole()).then_some(name)).await;
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let error = match run.create_account(keys, wanted).await {
            Ok(made) => return hold_new(run, keys, made).await,
            Err(error) => error,
        };
        doubt |= is_lost(&error);
        if !doubt {
            // Also before a look-up that may fail: what is found later is somebody else's.
            intend(run, None).await;
        }
        if !is_lost(&error) && error.class != Class::Conflict {
            return Err(not_made(name, error));
        }
        let ours = doubt && !run.is_sole();
        let found = find(run, keys, name).await;
        match found.map_err(|failure| may_be_made(failure, name, ours))? {
            Some(account) if run.is_sole() => {
                return claim_by_name(run, keys, wanted, &account).await;
            }
            Some(account) if ours => return claim_unanswered(run, keys, &account).await,
            Some(account) => return adopt(run, keys, wanted, &account).await,
            // Somebody has the name who is not listed, so that no later find could be told ours.
            None if !doubt && !run.is_sole() => return Err(not_made(name, error)),
            None => last = Some(error),
        }
    }
    let error = last.map(|error| not_made(name, error));
    Err(error.unwrap_or_else(|| Failure::NoCredential { doing: format!("making {name:?}") }))
}

/// Has recorded that the account of that name is about to be made, or that none is.
async fn intend(run: &mut Run, name: Option<&str>) {
    if run.facts.intent.as_deref() != name {
        run.facts.intent = name.map(ToOwned::to_owned);
        run.note().await;
    }
}

/// The answer was lost, and so was that to the look-up after it.
fn may_be_made(failure: Failure, name: &str, lost: bool) -> Failure {
    match failure {
        Failure::Call { error, .. } if lost => {
            let doing = format!(
                "looking up the service account {name:?}, which may have been made without a key \
                 (if the name is taken later, adopt_existing takes it up),"
            );
            Failure::call(doing, error)
        }
        other => other,
    }
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
    let listed = run.keys_of(keys, account.id).await;
    // A new account has one key: with more of them, others use it, whoever made it.
    let made = !matches!(listed.as_deref(), Ok([_, _, ..]));
    hold(run, HeldAccount::new(account.id, account.name.trim(), made)).await;
    match listed.as_deref() {
        Ok([first]) => {
            run.facts.current.iter_mut().for_each(|current| current.spare.push(first.id));
            run.note().await;
        }
        Ok([]) => {}
        Ok(many) => {
            let keys = many.iter().map(|key| key.id).collect();
            run.warnings.push(Warning::KeysNotHeld { account: account.id, keys });
        }
        Err(_) => run.warnings.push(Warning::KeyLost { account: account.id }),
    }
    mint::mint(run, keys).await
}

/// An account of a name that nobody else uses. Its other keys are revoked when the new one is
/// stored.
async fn claim_by_name(
    run: &mut Run,
    keys: &[SecretString],
    wanted: &WantedAccount,
    account: &Account,
) -> Result<(), Failure> {
    check_scope(wanted, account)?;
    hold(run, HeldAccount::new(account.id, &wanted.name, true)).await;
    mint::mint(run, keys).await
}

/// A name is no leave to use an account whose keys may do something else.
pub(super) fn check_scope(wanted: &WantedAccount, account: &Account) -> Result<(), Failure> {
    if account.scope == wanted.scope {
        return Ok(());
    }
    Err(Failure::WrongScope {
        name: wanted.name.clone(),
        account: account.id,
        scope: scope_word(&account.scope),
        wanted: scope_word(&wanted.scope),
    })
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
    check_scope(wanted, account)?;
    hold(run, HeldAccount::new(account.id, &name, false)).await;
    mint::mint(run, keys).await
}

async fn hold(run: &mut Run, mut account: HeldAccount) {
    run.facts.intent = None;
    if let Some(known) = run.facts.take_retired(|retired| retired.id == account.id) {
        account.take_over(&known);
    }
    run.facts.unfinished |= account.is_ours() && !run.is_sole();
    run.facts.current = Some(account);
    run.note().await;
}
