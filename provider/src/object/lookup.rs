//! The server's lists, and what they say of one object.
//!
//! `find` of every kind, imports and data sources use it. Gone means absent from a complete list;
//! the rule is core's ([`presence`]), the second question that it may need is asked here.

use terdut_client::Caller;
use terdut_core::api::{
    Account, ApiKey, Integration, Policy, Reply, Request, Shared, Switch, Team, User,
};
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::ids::{AccountId, TeamId};
use terdut_core::lookup::Listed;
use terdut_core::presence::{self, Presence};

/// A list, or why there is none.
pub type Listing<T> = Result<Shared<T>, ApiError>;

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty)?) -> $fact:ty
        = $request:expr => $reply:ident;)+) => {$(
        $(#[$doc])*
        pub async fn $name(caller: &Caller $(, $argument: $type)?) -> Listing<$fact> {
            match caller.call($request).await? {
                Reply::$reply(list) => Ok(list),
                _ => Err(unreadable()),
            }
        }
    )+};
}

lists! {
    /// All teams.
    teams() -> Team = Request::ListTeams => Teams;
    /// All people.
    users() -> User = Request::ListUsers => Users;
    /// All service accounts.
    accounts() -> Account = Request::ListAccounts { name: None } => Accounts;
    /// A team's dead man's switches.
    switches(team: TeamId) -> Switch = Request::ListSwitches { team } => Switches;
    /// A team's alert sources.
    sources(team: TeamId) -> Integration = Request::ListIntegrations { team } => Integrations;
    /// A service account's keys.
    keys(account: AccountId) -> ApiKey = Request::ListKeys { account } => Keys;
}

/// A team's policy; `None` where it has none.
pub async fn policy(caller: &Caller, team: TeamId) -> Result<Option<Policy>, ApiError> {
    match caller.call(Request::GetPolicy { team }).await? {
        Reply::Policy(policy) => Ok(policy),
        _ => Err(unreadable()),
    }
}

/// One of a top-level list (teams, users, service accounts); `None` only if it is gone.
pub async fn top<T: Listed + Clone>(
    list: impl Future<Output = Listing<T>>,
    id: T::Id,
) -> Result<Option<T>, ApiError> {
    let list = list.await;
    said(presence::in_list(borrowed(&list), |one| one.id() == id))
}

/// One of a team's list; `None` only if it or its team is gone.
pub async fn in_team<T: Listed + Clone>(
    caller: &Caller,
    team: TeamId,
    list: impl Future<Output = Listing<T>>,
    id: T::Id,
) -> Result<Option<T>, ApiError> {
    let list = list.await;
    match presence::in_child_list(borrowed(&list), |one| one.id() == id) {
        Presence::AskParent(error) => team_says(caller, team, error).await,
        clear => said(clear),
    }
}

/// A team's policy as a list would tell it: `None` only if there is none or the team is gone.
pub async fn policy_of(caller: &Caller, team: TeamId) -> Result<Option<Policy>, ApiError> {
    match policy(caller, team).await {
        Err(error) if presence::is_own_404(&error) => team_says(caller, team, error).await,
        other => other,
    }
}

/// One of a service account's keys; `None` only if it or its account is gone.
pub async fn in_account(
    caller: &Caller,
    account: AccountId,
    id: <ApiKey as Listed>::Id,
) -> Result<Option<ApiKey>, ApiError> {
    let list = keys(caller, account).await;
    match presence::in_child_list(borrowed(&list), |one| one.id() == id) {
        Presence::AskParent(error) => {
            let accounts = accounts(caller).await;
            said(presence::account_presence(borrowed(&accounts), account, error))
        }
        clear => said(clear),
    }
}

async fn team_says<T>(
    caller: &Caller,
    team: TeamId,
    error: ApiError,
) -> Result<Option<T>, ApiError> {
    let teams = teams(caller).await;
    said(presence::team_presence(borrowed(&teams), team, error))
}

fn borrowed<T>(list: &Listing<T>) -> Result<&[T], ApiError> {
    list.as_ref().map(|list| &**list).map_err(Clone::clone)
}

fn said<T>(presence: Presence<T>) -> Result<Option<T>, ApiError> {
    match presence {
        Presence::Here(one) => Ok(Some(one)),
        Presence::Gone => Ok(None),
        Presence::AskParent(error) | Presence::Unclear(error) => Err(error),
    }
}

/// The client decodes each answer as its request's; this cannot come up.
fn unreadable() -> ApiError {
    ApiError {
        class: Class::Invalid,
        effect: Effect::None,
        method: "GET",
        route: "",
        status: None,
        own_word: false,
        said: "the answer is of another kind than what was asked for".to_owned(),
    }
}
