//! A whole server, read for an export.
//!
//! The subcommands `export` call it. Lists are complete, with all their pages, and read once: how
//! many requests there are depends on the number of teams and pages (and of accounts, where their
//! keys are asked for), never on the number of objects. It only reads.

use std::cell::Cell;

use futures::future::try_join_all;
use terdut_core::api::{Account, AccountScope, Shared, Team, User};
use terdut_core::error::{ApiError, Class};
use terdut_core::export::{AccountInventory, Inventory, Selection, TeamInventory};
use terdut_core::ids::TeamId;
use terdut_core::model::Kind;

use crate::client::Client;

mod meter;

pub use meter::read_and_tell;

/// How many names a message lists.
const SHOWN: usize = 20;

/// How far the reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many teams and accounts are read.
    pub done: usize,
    /// How many there are to read.
    pub total: usize,
}

/// Why a server cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A request failed.
    #[error("{what} cannot be read")]
    Request {
        /// What was read.
        what: What,
        /// Why it failed.
        source: ApiError,
    },
    /// A team that was asked for is not there.
    #[error("there is no team named {name:?} on the server. {known}")]
    NoTeam {
        /// The name.
        name: String,
        /// What there is instead, in a sentence.
        known: String,
    },
}

impl ReadError {
    /// All of it in one line: what failed, what was said, of which class that is, what to do.
    pub fn told(&self) -> String {
        match self {
            Self::Request { what, source } => {
                format!("{self}: {source} ({}). {}", source.class, hint(*what, source))
            }
            Self::NoTeam { .. } => self.to_string(),
        }
    }
}

/// What is read by one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// All teams.
    Teams,
    /// All people.
    Users,
    /// All service accounts.
    Accounts,
    /// What is below a team.
    Below(Kind, i64),
}

impl std::fmt::Display for What {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Teams => formatter.write_str("the list of teams"),
            Self::Users => formatter.write_str("the list of users"),
            Self::Accounts => formatter.write_str("the list of service accounts"),
            Self::Below(Kind::ServiceAccountKey, id) => {
                write!(formatter, "the keys of account {id}")
            }
            Self::Below(kind, team) => {
                write!(formatter, "the {} of team {team}", below_words(*kind))
            }
        }
    }
}

const fn below_words(kind: Kind) -> &'static str {
    match kind {
        Kind::DeadmanSwitch => "dead man's switches",
        Kind::AlertSource => "alert sources",
        _ => "escalation rule",
    }
}

/// Reads what was chosen. `told` hears of each step.
pub async fn read(
    client: &Client,
    selection: &Selection,
    told: &dyn Fn(Progress),
) -> Result<Inventory, ReadError> {
    let (teams, users, accounts) = tokio::try_join!(
        teams(client, selection),
        users(client, selection),
        accounts(client, selection),
    )?;
    let of_team = |account: &&Account| match account.scope {
        _ if selection.teams.is_empty() => true,
        AccountScope::Team(id) => teams.iter().any(|team| team.id == id),
        AccountScope::Instance | AccountScope::Other(_) => false,
    };
    let accounts: Vec<&Account> = accounts.iter().filter(of_team).collect();
    let steps = Steps { done: Cell::new(0), total: teams.len() + accounts.len(), told };
    let below = teams.iter().map(|team| with_children(client, selection, team, &steps));
    let keyed = accounts.into_iter().map(|it| with_keys(client, selection, it, &steps));
    let (teams, accounts) = tokio::try_join!(try_join_all(below), try_join_all(keyed))?;
    let server = client.server().to_string();
    Ok(Inventory { server, teams, users: users.to_vec(), accounts })
}

struct Steps<'a> {
    done: Cell<usize>,
    total: usize,
    told: &'a dyn Fn(Progress),
}

impl Steps<'_> {
    fn one(&self) {
        let done = self.done.get() + 1;
        self.done.set(done);
        (self.told)(Progress { done, total: self.total });
    }
}

async fn teams(client: &Client, selection: &Selection) -> Result<Vec<Team>, ReadError> {
    if !selection.reads_teams() {
        return Ok(Vec::new());
    }
    let all = asked(What::Teams, client.teams()).await?;
    let missing = selection.teams.iter().find(|name| !all.iter().any(|team| name.is(&team.name)));
    if let Some(name) = missing {
        return Err(ReadError::NoTeam { name: name.to_string(), known: known(&all) });
    }
    Ok(all.iter().filter(|team| selection.wants(&team.name)).cloned().collect())
}

fn known(teams: &[Team]) -> String {
    let mut names: Vec<_> = teams.iter().map(|team| format!("{:?}", team.name.trim())).collect();
    names.sort();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.as_slice(), more) {
        ([], _) => "There is no team at all.".to_owned(),
        (names, 0) => format!("There are: {}.", names.join(", ")),
        (names, more) => format!("There are: {}, and {more} more.", names.join(", ")),
    }
}

