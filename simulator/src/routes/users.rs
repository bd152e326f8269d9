//! People and their keys. It must never answer a password.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::access::Caller;
use crate::call::{self, Answer, Call, Outcome, Refusal};
use crate::store::{Owner, Person, Store, User};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UserBody {
    username: String,
    email: String,
}

#[derive(Debug, Default, Deserialize)]
struct PasswordBody {
    #[serde(default)]
    password: String,
}

#[derive(Debug, Default, Deserialize)]
struct TopicBody {
    #[serde(default)]
    ntfy_topic: String,
}

/// The body that makes a key.
#[derive(Debug, Default, Deserialize)]
pub(super) struct KeyBody {
    #[serde(default)]
    pub(super) name: String,
}

/// Adds the user of a body.
pub(super) fn new_user(store: &mut Store, body: &UserBody) -> Result<User, Refusal> {
    let username = call::name("username", &body.username)?;
    let email = call::name("email", &body.email)?;
    if !email.contains('@') {
        return Err(Refusal::invalid(format!("email {email:?} is not an address")));
    }
    if store.tables.users.taken(&username, None) {
        return Err(Refusal::taken("username", &username));
    }
    if store.tables.users.iter().any(|person| person.user.email == email) {
        return Err(Refusal::taken("email", &email));
    }
    Ok(store.add_user(username, email))
}

fn person<'a>(store: &'a mut Store, call: &Call<'_>) -> Result<&'a mut Person, Refusal> {
    let id = call.id(0)?;
    store.tables.users.get_mut(id).ok_or_else(|| Refusal::not_found("user", id))
}

/// `GET /api/me`.
pub(super) fn me(store: &mut Store, call: &Call<'_>) -> Outcome {
    let nobody = || Refusal::new(StatusCode::NOT_FOUND, "the key does not belong to a user");
    match call.caller {
        Caller::Admin { user } => {
            let person = store.tables.users.get(user).ok_or_else(nobody)?;
            let has_password = person.password.is_some();
            Ok(Answer::ok(&json!({ "user": person.user, "has_password": has_password })))
        }
        Caller::Instance { account } | Caller::Team { account, .. }
            if call.assumptions.me_for_accounts =>
        {
            let account = store.tables.accounts.get(account).ok_or_else(nobody)?;
            Ok(Answer::ok(&json!({ "service_account": account })))
        }
        Caller::Instance { .. } | Caller::Team { .. } | Caller::Nobody => Err(nobody()),
    }
}

/// `GET /api/users`.
#[expect(clippy::unnecessary_wraps, reason = "a route of the table")]
pub(super) fn list(store: &mut Store, _: &Call<'_>) -> Outcome {
    Ok(Answer::list(store.tables.users.iter().map(|person| &person.user)))
}

/// `POST /api/users`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    Ok(Answer::created(&new_user(store, &call.read()?)?))
}

/// `DELETE /api/users/{id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = person(store, call)?.user.id;
    let named = |store: &Store| store.tables.teams.iter().any(|team| team.names_user(id));
    if call.assumptions.named_user_is_kept && named(store) {
        let error = format!("user {id} is named by an escalation policy");
        return Err(Refusal::new(StatusCode::CONFLICT, error));
    }
    store.remove_user(id);
    Ok(Answer::no_content())
}

/// `PUT /api/users/{id}/password`.
pub(super) fn set_password(store: &mut Store, call: &Call<'_>) -> Outcome {
    let person = person(store, call)?;
    let body: PasswordBody = call.read()?;
    if body.password.chars().count() < 8 {
        return Err(Refusal::invalid("password must have at least 8 characters"));
    }
    person.password = Some(body.password);
    Ok(Answer::no_content())
}

/// `PUT /api/users/{id}/notify`.
pub(super) fn set_topic(store: &mut Store, call: &Call<'_>) -> Outcome {
    let person = person(store, call)?;
    let topic = call.read::<TopicBody>()?.ntfy_topic.trim().to_owned();
    person.user.ntfy_topic = Some(topic).filter(|topic| !topic.is_empty());
    Ok(Answer::ok(&person.user))
}

/// `POST /api/users/{id}/api-keys`.
pub(super) fn mint_key(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = person(store, call)?.user.id;
    let name = call::name("name", &call.read::<KeyBody>()?.name)?;
    Ok(Answer::created(&store.add_key(Owner::User(id), name).shown_once()))
}

/// `DELETE /api/users/{id}/api-keys/{key_id}`.
pub(super) fn revoke_key(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = person(store, call)?.user.id;
    revoke(store, Owner::User(id), call.id(1)?)
}

/// Revokes a key of an owner.
pub(super) fn revoke(store: &mut Store, owner: Owner, key: i64) -> Outcome {
    let keys = &mut store.tables.keys;
    if keys.get(key).is_none_or(|key| key.owner != owner) {
        return Err(Refusal::not_found("key", key));
    }
    keys.remove(key);
    Ok(Answer::no_content())
}
