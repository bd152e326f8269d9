//! Removes something, and believes that it is gone only if that is certain.
//!
//! Called for each step that removes, and by whoever removes without a plan. A success is certain. A 404 may be about what the object
//! belongs to, or come from something in between, and a DELETE whose answer was lost may have
//! acted: then only a complete list that lacks the object says that it is gone.

use terdut_core::api::{Reply, Request};
use terdut_core::error::{ApiError, Effect};
use terdut_core::ids::{AccountId, TeamId};
use terdut_core::presence::is_own_404;

use crate::caller::Caller;

/// Sends a request that removes. What is not there is removed.
///
/// # Errors
/// What the server said, if the object is there or nobody can say that it is gone.
pub async fn remove(caller: &Caller, request: Request) -> Result<Reply, ApiError> {
    let error = match caller.call(request.clone()).await {
        Err(error) if error.effect == Effect::Unknown || is_own_404(&error) => error,
        other => return other,
    };
    match is_there(caller, &request, &error).await {
        Ok(false) => Ok(Reply::Done),
        Ok(true) | Err(_) => Err(error),
    }
}

/// Whether the object of a request that removes it is there.
async fn is_there(
    caller: &Caller,
    request: &Request,
    refusal: &ApiError,
) -> Result<bool, ApiError> {
    match *request {
        Request::DeleteTeam { team } => has_team(caller, team).await,
        Request::DeleteAccount { account } => has_account(caller, account).await,
        Request::DeleteUser { user } => {
            let list = caller.call_closing(Request::ListUsers).await?;
            Ok(!matches!(list, Reply::Users(users) if users.iter().all(|one| one.id != user)))
        }
        Request::DeleteSwitch { team, switch } => {
            let list = caller.call_closing(Request::ListSwitches { team }).await;
            let lacks = |list: &Reply| matches!(list, Reply::Switches(all) if all.iter().all(|one| one.id != switch));
            in_list(list, lacks, has_team(caller, team)).await
        }
        Request::DeleteIntegration { team, integration } => {
            let list = caller.call_closing(Request::ListIntegrations { team }).await;
            let lacks = |list: &Reply| matches!(list, Reply::Integrations(all) if all.iter().all(|one| one.id != integration));
            in_list(list, lacks, has_team(caller, team)).await
        }
        Request::RevokeKey { account, key } => {
            let list = caller.call_closing(Request::ListKeys { account }).await;
            let lacks = |list: &Reply| matches!(list, Reply::Keys(all) if all.iter().all(|one| one.id != key));
            in_list(list, lacks, has_account(caller, account)).await
        }
        // A policy is reset; a 404 can only be about its team.
        Request::PutPolicy { team, .. } if is_own_404(refusal) => has_team(caller, team).await,
        Request::PutPolicy { team, .. } => {
            let policy = caller.call_closing(Request::GetPolicy { team }).await?;
            Ok(policy != Reply::Policy(None))
        }
        _ => Ok(true),
    }
}

/// A list that lacks the object says that it is gone; a 404, if the list of parents lacks its.
async fn in_list(
    list: Result<Reply, ApiError>,
    lacks: impl Fn(&Reply) -> bool,
    has_parent: impl Future<Output = Result<bool, ApiError>>,
) -> Result<bool, ApiError> {
    match list {
        Ok(list) => Ok(!lacks(&list)),
        Err(error) if is_own_404(&error) => has_parent.await,
        Err(error) => Err(error),
    }
}

async fn has_team(caller: &Caller, team: TeamId) -> Result<bool, ApiError> {
    let list = caller.call_closing(Request::ListTeams).await?;
    Ok(!matches!(list, Reply::Teams(teams) if teams.iter().all(|one| one.id != team)))
}

async fn has_account(caller: &Caller, account: AccountId) -> Result<bool, ApiError> {
    let list = caller.call_closing(Request::ListAccounts { name: None }).await?;
    Ok(!matches!(list, Reply::Accounts(all) if all.iter().all(|one| one.id != account)))
}
