//! A further key on the account that we hold.
//!
//! Called by `establish` and `converge`. Names of keys may repeat, so what was there before is
//! listed first: after a lost answer exactly one new key of our name is ours; it is noted for
//! removal and another is made. A key that was there before and is not held here is only named. In
//! sole custody none of that is needed: all keys but the new one are revoked in the end. One that may
//! still come up unseen is told.

use super::facts::HeldKey;
use super::failure::{Failure, Warning};
use super::run::{Run, is_lost};
use super::{ATTEMPTS, KEY_NAME};
use crate::api::ApiKey;
use crate::error::{ApiError, Class};
use crate::ids::{AccountId, KeyId};
use crate::secret::SecretString;

pub(super) async fn mint(run: &mut Run, keys: &[SecretString]) -> Result<(), Failure> {
    let Some(account) = run.facts.current.as_ref().map(|account| account.id) else {
        return Ok(());
    };
    if keys.is_empty() {
        return Err(Failure::NoCredential { doing: doing(account) });
    }
    let before = if run.is_sole() { None } else { list(run, keys, account).await? };
    name_not_held(run, account, before.as_deref());
    let mut lost = Lost { account, before, unseen: 0 };
    let ended = ask(run, keys, &mut lost).await;
    // Meanwhile it may have come.
    if ended.is_ok()
        && lost.unseen > 0
        && let Err(Failure::Ambiguous { account, keys }) = lost.look(run, keys).await
    {
        run.warnings.push(Warning::KeysNotHeld { account, keys });
    }
    if lost.unseen > 0 {
        run.warnings.push(Warning::KeyLost { account });
    }
    ended
}

fn doing(account: AccountId) -> String {
    format!("minting a key on service account {account}")
}

async fn ask(run: &mut Run, keys: &[SecretString], lost: &mut Lost) -> Result<(), Failure> {
    let account = lost.account;
    let mut unanswered = None;
    for _ in 0..ATTEMPTS {
        match run.mint_key(keys, account).await {
            Ok(key) => return take(run, key).await,
            Err(error) if is_lost(&error) && run.is_sole() => {
                run.in_doubt = true;
                unanswered = Some(error);
            }
            Err(error) if is_lost(&error) => {
                if !lost.find(run, keys, &error).await? {
                    return Err(Failure::call(doing(account), error));
                }
                unanswered = Some(error);
            }
            Err(error) if error.class == Class::NotFound => {
                return Err(Failure::AccountGone { account });
            }
            Err(error) => return Err(Failure::call(doing(account), error)),
        }
    }
    Err(unanswered.map_or(Failure::NoCredential { doing: doing(account) }, |error| {
        Failure::call(doing(account), error)
    }))
}

/// Keys that were asked for and whose answers were lost.
struct Lost {
    account: AccountId,
    /// The account's keys before the first was asked for; `None` where they are not listed.
    before: Option<Vec<ApiKey>>,
    /// How many may have come, or may still come, that nobody has seen.
    unseen: usize,
}

impl Lost {
    /// Finds the key whose answer was lost, if it was made. `false`: it cannot be looked up, and
    /// then no other may be asked for.
    async fn find(
        &mut self,
        run: &mut Run,
        keys: &[SecretString],
        error: &ApiError,
    ) -> Result<bool, Failure> {
        self.unseen += 1;
        let seen = self.look(run, keys).await?;
        // What the server itself has answered does not come later.
        if seen == Seen::None && error.own_word {
            self.unseen -= 1;
        }
        Ok(seen != Seen::Nothing)
    }

    /// Looks for the one that is new and notes it for removal.
    async fn look(&mut self, run: &mut Run, keys: &[SecretString]) -> Result<Seen, Failure> {
        let Some(before) = &self.before else { return Ok(Seen::Nothing) };
        let Some(now) = list(run, keys, self.account).await? else { return Ok(Seen::Nothing) };
        let mut new = not_held(run, &now);
        new.retain(|key| before.iter().all(|old| old.id != *key));
        match (new.as_slice(), &mut run.facts.current) {
            ([lost], Some(current)) => current.spare.push(*lost),
            ([], _) | (_, None) => return Ok(Seen::None),
            (_, Some(_)) => {
                self.unseen = 0;
                return Err(Failure::Ambiguous { account: self.account, keys: new });
            }
        }
        self.unseen = self.unseen.saturating_sub(1);
        run.note().await;
        Ok(Seen::One)
    }
}

/// What a look for a lost key has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// The one, which is noted now.
    One,
    /// None that is new.
    None,
    /// Nothing at all: keys are not listed.
    Nothing,
}

/// The account's keys; `None` where the server does not list them.
async fn list(
    run: &Run,
    keys: &[SecretString],
    account: AccountId,
) -> Result<Option<Vec<ApiKey>>, Failure> {
    match run.keys_of(keys, account).await {
        Ok(list) => Ok(Some(list)),
        Err(error) => match error.class {
            Class::TooOld | Class::Denied => Ok(None),
            Class::NotFound => Err(Failure::AccountGone { account }),
            Class::Retryable | Class::Conflict | Class::Invalid | Class::Unreachable => {
                Err(Failure::call(format!("listing the keys of service account {account}"), error))
            }
        },
    }
}

fn name_not_held(run: &mut Run, account: AccountId, before: Option<&[ApiKey]>) {
    let before = before.unwrap_or_default();
    let taken_over = run.facts.current.as_ref().is_some_and(|current| !current.is_ours());
    // The first key of an account has a name that terdut gave it. Whoever takes over an account
    // that an earlier attempt has made does not know that one either.
    let keys =
        if taken_over { before.iter().map(|key| key.id).collect() } else { not_held(run, before) };
    if !keys.is_empty() {
        run.warnings.push(Warning::KeysNotHeld { account, keys });
    }
}

fn not_held(run: &Run, list: &[ApiKey]) -> Vec<KeyId> {
    let held = |key: KeyId| run.facts.current.as_ref().is_some_and(|current| current.holds(key));
    list.iter().filter(|key| key.name == KEY_NAME && !held(key.id)).map(|key| key.id).collect()
}

async fn take(run: &mut Run, key: ApiKey) -> Result<(), Failure> {
    let sole = run.is_sole();
    if let (Some(current), Some(token)) = (&mut run.facts.current, key.key) {
        current.take_key(HeldKey { id: Some(key.id), token });
        if sole {
            current.spare.extend(current.previous.take());
        }
        run.facts.unfinished = true;
    }
    run.note().await;
    Ok(())
}
