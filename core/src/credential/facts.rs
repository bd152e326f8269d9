//! What is recorded between two commands, and from one apply to the next.
//!
//! The tools store it (Terraform: state and private state; the bridge: Secrets). It is not
//! serialisable here: keys leave only where a tool says so.

use crate::ids::{AccountId, KeyId, UserId};
use crate::secret::SecretString;

/// All that we hold on one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The service account that our key is of.
    pub current: Option<HeldAccount>,
    /// Accounts used before a rename, alive until the next rotation.
    pub retired: Vec<HeldAccount>,
    /// The admin key that bootstrap gave us.
    pub admin: Option<AdminKey>,
    /// The name of an account that was free when we set out to make it.
    pub intent: Option<String>,
    /// Whether something was begun and is not finished: a create, or in sole custody the revoking
    /// of the account's other keys.
    pub unfinished: bool,
}

/// A service account that keys of ours are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldAccount {
    /// Its id.
    pub id: AccountId,
    /// Its name, where it is known.
    pub name: Option<String>,
    /// Whether we made it: only then may we delete it.
    pub made: bool,
    /// The key in use.
    pub key: Option<HeldKey>,
    /// The key before it, alive until the next rotation.
    pub previous: Option<KeyId>,
    /// Keys of ours that are of no more use and not yet revoked.
    pub spare: Vec<KeyId>,
}

/// A key that we hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    /// Its id; unknown where the state was partial.
    pub id: Option<KeyId>,
    /// The key itself.
    pub token: SecretString,
}

/// The first person's admin key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminKey {
    /// The person.
    pub user: UserId,
    /// The key's id.
    pub key: KeyId,
    /// The key itself.
    pub token: SecretString,
    /// Whether all that needs it is done, so that it may be given up.
    pub done: bool,
}

impl Facts {
    /// Whether something of ours is on the server, so that these facts must not be lost.
    pub fn hold_anything(&self) -> bool {
        self.admin.is_some()
            || !self.retired.is_empty()
            || self.current.as_ref().is_some_and(HeldAccount::is_ours)
    }

    /// The key in use.
    pub fn token(&self) -> Option<&SecretString> {
        self.current.as_ref()?.token()
    }

    /// Goes back to what was held before an attempt that failed, and keeps what the attempt left on
    /// the server, to be removed later. Gives the account that nothing but the attempt was about.
    pub(super) fn fall_back(&mut self, before: Self) -> Option<AccountId> {
        let attempt = std::mem::replace(self, before);
        self.intent = attempt.intent;
        let left = attempt.current.filter(HeldAccount::is_ours)?;
        let mut known = self.current.iter_mut().chain(&mut self.retired);
        if let Some(known) = known.find(|account| account.id == left.id) {
            known.take_left(&left);
            return None;
        }
        let (account, spare) = (left.id, left.keys());
        self.retire(HeldAccount { key: None, previous: None, spare, ..left });
        Some(account)
    }

    /// Takes the first such account off the record of those used before.
    pub(super) fn take_retired(
        &mut self,
        is_meant: impl Fn(&HeldAccount) -> bool,
    ) -> Option<HeldAccount> {
        let position = self.retired.iter().position(is_meant)?;
        Some(self.retired.remove(position))
    }

    /// Records an account as used before; an older record of the same account gives way.
    pub(super) fn retire(&mut self, account: HeldAccount) {
        self.retired.retain(|other| other.id != account.id);
        self.retired.push(account);
    }
}

impl HeldAccount {
    /// An account on which we hold no key yet.
    pub(super) fn new(id: AccountId, name: &str, made: bool) -> Self {
        let name = Some(name.to_owned());
        Self { id, name, made, key: None, previous: None, spare: Vec::new() }
    }

    /// The key in use.
    pub fn token(&self) -> Option<&SecretString> {
        self.key.as_ref().map(|key| &key.token)
    }

    /// Whether the account or a key on it is our doing.
    pub(super) fn is_ours(&self) -> bool {
        self.made || !self.keys().is_empty() || self.key.is_some()
    }

    /// The ids of all our keys on it; the one in use is last.
    pub(super) fn keys(&self) -> Vec<KeyId> {
        let in_use = self.key.as_ref().and_then(|key| key.id);
        self.previous.iter().chain(&self.spare).copied().chain(in_use).collect()
    }

    /// Whether one of our keys has that id.
    pub(super) fn holds(&self, key: KeyId) -> bool {
        self.keys().contains(&key)
    }

    /// Takes a new key into use; the one before stays alive, the one before that is of no more use.
    pub(super) fn take_key(&mut self, key: HeldKey) {
        if let Some(old) = self.key.replace(key) {
            let before = std::mem::replace(&mut self.previous, old.id);
            self.spare.extend(before);
        }
    }

    /// Notes for removal those of these keys that are on no record.
    pub(super) fn spare_unknown(&mut self, keys: impl Iterator<Item = KeyId>) {
        let known = self.keys();
        self.spare.extend(keys.filter(|key| !known.contains(key)));
    }

    /// Whether the id of the key in use is known, so that it can be told from others.
    pub(super) fn knows_own(&self) -> bool {
        self.key.as_ref().is_some_and(|key| key.id.is_some())
    }

    /// Forgets a key that was revoked.
    pub(super) fn forget(&mut self, revoked: KeyId) {
        self.spare.retain(|key| *key != revoked);
        self.previous = self.previous.filter(|key| *key != revoked);
        if self.key.as_ref().is_some_and(|key| key.id == Some(revoked)) {
            self.key = None;
        }
    }

    /// Forgets all keys: none is left on the account.
    pub(super) fn forget_all(&mut self) {
        *self = Self { key: None, previous: None, spare: Vec::new(), ..self.clone() };
    }

    /// Notes that the account is no more: nothing of it is ours.
    pub(super) fn be_gone(&mut self) {
        self.made = false;
        self.forget_all();
    }

    /// Takes in an older record of the same account.
    pub(super) fn take_over(&mut self, older: &Self) {
        self.made |= older.made;
        self.take_left(older);
    }

    /// Notes the keys that another record has of this account.
    fn take_left(&mut self, left: &Self) {
        let unknown: Vec<_> = left.keys().into_iter().filter(|key| !self.holds(*key)).collect();
        self.spare.extend(unknown);
    }
}
