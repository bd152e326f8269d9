//! Service accounts and their keys. It must never list a key's text.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::users::{KeyBody, revoke};
use crate::access::Caller;
use crate::call::{self, Answer, Call, Outcome, Refusal};
use crate::options::{AccountAnswer, AccountLookup};
use crate::store::{self, Owner, Scope, ServiceAccount, Store};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AccountBody {
    name: String,
    scope: String,
    team_id: Option<i64>,
}

/// `GET /api/service-accounts`.
pub(super) fn list(store: &mut Store, call: &Call<'_>) -> Outcome {
    let accounts = &store.tables.accounts;
    let Some(name) = call.query.get("name") else {
        return Ok(Answer::list(accounts.iter()));
    };
    let found = accounts.of_name(name.trim());
    match (call.assumptions.account_lookup, found) {
        (AccountLookup::List, found) => Ok(Answer::list(found.into_iter())),
        (AccountLookup::Object, Some(account)) => Ok(Answer::ok(account)),
        (AccountLookup::Object, None) => {
            let error = format!("no service account is named {name:?}");
            Err(Refusal::new(StatusCode::NOT_FOUND, error))
        }
    }
}

fn scope_of(store: &Store, body: &AccountBody) -> Result<(Scope, Option<i64>), Refusal> {
    match (body.scope.as_str(), body.team_id) {
        ("instance", None) => Ok((Scope::Instance, None)),
        ("instance", Some(_)) => Err(Refusal::invalid("team_id is only for the scope team")),
        ("team", None) => Err(Refusal::invalid("team_id is required for the scope team")),
        ("team", Some(team)) if store.tables.teams.get(team).is_none() => {
            Err(Refusal::invalid(format!("team {team} does not exist")))
        }
        ("team", team) => Ok((Scope::Team, team)),
        (other, _) => Err(Refusal::invalid(format!("scope {other:?} is not instance or team"))),
    }
}

/// `POST /api/service-accounts`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    let body: AccountBody = call.read()?;
    if body.scope == "instance" && !matches!(call.caller, Caller::Admin { .. }) {
        let error = "an account of scope instance needs an admin key";
        return Err(Refusal::new(StatusCode::FORBIDDEN, error));
    }
    let name = call::name("name", &body.name)?;
    let (scope, team) = scope_of(store, &body)?;
    if store.tables.accounts.taken(&name, None) {
        return Err(Refusal::taken("service account name", &name));
    }
    let account = store.add_account(name, scope, team);
    let key = store.add_key(Owner::Account(account.id), "initial".to_owned()).shown_once();
    let answer = match call.assumptions.account_answer {
        AccountAnswer::Nested => json!({ "service_account": account, "key": key }),
        AccountAnswer::Flat => {
            let mut answer = store::json(&account);
            answer["key"] = key;
            answer
        }
    };
    Ok(Answer::created(&answer))
}

fn account<'a>(store: &'a Store, call: &Call<'_>) -> Result<&'a ServiceAccount, Refusal> {
    let id = call.id(0)?;
    store.tables.accounts.get(id).ok_or_else(|| Refusal::not_found("service account", id))
}

/// `DELETE /api/service-accounts/{id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = account(store, call)?.id;
    store.remove_account(id);
    Ok(Answer::no_content())
}

/// `GET /api/service-accounts/{id}/keys`.
pub(super) fn list_keys(store: &mut Store, call: &Call<'_>) -> Outcome {
    let owner = Owner::Account(account(store, call)?.id);
    Ok(Answer::list(store.tables.keys.of(owner).map(store::Key::listed)))
}

/// `POST /api/service-accounts/{id}/keys`.
pub(super) fn mint_key(store: &mut Store, call: &Call<'_>) -> Outcome {
    let owner = Owner::Account(account(store, call)?.id);
    let name = call::name("name", &call.read::<KeyBody>()?.name)?;
    Ok(Answer::created(&store.add_key(owner, name).shown_once()))
}

/// `DELETE /api/service-accounts/{id}/keys/{key_id}`.
pub(super) fn revoke_key(store: &mut Store, call: &Call<'_>) -> Outcome {
    let owner = Owner::Account(account(store, call)?.id);
    revoke(store, owner, call.id(1)?)
}
