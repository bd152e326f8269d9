//! Carries out a step that makes nothing new: a change, a removal.

use std::sync::Arc;

use terdut_core::api::{Integration, Reply, Request, User};
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::ids::{AccountId, IntegrationId, TeamId};
use terdut_core::model::is_same_policy;
use terdut_core::plan::{Context, Step, StepError};
use terdut_core::problem::{Path, Problem};

use super::progress::{Progress, Why};
use super::removal::remove;
use crate::caller::Caller;

/// How often a rename is sent at the most: three answers in a row may be lost.
const ATTEMPTS: u32 = 4;

/// Sends a step and notes the answer.
pub(super) async fn send(caller: &Caller, step: &Step, progress: &mut Progress) -> Result<(), Why> {
    let request = request(caller, step, progress.made_id()).await?;
    let reply = match (step, request) {
        (Step::RenameSource { team, source, name }, request) => {
            let is_done = |found: &Integration| found.id == *source && found.name.trim() == *name;
            rename(caller, *team, *source, request, is_done).await?
        }
        (Step::DeleteAccount { account }, request) => {
            delete_account(caller, *account, request, progress).await?
        }
        (Step::PutPolicy { .. }, request) => put_policy(caller, request).await?,
        (_, request) if step.is_delete() => remove(caller, request).await?,
        (_, request) => caller.call(request).await?,
    };
    progress.replies.push(reply);
    Ok(())
}

/// The step's request. The users that a policy names are looked up; one that is not in a
/// remembered list may have been made since.
async fn request(caller: &Caller, step: &Step, made: Option<i64>) -> Result<Request, Why> {
    let Step::PutPolicy { rule } = step else {
        return Ok(step.request(Context { made, users: &[] })?);
    };
    if !rule.names_users() {
        return Ok(step.request(Context { made, users: &[] })?);
    }
    let users = users(caller.call(Request::ListUsers).await?);
    match step.request(Context { made, users: &users }) {
        Err(StepError::UnknownUsers(_)) => {
            let users = self::users(caller.call_fresh(Request::ListUsers).await?);
            Ok(step.request(Context { made, users: &users })?)
        }
        other => Ok(other?),
    }
}

fn users(reply: Reply) -> Arc<[User]> {
    match reply {
        Reply::Users(users) => users,
        _ => Arc::new([]),
    }
}

/// A PATCH whose answer was lost is sent again only after a look at what is there.
async fn rename(
    caller: &Caller,
    team: TeamId,
    source: IntegrationId,
    request: Request,
    is_done: impl Fn(&Integration) -> bool,
) -> Result<Reply, ApiError> {
    let mut attempt = 1;
    loop {
        let error = match caller.call(request.clone()).await {
            Err(error) if error.effect == Effect::Unknown => error,
            other => return other,
        };
        let Ok(Reply::Integrations(there)) =
            caller.call_closing(Request::ListIntegrations { team }).await
        else {
            return Err(error);
        };
        match there.iter().find(|found| found.id == source) {
            Some(found) if is_done(found) => return Ok(Reply::Integration(found.clone())),
            Some(_) if attempt < ATTEMPTS => attempt += 1,
            _ => return Err(error),
        }
    }
}

/// A policy whose answer was lost may be there all the same. A look that shows another one, or
/// none, says that the request has not acted.
async fn put_policy(caller: &Caller, request: Request) -> Result<Reply, ApiError> {
    let error = match caller.call(request.clone()).await {
        Err(error) if error.effect == Effect::Unknown => error,
        other => return other,
    };
    let Request::PutPolicy { team, policy } = request else { return Err(error) };
    match caller.call_closing(Request::GetPolicy { team }).await {
        Ok(Reply::Policy(Some(there))) if is_same_policy(&there, &policy) => {
            Ok(Reply::Policy(Some(there)))
        }
        Ok(_) => Err(ApiError { effect: Effect::None, ..error }),
        Err(_) => Err(error),
    }
}

/// A server that cannot delete accounts can still be left without keys on this one.
async fn delete_account(
    caller: &Caller,
    account: AccountId,
    request: Request,
    progress: &mut Progress,
) -> Result<Reply, ApiError> {
    let error = match remove(caller, request).await {
        Err(error) if error.class == Class::TooOld => error,
        other => return other,
    };
    let Reply::Keys(keys) = caller.call_fresh(Request::ListKeys { account }).await? else {
        return Err(error);
    };
    for key in keys.iter() {
        remove(caller, Request::RevokeKey { account, key: key.id }).await?;
    }
    let detail = format!(
        "This terdut server cannot delete service accounts. All keys of account {account} were \
         revoked; the account itself is still there."
    );
    progress.warnings.push(
        Problem::new(Path::root(), "The service account stays", detail)
            .hint("Creating one of that name again needs adopt_existing = true, or another name."),
    );
    Ok(Reply::Done)
}
