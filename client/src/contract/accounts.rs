//! Service accounts, their keys, and what keys of each scope may do.

use serde_json::Value;
use terdut_core::api::{AccountScope, Policy, Request};
use terdut_core::error::Class;
use terdut_core::ids::{AccountId, KeyId, TeamId};

use super::checks::{self, Check};
use super::report::Verdict;
use super::shape;
use super::walk::{Form, Walk, id};
use crate::client::Client;

const NEW_KEY: (u16, Form) = (201, Form::One(shape::NEW_KEY));
const KEYS: (u16, Form) = (200, Form::List(shape::LISTED_KEY));

/// An account that was made, and a client with its first key.
struct NewAccount {
    id: AccountId,
    owner: Client,
}

impl Walk {
    pub(super) async fn accounts(&mut self, team: TeamId) {
        let client = self.client.clone();
        let name = format!("{}-team", self.name);
        let list = (200, Form::List(shape::ACCOUNT));
        let made = self.make_account(&name, AccountScope::Team(team)).await;
        let all = Request::ListAccounts { name: None };
        self.ask(checks::ACCOUNTS, &client, all, list).await;
        if let Some(made) = made {
            self.look_up(&name).await;
            let request = Request::CreateAccount { name, scope: AccountScope::Team(team) };
            self.refused(checks::ACCOUNT_TAKEN, &client, request, 409).await;
            self.keys(made.id).await;
            self.as_team(team, &made).await;
            self.delete_account(made.id).await;
        }
        self.instance().await;
    }

    async fn make_account(&mut self, name: &str, scope: AccountScope) -> Option<NewAccount> {
        let client = self.client.clone();
        let request = Request::CreateAccount { name: name.to_owned(), scope };
        let json = self.ask(checks::ACCOUNT_CREATE, &client, request, (201, Form::Any)).await?;
        self.account_made(json)
    }

    /// Reads the answer flat or nested, and judges which it is.
    fn account_made(&mut self, mut json: Value) -> Option<NewAccount> {
        let key = json.as_object_mut()?.remove("key").unwrap_or_default();
        let nested = json.get("service_account").cloned();
        self.judge(checks::ACCOUNT_ANSWER, nested.is_none(), "the account under `service_account`");
        let account = nested.unwrap_or(json);
        self.formed(checks::ACCOUNT_CREATE, &account, Form::One(shape::ACCOUNT));
        self.formed(checks::ACCOUNT_CREATE, &key, NEW_KEY.1);
        let made = AccountId(id(&account)?);
        self.made.accounts.push(made);
        self.key_form(&key);
        self.made.keys.extend(id(&key).map(|key| (made, KeyId(key))));
        Some(NewAccount { id: made, owner: self.client_of(&key)? })
    }

    async fn look_up(&mut self, name: &str) {
        let client = self.client.clone();
        for (name, expected) in [(name.to_owned(), 1), (format!("{name}-none"), 0)] {
            let request = Request::ListAccounts { name: Some(name) };
            let heard = self.hear(checks::ACCOUNT_LOOKUP, &client, &request).await;
            let Some(heard) = heard else { return };
            let found = match &heard.json {
                Some(Value::Array(rows)) => rows.len(),
                Some(json) => usize::from(json["id"].is_i64()),
                None => 0,
            };
            let none = heard.class() == Some(Class::NotFound) && expected == 0;
            let listed = heard.json.as_ref().is_some_and(Value::is_array);
            let seen = if none { heard.words() } else { "the account itself".to_owned() };
            self.judge(checks::ACCOUNT_LIST_FORM, listed, &seen);
            if !none {
                self.judge(checks::ACCOUNT_LOOKUP, heard.status == 200, &heard.words());
            }
            self.judge(checks::ACCOUNT_LOOKUP, found == expected, &format!("{found} found"));
        }
    }

    async fn keys(&mut self, account: AccountId) {
        let client = self.client.clone();
        let mint = || Request::MintKey { account, name: "terdut-contract".to_owned() };
        let Some(first) = self.ask(checks::KEY_MINT, &client, mint(), NEW_KEY).await else {
            return;
        };
        self.keep_key(account, &first);
        let again = self.ask(checks::KEY_NAMES, &client, mint(), NEW_KEY).await;
        if let Some(again) = again {
            self.keep_key(account, &again);
        }
        let request = Request::ListKeys { account };
        if let Some(list) = self.ask(checks::KEYS, &client, request, KEYS).await {
            let with_key = |row: &Value| row.get("key").is_some();
            let leaks = list.as_array().is_some_and(|rows| rows.iter().any(with_key));
            self.judge(checks::KEYS, !leaks, "the list shows keys");
        }
        let (Some(key), Some(owner)) = (id(&first), self.client_of(&first)) else { return };
        if self.revoke(checks::KEY_REVOKE, &client, account, key).await {
            self.refused(checks::KEY_REVOKE, &owner, Request::ListUsers, 401).await;
        }
    }

