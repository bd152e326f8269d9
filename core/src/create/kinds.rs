//! What can be made, kind by kind.

use std::str::FromStr;

use super::{Creatable, Tidy};
use crate::api::{self, AccountScope, ApiKey, Integration, NewIntegration, Reply, Request};
use crate::claims::Claim;
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::model::Kind;
use crate::value::{GoDuration, Matcher};

/// A team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTeam {
    /// Its name.
    pub name: String,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUser {
    /// Log-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
}

/// A dead man's switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSwitch {
    /// Its team.
    pub team: TeamId,
    /// What it is to be.
    pub switch: api::NewSwitch,
}

/// An alert source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSource {
    /// Its team.
    pub team: TeamId,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name.
    pub name: String,
    /// What its keys may do.
    pub scope: AccountScope,
}

/// A service account that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeAccount {
    /// The account.
    pub account: api::Account,
    /// The id of the key that came with it; `None` where that answer was lost.
    pub first_key: Option<KeyId>,
}

/// A key of a service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Its account.
    pub account: AccountId,
    /// Its name.
    pub name: String,
}

/// Whether two texts mean the same.
fn same<T: FromStr + PartialEq>(one: &str, other: &str) -> bool {
    matches!((one.parse::<T>(), other.parse::<T>()), (Ok(one), Ok(other)) if one == other)
}

fn claim(server: &str, kind: Kind, parent: Option<i64>, name: &str) -> Claim {
    Claim { server: server.to_owned(), parent, kind, name: name.trim().to_owned() }
}

