//! A small server: users, teams, accounts and keys, with a fault at one request.
//!
//! Only the tests beside it use it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::*;
use crate::error::{ApiError, Class, Effect};
use crate::ids::{AccountId, KeyId, TeamId, UserId};
use crate::secret::SecretString;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection drops before the server acts.
    LostBefore,
    /// The server acts, and its answer is lost.
    LostAfter,
    /// The server refuses with an error and does nothing.
    Refused,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    User(UserId),
    Account(AccountId),
}

#[derive(Debug, Clone)]
pub(super) struct StoredKey {
    pub(super) owner: Owner,
    pub(super) name: String,
    pub(super) token: String,
}

#[derive(Debug, Default)]
pub(super) struct Fake {
    pub(super) users: Vec<User>,
    pub(super) passwords: BTreeMap<UserId, String>,
    pub(super) teams: Vec<Team>,
    pub(super) accounts: Vec<Account>,
    pub(super) keys: BTreeMap<KeyId, StoredKey>,
    pub(super) log: Vec<String>,
    pub(super) fault: Option<(usize, Fault)>,
    pub(super) no_account_delete: bool,
    pub(super) no_self_service: bool,
    pub(super) next: i64,
}

impl Fake {
    /// A server with a person and an admin key of theirs.
    pub(super) fn with_admin() -> (Self, SecretString) {
        let mut fake = Self::default();
        let user = fake.add_user("root", "root@example.org");
        let key = fake.add_key(Owner::User(user.id), "admin");
        fake.log.clear();
        (fake, key.key.unwrap())
    }

    pub(super) fn add_account(&mut self, name: &str, scope: AccountScope) -> Account {
        let id = AccountId(self.id());
        let account = Account { id, name: name.into(), scope, created_at: None };
        self.accounts.push(account.clone());
        account
    }

    pub(super) fn add_key(&mut self, owner: Owner, name: &str) -> ApiKey {
        let id = KeyId(self.id());
        let token = format!("key-{id}");
        self.keys.insert(id, StoredKey { owner, name: name.into(), token: token.clone() });
        ApiKey { id, name: name.into(), key: Some(token.into()), created_at: None }
    }

    pub(super) fn add_team(&mut self, name: &str) -> Team {
        let (id, name) = (TeamId(self.id()), name.to_owned());
        let team = Team { id, name, oidc_member_group: None, oidc_owner_group: None };
        self.teams.push(team.clone());
        team
    }

    /// The bridge's instance key, on an account of its own.
    pub(super) fn add_instance_key(&mut self) -> SecretString {
        let account = self.add_account("the bridge", AccountScope::Instance);
        self.add_key(Owner::Account(account.id), "instance").key.unwrap()
    }

    pub(super) fn keys_of(&self, account: AccountId) -> Vec<KeyId> {
        let of = |key: &StoredKey| key.owner == Owner::Account(account);
        self.keys.iter().filter(|(_, key)| of(key)).map(|(id, _)| *id).collect()
    }

    pub(super) fn works(&self, token: &SecretString) -> bool {
        self.keys.values().any(|key| key.token == token.expose())
    }

