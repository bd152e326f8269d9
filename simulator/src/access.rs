//! Who calls, and what each scope of a key may do. The pipeline asks before any route runs; it must
//! never look at a body.

use http::{HeaderMap, StatusCode, header};

use crate::call::Refusal;
use crate::options::Assumptions;
use crate::store::{Owner, Scope, Store};

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Nobody that the route asks for.
    Nobody,
    /// A person.
    Admin { user: i64 },
    /// An instance account.
    Instance { account: i64 },
    /// A team account.
    Team { account: i64, team: i64 },
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody, without a key.
    Open,
    /// Every key.
    AnyKey,
    /// People.
    Admin,
    /// People and instance accounts.
    Instance,
    /// As `Instance`, and team keys where they may see their own team.
    TeamList,
    /// As `Instance`, and the keys of the team in the path.
    OwnTeam,
    /// People, instance accounts on team accounts, the account in the path.
    AccountKeys,
    /// People, instance accounts on team accounts.
    Account,
}

/// The key that a request shows.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, text) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(text.trim())
}

/// The id of the key that a request shows.
pub(crate) fn key_id(store: &Store, headers: &HeaderMap) -> Option<i64> {
    store.tables.keys.find(bearer(headers)?).map(|key| key.id)
}

/// Finds out who calls, and notes that the key was used.
pub(crate) fn identify(store: &mut Store, headers: &HeaderMap) -> Option<Caller> {
    let text = bearer(headers)?;
    let owner = store.tables.keys.find(text)?.owner;
    let now = store.now();
    store.tables.keys.used(text, now);
    caller_of(store, owner)
}

fn caller_of(store: &Store, owner: Owner) -> Option<Caller> {
    Some(match owner {
        Owner::User(user) => Caller::Admin { user },
        Owner::Account(id) => {
            let account = store.tables.accounts.get(id)?;
            match (account.scope, account.team_id) {
                (Scope::Instance, _) => Caller::Instance { account: id },
                (Scope::Team, team) => Caller::Team { account: id, team: team? },
            }
        }
    })
}

pub(crate) fn unauthorized() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "a valid API key is required")
}

/// Refuses a caller outside of the scope. The target is the id in the path, if any.
pub(crate) fn check(
    access: Access,
    caller: Caller,
    target: Option<i64>,
    store: &Store,
    assumptions: &Assumptions,
) -> Result<(), Refusal> {
    let may = match caller {
        Caller::Nobody => access == Access::Open,
        Caller::Admin { .. } => true,
        Caller::Instance { account } => instance_may(access, account, target, store, assumptions),
        Caller::Team { account, team } => team_may(access, account, team, target, assumptions),
    };
    let refused = || Refusal::new(StatusCode::FORBIDDEN, "this is outside the scope of the key");
    may.then_some(()).ok_or_else(refused)
}

fn instance_may(
    access: Access,
    own: i64,
    target: Option<i64>,
    store: &Store,
    assumptions: &Assumptions,
) -> bool {
    let on_itself = target == Some(own);
    let other = target.and_then(|id| store.tables.accounts.get(id)).map(|account| account.scope);
    match access {
        Access::Admin => false,
        Access::AccountKeys if on_itself => assumptions.instance_manages_own_keys,
        Access::Account | Access::AccountKeys => other != Some(Scope::Instance),
        Access::Open | Access::AnyKey | Access::Instance | Access::TeamList | Access::OwnTeam => {
            true
        }
    }
}

fn team_may(
    access: Access,
    own: i64,
    team: i64,
    target: Option<i64>,
    assumptions: &Assumptions,
) -> bool {
    match access {
        Access::Open | Access::AnyKey => true,
        Access::Admin | Access::Instance | Access::Account => false,
        Access::TeamList => assumptions.team_lists_own_team,
        Access::OwnTeam => target == Some(team),
        Access::AccountKeys => target == Some(own) && assumptions.team_manages_own_keys,
    }
}