    fn keep_key(&mut self, account: AccountId, made: &Value) {
        self.made.keys.extend(id(made).map(|key| (account, KeyId(key))));
    }

    /// Whether it was revoked.
    async fn revoke(
        &mut self,
        check: &'static Check,
        by: &Client,
        account: AccountId,
        key: i64,
    ) -> bool {
        let key = KeyId(key);
        let request = Request::RevokeKey { account, key };
        let revoked = self.ask(check, by, request, (204, Form::Any)).await.is_some();
        if revoked {
            self.made.keys.retain(|made| *made != (account, key));
        }
        revoked
    }

    /// What a team's key may do and may not.
    async fn as_team(&mut self, team: TeamId, account: &NewAccount) {
        let owner = &account.owner;
        let users = (200, Form::List(shape::USER));
        self.ask(checks::TEAM_SCOPE, owner, Request::ListUsers, users).await;
        let switches = (200, Form::List(shape::SWITCH));
        self.ask(checks::TEAM_SCOPE, owner, Request::ListSwitches { team }, switches).await;
        let policy = Policy { repeat_count: 0, fallback_topic: None, levels: Vec::new() };
        let put = Request::PutPolicy { team, policy };
        self.ask(checks::TEAM_SCOPE, owner, put, (200, Form::Any)).await;
        // Refused for its scope; if not, for its name, and nothing is made.
        let create = Request::CreateTeam { name: String::new() };
        self.refused(checks::TEAM_SCOPE, owner, create, 403).await;
        self.refused(checks::TEAM_LIST, owner, Request::ListTeams, 403).await;
        self.me_of(owner).await;
        self.own_keys(checks::TEAM_OWN_KEYS, account.id, owner).await;
    }

    async fn me_of(&mut self, owner: &Client) {
        let heard = self.hear(checks::ME_ACCOUNT, owner, &Request::Me).await;
        let Some(heard) = heard else { return };
        let Some(json) = self.succeeded(checks::ME_ACCOUNT, heard, 200, Form::Any) else { return };
        let nested = json["service_account"].is_object();
        self.judge(checks::ME_ACCOUNT, nested, "no `service_account`");
        if nested {
            self.formed(checks::ME_ACCOUNT, &json["service_account"], Form::One(shape::ACCOUNT));
        }
    }

    /// Whether an account lists, mints and revokes its own keys. A route that is missing for all
    /// is told at its own line.
    async fn own_keys(&mut self, check: &'static Check, account: AccountId, owner: &Client) {
        let list = Request::ListKeys { account };
        if let Some(heard) = self.hear(check, owner, &list).await
            && heard.class() != Some(Class::TooOld)
        {
            self.succeeded(check, heard, 200, KEYS.1);
        }
        let mint = Request::MintKey { account, name: self.name.clone() };
        let Some(made) = self.ask(check, owner, mint, NEW_KEY).await else { return };
        self.keep_key(account, &made);
        if let Some(key) = id(&made) {
            self.revoke(check, owner, account, key).await;
        }
    }

    async fn delete_account(&mut self, account: AccountId) {
        let client = self.client.clone();
        let request = Request::DeleteAccount { account };
        let form = (204, Form::Any);
        if self.ask(checks::ACCOUNT_DELETE, &client, request, form).await.is_some() {
            self.made.accounts.retain(|made| *made != account);
            self.made.keys.retain(|(owner, _)| *owner != account);
        }
    }

    /// An instance account: one that is made, or, without an admin key, the key's own.
    async fn instance(&mut self) {
        let client = self.client.clone();
        let name = format!("{}-instance", self.name);
        let request = Request::CreateAccount { name, scope: AccountScope::Instance };
        let Some(heard) = self.hear(checks::ACCOUNT_CREATE, &client, &request).await else {
            return;
        };
        if heard.class() == Some(Class::Denied) {
            return self.own_instance().await;
        }
        let made = self.succeeded(checks::ACCOUNT_CREATE, heard, 201, Form::Any);
        let Some(made) = made.and_then(|made| self.account_made(made)) else { return };
        let teams = (200, Form::List(shape::TEAM));
        self.ask(checks::INSTANCE_SCOPE, &made.owner, Request::ListTeams, teams).await;
        self.refused(checks::INSTANCE_SCOPE, &made.owner, self.person("-3"), 403).await;
        self.own_keys(checks::INSTANCE_OWN_KEYS, made.id, &made.owner).await;
        self.delete_account(made.id).await;
    }

    async fn own_instance(&mut self) {
        let client = self.client.clone();
        let me = self.hear(checks::INSTANCE_OWN_KEYS, &client, &Request::Me).await;
        let own = me.and_then(|me| me.json).and_then(|json| id(&json["service_account"]));
        match own {
            Some(own) => {
                self.own_keys(checks::INSTANCE_OWN_KEYS, AccountId(own), &client).await;
            }
            None => self.note(
                checks::INSTANCE_OWN_KEYS,
                Verdict::NotChecked,
                "the key's own account is not known, and an admin key was not given",
            ),
        }
    }
}