    pub(super) fn account(&self, name: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.name == name)
    }

    /// Answers a request, with the fault if it is that one's turn.
    pub(super) fn answer(
        &mut self,
        key: Option<&SecretString>,
        request: &Request,
    ) -> Result<Reply, ApiError> {
        let turn = self.log.len();
        self.log.push(format!("{request:?}"));
        match self.fault.filter(|(at, _)| *at == turn).map(|(_, fault)| fault) {
            Some(Fault::LostBefore) => Err(error(Class::Unreachable, Effect::Unknown, None)),
            Some(Fault::Refused) => Err(error(Class::Retryable, Effect::None, Some(503))),
            Some(Fault::LostAfter) => {
                let _ = self.act(key, request);
                Err(error(Class::Unreachable, Effect::Unknown, None))
            }
            None => self.act(key, request),
        }
    }

    fn act(&mut self, key: Option<&SecretString>, request: &Request) -> Result<Reply, ApiError> {
        if let Request::Bootstrap { username, email } = request {
            return self.bootstrap(username, email);
        }
        let owner = self.owner(key)?;
        self.permit(&owner, request)?;
        match request {
            Request::Me | Request::ListUsers => Ok(Reply::Users(Shared::from([]))),
            Request::SetPassword { user, password } => {
                self.passwords.insert(*user, password.expose().to_owned());
                Ok(Reply::Done)
            }
            Request::ListTeams => Ok(Reply::Teams(self.teams.iter().cloned().collect())),
            Request::CreateTeam { name } => self.create_team(name),
            Request::ListAccounts { name } => Ok(Reply::Accounts(self.named(name.as_deref()))),
            Request::CreateAccount { name, scope } => self.create(name, scope),
            Request::DeleteAccount { account } => self.delete(*account),
            Request::ListKeys { account } => {
                self.exists(*account)?;
                Ok(Reply::Keys(self.listed(*account)))
            }
            Request::MintKey { account, name } => {
                self.exists(*account)?;
                Ok(Reply::Key(self.add_key(Owner::Account(*account), name)))
            }
            Request::RevokeUserKey { key, .. } | Request::RevokeKey { key, .. } => {
                self.revoke(*key)
            }
            other => panic!("the machine has no business with {other:?}"),
        }
    }

    fn bootstrap(&mut self, username: &str, email: &str) -> Result<Reply, ApiError> {
        if !self.users.is_empty() {
            return Err(refusal(403));
        }
        let user = self.add_user(username, email);
        let key = self.add_key(Owner::User(user.id), "bootstrap");
        Ok(Reply::Bootstrapped(Bootstrapped { user, key }))
    }

    fn owner(&self, key: Option<&SecretString>) -> Result<Owner, ApiError> {
        let token = key.map(SecretString::expose).unwrap_or_default();
        let stored = self.keys.values().find(|stored| stored.token == token);
        stored.map(|stored| stored.owner.clone()).ok_or_else(|| refusal(401))
    }

    fn permit(&self, owner: &Owner, request: &Request) -> Result<(), ApiError> {
        let Owner::Account(own) = owner else { return Ok(()) };
        let instance = self.scope_of(*own) == Some(AccountScope::Instance);
        let below = |account: &AccountId| {
            instance && matches!(self.scope_of(*account), Some(AccountScope::Team(_)) | None)
        };
        let allowed = match request {
            Request::CreateAccount { scope, .. } => {
                instance && matches!(scope, AccountScope::Team(_))
            }
            Request::DeleteAccount { account } => below(account),
            Request::RevokeUserKey { .. } | Request::SetPassword { .. } => false,
            Request::MintKey { account, .. }
            | Request::RevokeKey { account, .. }
            | Request::ListKeys { account } => {
                below(account) || (account == own && !self.no_self_service)
            }
            Request::ListAccounts { .. } | Request::ListTeams | Request::CreateTeam { .. } => {
                instance
            }
            _ => true,
        };
        if allowed { Ok(()) } else { Err(refusal(403)) }
    }

    fn scope_of(&self, id: AccountId) -> Option<AccountScope> {
        let account = self.accounts.iter().find(|account| account.id == id);
        account.map(|account| account.scope.clone())
    }

    fn create_team(&mut self, name: &str) -> Result<Reply, ApiError> {
        if self.teams.iter().any(|team| team.name == name) {
            return Err(error(Class::Conflict, Effect::None, Some(409)));
        }
        Ok(Reply::Team(self.add_team(name)))
    }

    fn create(&mut self, name: &str, scope: &AccountScope) -> Result<Reply, ApiError> {
        if self.account(name).is_some() {
            return Err(error(Class::Conflict, Effect::None, Some(409)));
        }
        let account = self.add_account(name, scope.clone());
        let key = self.add_key(Owner::Account(account.id), name);
        Ok(Reply::NewAccount(NewAccount { account, key }))
    }

    fn delete(&mut self, account: AccountId) -> Result<Reply, ApiError> {
        if self.no_account_delete {
            return Err(error(Class::TooOld, Effect::None, Some(404)));
        }
        self.exists(account)?;
        self.accounts.retain(|other| other.id != account);
        self.keys.retain(|_, key| key.owner != Owner::Account(account));
        Ok(Reply::Done)
    }

    fn revoke(&mut self, key: KeyId) -> Result<Reply, ApiError> {
        self.keys.remove(&key).map(|_| Reply::Done).ok_or_else(missing)
    }

    fn exists(&self, account: AccountId) -> Result<(), ApiError> {
        let found = self.accounts.iter().any(|other| other.id == account);
        found.then_some(()).ok_or_else(missing)
    }

    fn named(&self, name: Option<&str>) -> Shared<Account> {
        let fits = |account: &&Account| name.is_none_or(|name| account.name == name);
        self.accounts.iter().filter(fits).cloned().collect()
    }

    fn listed(&self, account: AccountId) -> Arc<[ApiKey]> {
        let fact = |id: KeyId| ApiKey {
            id,
            name: self.keys[&id].name.clone(),
            key: None,
            created_at: None,
        };
        self.keys_of(account).into_iter().map(fact).collect()
    }

    fn add_user(&mut self, username: &str, email: &str) -> User {
        let id = UserId(self.id());
        let (username, email) = (username.to_owned(), email.to_owned());
        let user = User { id, username, email, ntfy_topic: None, created_at: None };
        self.users.push(user.clone());
        user
    }

    fn id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }
}

pub(super) fn refusal(status: u16) -> ApiError {
    error(Class::Denied, Effect::None, Some(status))
}

fn missing() -> ApiError {
    error(Class::NotFound, Effect::None, Some(404))
}

pub(super) fn error(class: Class, effect: Effect, status: Option<u16>) -> ApiError {
    let (method, route, own_word) = ("TEST", "/fake", status.is_some());
    ApiError { class, effect, method, route, status, own_word, said: String::new() }
}
