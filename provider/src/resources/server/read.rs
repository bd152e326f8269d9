//! Read of `terdut_server`: whether the server is there and still takes our token.
//!
//! The token goes to the stored URL only. A server that refuses it in its own words is no reason to
//! forget anything: the state is kept and marked, and the next plan says what is needed.

use terdut_client::Caller;
use terdut_core::api::{Me, Reply, Request};
use terdut_core::error::{ApiError, Class};
use terdut_core::value::ServerUrl;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};

use super::model::{ServerModel, held_secret};
use super::record::Record;

/// Reads, and notes in state and record what it found.
pub(super) async fn read(
    caller: &Caller,
    state: &mut ServerModel,
    record: &mut Record,
    diagnostics: &mut Diagnostics,
) {
    let url = caller.client().server().clone();
    let Some(token) = held_secret(&state.token) else {
        if let Err(error) = caller.with_key(None).call_fresh(Request::Health).await {
            diagnostics.push(unreadable(&url, &error));
        }
        return;
    };
    let caller = caller.with_key(Some(&token));
    match who(&caller).await {
        Ok(reply) => {
            record.refused = false;
            fill(state, reply);
        }
        Err(error) if is_refusal(&error) => {
            record.refused = true;
            diagnostics.push(refused(&url, &error));
        }
        Err(error) => diagnostics.push(unreadable(&url, &error)),
    }
}

/// Older servers cannot say who we are; that they let us read users says that the token works.
async fn who(caller: &Caller) -> Result<Reply, ApiError> {
    match caller.call_fresh(Request::Me).await {
        Err(error) if matches!(error.class, Class::TooOld | Class::NotFound) => {
            caller.call_fresh(Request::ListUsers).await
        }
        other => other,
    }
}

fn is_refusal(error: &ApiError) -> bool {
    error.class == Class::Denied && error.status == Some(401) && error.own_word
}

/// A partial state learns which account its token is of.
fn fill(state: &mut ServerModel, reply: Reply) {
    let Reply::Me(Me::Account(account)) = reply else { return };
    if state.service_account_id.is_null() {
        state.service_account_id = account.id.to_string().into();
    }
    if state.service_account_name.is_null() {
        state.service_account_name = account.name.into();
    }
}

fn refused(url: &ServerUrl, error: &ApiError) -> Diagnostic {
    Diagnostic::warning(
        "The server refuses the stored token",
        format!(
            "Proving the token of terdut_server at {url}: {error}. The token is kept in the state. \
             The next apply mints a new one with admin_token_wo or admin_token."
        ),
    )
}

fn unreadable(url: &ServerUrl, error: &ApiError) -> Diagnostic {
    let advice = match error.class {
        Class::Denied => {
            "The refusal is not terdut's own 401: look at what stands in front of the server, and \
             at the scope of the token."
        }
        Class::TooOld => "Check that the URL is a terdut server's.",
        Class::Unreachable | Class::Retryable => {
            "Nothing was changed. Check url and that the server can be reached, and try again."
        }
        Class::Conflict | Class::Invalid | Class::NotFound => {
            "Check that url is a terdut server's."
        }
    };
    Diagnostic::error(
        "The server cannot be read",
        format!("Reading terdut_server at {url}: {error}. {advice}"),
    )
}