impl Creatable for NewTeam {
    const KIND: Kind = Kind::Team;
    type Fact = api::Team;
    type Made = api::Team;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, None, &self.name)
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn list(&self) -> Request {
        Request::ListTeams
    }

    fn post(&self) -> Request {
        Request::CreateTeam { name: self.name.clone() }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<api::Team>> {
        if let Reply::Teams(teams) = reply { Some(teams.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &api::Team) -> bool {
        fact.name.trim() == self.name.trim()
    }

    fn id(fact: &api::Team) -> i64 {
        fact.id.0
    }

    fn made(&self, reply: Reply) -> Option<api::Team> {
        if let Reply::Team(team) = reply { Some(team) } else { None }
    }

    fn made_id(made: &api::Team) -> i64 {
        made.id.0
    }

    fn found(&self, fact: api::Team) -> Option<api::Team> {
        Some(fact)
    }

    fn discard(&self, id: i64) -> Request {
        Request::DeleteTeam { team: TeamId(id) }
    }
}

impl NewUser {
    fn has_email_of(&self, fact: &api::User) -> bool {
        fact.email.trim().to_lowercase() == self.email.trim().to_lowercase()
    }
}

impl Creatable for NewUser {
    const KIND: Kind = Kind::User;
    type Fact = api::User;
    type Made = api::User;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, None, &self.username)
    }

    fn label(&self) -> String {
        self.username.clone()
    }

    fn list(&self) -> Request {
        Request::ListUsers
    }

    fn post(&self) -> Request {
        Request::CreateUser { username: self.username.clone(), email: self.email.clone() }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<api::User>> {
        if let Reply::Users(users) = reply { Some(users.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &api::User) -> bool {
        fact.username.trim() == self.username.trim()
    }

    /// An e-mail address is taken as a name is.
    fn clashes(&self, fact: &api::User) -> bool {
        self.is_named(fact) || self.has_email_of(fact)
    }

    fn taken_label(&self, fact: &api::User) -> String {
        if self.is_named(fact) { self.label() } else { self.email.clone() }
    }

    fn may_be_posted(&self, fact: &api::User) -> bool {
        self.has_email_of(fact)
    }

    fn id(fact: &api::User) -> i64 {
        fact.id.0
    }

    fn made(&self, reply: Reply) -> Option<api::User> {
        if let Reply::User(user) = reply { Some(user) } else { None }
    }

    fn made_id(made: &api::User) -> i64 {
        made.id.0
    }

    fn found(&self, fact: api::User) -> Option<api::User> {
        Some(fact)
    }

    fn discard(&self, id: i64) -> Request {
        Request::DeleteUser { user: UserId(id) }
    }
}

impl Creatable for NewSwitch {
    const KIND: Kind = Kind::DeadmanSwitch;
    const REFUSES_TAKEN: bool = true;
    type Fact = api::Switch;
    type Made = api::Switch;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, Some(self.team.0), &self.switch.name)
    }

    fn label(&self) -> String {
        self.switch.name.clone()
    }

    fn list(&self) -> Request {
        Request::ListSwitches { team: self.team }
    }

    fn post(&self) -> Request {
        Request::CreateSwitch { team: self.team, switch: self.switch.clone() }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<api::Switch>> {
        if let Reply::Switches(switches) = reply { Some(switches.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &api::Switch) -> bool {
        fact.name.trim() == self.switch.name.trim()
    }

    fn may_be_posted(&self, fact: &api::Switch) -> bool {
        same::<Matcher>(&fact.matcher, &self.switch.matcher)
            && same::<GoDuration>(&fact.timeout, &self.switch.timeout)
            && fact.severity == self.switch.severity
    }

    fn id(fact: &api::Switch) -> i64 {
        fact.id.0
    }

    fn import_id(&self, id: i64) -> String {
        format!("{}/{id}", self.team)
    }

    fn made(&self, reply: Reply) -> Option<api::Switch> {
        if let Reply::Switch(switch) = reply { Some(switch) } else { None }
    }

    fn made_id(made: &api::Switch) -> i64 {
        made.id.0
    }

    fn found(&self, fact: api::Switch) -> Option<api::Switch> {
        Some(fact)
    }

    fn discard(&self, id: i64) -> Request {
        Request::DeleteSwitch { team: self.team, switch: SwitchId(id) }
    }
}

impl Creatable for NewSource {
    const KIND: Kind = Kind::AlertSource;
    const SHOWN_ONCE: bool = true;
    type Fact = Integration;
    type Made = NewIntegration;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, Some(self.team.0), &self.name)
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn list(&self) -> Request {
        Request::ListIntegrations { team: self.team }
    }

    fn post(&self) -> Request {
        let (kind, name) = (self.kind.clone(), self.name.clone());
        Request::CreateIntegration { team: self.team, kind, name }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<Integration>> {
        if let Reply::Integrations(sources) = reply { Some(sources.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &Integration) -> bool {
        fact.name.trim() == self.name.trim()
    }

    fn may_be_posted(&self, fact: &Integration) -> bool {
        fact.kind == self.kind
    }

    fn id(fact: &Integration) -> i64 {
        fact.id.0
    }

    fn import_id(&self, id: i64) -> String {
        format!("{}/{id}", self.team)
    }

    fn made(&self, reply: Reply) -> Option<NewIntegration> {
        if let Reply::NewIntegration(made) = reply { Some(made) } else { None }
    }

    fn made_id(made: &NewIntegration) -> i64 {
        made.integration.id.0
    }

    fn found(&self, _: Integration) -> Option<NewIntegration> {
        None
    }

    fn discard(&self, id: i64) -> Request {
        Request::DeleteIntegration { team: self.team, integration: IntegrationId(id) }
    }
}

impl Creatable for NewAccount {
    const KIND: Kind = Kind::ServiceAccount;
    type Fact = api::Account;
    type Made = MadeAccount;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, None, &self.name)
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn list(&self) -> Request {
        Request::ListAccounts { name: Some(self.name.clone()) }
    }

    fn post(&self) -> Request {
        Request::CreateAccount { name: self.name.clone(), scope: self.scope.clone() }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<api::Account>> {
        if let Reply::Accounts(accounts) = reply { Some(accounts.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &api::Account) -> bool {
        fact.name.trim() == self.name.trim()
    }

    fn may_be_posted(&self, fact: &api::Account) -> bool {
        fact.scope == self.scope
    }

    fn id(fact: &api::Account) -> i64 {
        fact.id.0
    }

    fn made(&self, reply: Reply) -> Option<MadeAccount> {
        let Reply::NewAccount(made) = reply else { return None };
        Some(MadeAccount { account: made.account, first_key: Some(made.key.id) })
    }

    fn made_id(made: &MadeAccount) -> i64 {
        made.account.id.0
    }

    fn found(&self, account: api::Account) -> Option<MadeAccount> {
        Some(MadeAccount { account, first_key: None })
    }

    fn discard(&self, id: i64) -> Request {
        Request::DeleteAccount { account: AccountId(id) }
    }

    /// Keys come only from the key resource, so the first one is revoked.
    fn tidy(&self, made: &MadeAccount) -> Tidy {
        let account = made.account.id;
        match made.first_key {
            Some(key) => Tidy::Send(vec![Request::RevokeKey { account, key }]),
            None => Tidy::Look(Request::ListKeys { account }),
        }
    }

    /// The account is new and ours: whatever key it has came with it.
    fn tidy_listed(&self, made: &MadeAccount, reply: Reply) -> Vec<Request> {
        let Reply::Keys(keys) = reply else { return Vec::new() };
        let account = made.account.id;
        keys.iter().map(|key| Request::RevokeKey { account, key: key.id }).collect()
    }
}

impl Creatable for NewKey {
    const KIND: Kind = Kind::ServiceAccountKey;
    const SHARES_NAMES: bool = true;
    const SHOWN_ONCE: bool = true;
    type Fact = ApiKey;
    type Made = ApiKey;

    fn claim(&self, server: &str) -> Claim {
        claim(server, Self::KIND, Some(self.account.0), &self.name)
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn list(&self) -> Request {
        Request::ListKeys { account: self.account }
    }

    fn post(&self) -> Request {
        Request::MintKey { account: self.account, name: self.name.clone() }
    }

    fn facts(&self, reply: Reply) -> Option<Vec<ApiKey>> {
        if let Reply::Keys(keys) = reply { Some(keys.to_vec()) } else { None }
    }

    fn is_named(&self, fact: &ApiKey) -> bool {
        fact.name.trim() == self.name.trim()
    }

    fn id(fact: &ApiKey) -> i64 {
        fact.id.0
    }

    fn import_id(&self, id: i64) -> String {
        format!("{}/{id}", self.account)
    }

    fn made(&self, reply: Reply) -> Option<ApiKey> {
        if let Reply::Key(key) = reply { Some(key).filter(|key| key.key.is_some()) } else { None }
    }

    fn made_id(made: &ApiKey) -> i64 {
        made.id.0
    }

    fn found(&self, _: ApiKey) -> Option<ApiKey> {
        None
    }

    fn discard(&self, id: i64) -> Request {
        Request::RevokeKey { account: self.account, key: KeyId(id) }
    }
}