async fn users(client: &Client, selection: &Selection) -> Result<Shared<User>, ReadError> {
    if selection.reads_users() { asked(What::Users, client.users()).await } else { Ok([].into()) }
}

async fn accounts(client: &Client, selection: &Selection) -> Result<Shared<Account>, ReadError> {
    if selection.reads_accounts() {
        asked(What::Accounts, client.accounts(None)).await
    } else {
        Ok([].into())
    }
}

async fn with_children(
    client: &Client,
    selection: &Selection,
    team: &Team,
    steps: &Steps<'_>,
) -> Result<TeamInventory, ReadError> {
    let id = team.id;
    let (policy, switches, sources) = tokio::try_join!(
        below(selection, Kind::EscalationRule, id, client.policy(id)),
        below(selection, Kind::DeadmanSwitch, id, client.switches(id)),
        below(selection, Kind::AlertSource, id, client.integrations(id)),
    )?;
    steps.one();
    Ok(TeamInventory {
        team: team.clone(),
        policy: policy.flatten(),
        switches: switches.map(|list| list.to_vec()).unwrap_or_default(),
        sources: sources.map(|list| list.to_vec()).unwrap_or_default(),
    })
}

async fn with_keys(
    client: &Client,
    selection: &Selection,
    account: &Account,
    steps: &Steps<'_>,
) -> Result<AccountInventory, ReadError> {
    let what = What::Below(Kind::ServiceAccountKey, account.id.0);
    let keys = if selection.has(Kind::ServiceAccountKey) {
        asked(what, client.keys(account.id)).await?.to_vec()
    } else {
        Vec::new()
    };
    steps.one();
    Ok(AccountInventory { account: account.clone(), keys })
}

/// What is below a team, if that kind was chosen.
async fn below<T>(
    selection: &Selection,
    kind: Kind,
    team: TeamId,
    request: impl Future<Output = Result<T, ApiError>>,
) -> Result<Option<T>, ReadError> {
    if selection.has(kind) {
        asked(What::Below(kind, team.0), request).await.map(Some)
    } else {
        Ok(None)
    }
}

async fn asked<T>(
    what: What,
    request: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ReadError> {
    request.await.map_err(|source| ReadError::Request { what, source })
}

/// What to do about it.
fn hint(what: What, error: &ApiError) -> &'static str {
    match (error.class, what) {
        (Class::Denied, _) if error.status == Some(401) => {
            "TERDUT_TOKEN has to be a key of this server."
        }
        (Class::Denied, What::Below(Kind::ServiceAccountKey, _)) => {
            "TERDUT_TOKEN has to be an admin key for the keys of instance accounts; without \
             --with-keys none are read."
        }
        (Class::Denied, _) => {
            "TERDUT_TOKEN has to be an admin or instance key: a team's own may not list all of this."
        }
        (Class::TooOld, What::Below(Kind::ServiceAccountKey, _)) => {
            "This server does not list keys: leave --with-keys away."
        }
        (Class::TooOld, _) => "This server is too old for it: choose other kinds with --only.",
        (Class::NotFound, _) => "It was deleted while it was read: export again.",
        (Class::Invalid, _) => "TERDUT_URL has to be the address of a terdut server.",
        (Class::Unreachable, _) => "Check TERDUT_URL, the network, the proxy and the certificates.",
        (Class::Retryable | Class::Conflict, _) => {
            "Export again; if it stays, look at the server's log and at the proxy in front of it."
        }
    }
}

#[cfg(test)]
mod tests {
    use terdut_core::error::Effect;

    use super::*;

    #[test]
    fn a_failure_tells_what_was_read_of_which_class_it_is_and_what_to_do() {
        let source = ApiError {
            class: Class::Denied,
            effect: Effect::None,
            method: "GET",
            route: "/api/teams",
            status: Some(403),
            own_word: true,
            said: "outside".to_owned(),
        };
        let told = ReadError::Request { what: What::Teams, source }.told();
        let cause =
            "the list of teams cannot be read: GET /api/teams: status 403: outside (Denied). ";
        assert!(told.starts_with(cause) && told.contains("instance key"), "{told}");
        let below = What::Below(Kind::DeadmanSwitch, 7).to_string();
        assert_eq!(below, "the dead man's switches of team 7");
    }

    #[test]
    fn a_missing_team_is_told_with_those_that_there_are() {
        let team = |id: i64| Team {
            id: TeamId(id),
            name: format!("t{id:02}"),
            oidc_member_group: None,
            oidc_owner_group: None,
        };
        assert_eq!(known(&[team(2), team(1)]), "There are: \"t01\", \"t02\".");
        let many: Vec<_> = (1..=22).map(team).collect();
        assert!(known(&many).ends_with("\"t20\", and 2 more."), "{}", known(&many));
    }
}
