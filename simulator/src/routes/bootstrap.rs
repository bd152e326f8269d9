//! The one bootstrap. It must never work while there is a user.

use http::StatusCode;
use serde_json::json;

use super::users::{UserBody, new_user};
use crate::call::{Answer, Call, Outcome, Refusal};
use crate::store::{Owner, Store};

/// `POST /api/bootstrap`.
pub(super) fn bootstrap(store: &mut Store, call: &Call<'_>) -> Outcome {
    if !store.tables.users.is_empty() {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the server is already bootstrapped"));
    }
    let user = new_user(store, &call.read::<UserBody>()?)?;
    let key = store.add_key(Owner::User(user.id), "bootstrap".to_owned()).shown_once();
    Ok(Answer::created(&json!({ "user": user, "api_key": key })))
}
