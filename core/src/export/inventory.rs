//! What was read of a server. The client fills it; the writers read it in its own order.

use crate::api::{Account, ApiKey, Integration, Policy, Switch, Team, User};

/// All that was read of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The server's URL.
    pub server: String,
    /// The teams that were chosen, each with what is below it.
    pub teams: Vec<TeamInventory>,
    /// All people: policies name them by id.
    pub users: Vec<User>,
    /// The service accounts that were chosen.
    pub accounts: Vec<AccountInventory>,
}

/// A team and what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamInventory {
    /// The team.
    pub team: Team,
    /// Its policy, if it has one.
    pub policy: Option<Policy>,
    /// Its switches.
    pub switches: Vec<Switch>,
    /// Its alert sources.
    pub sources: Vec<Integration>,
}

/// A service account and its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountInventory {
    /// The account.
    pub account: Account,
    /// Its keys, where they were asked for.
    pub keys: Vec<ApiKey>,
}

impl Inventory {
    /// The same in the order in which objects were made. A server may list them in any other, and
    /// a new object must not give an old one another name.
    #[must_use]
    pub(super) fn sorted(&self) -> Self {
        let mut sorted = self.clone();
        sorted.teams.sort_by_key(|team| team.team.id);
        for team in &mut sorted.teams {
            team.switches.sort_by_key(|switch| switch.id);
            team.sources.sort_by_key(|source| source.id);
        }
        sorted.users.sort_by_key(|user| user.id);
        sorted.accounts.sort_by_key(|account| account.account.id);
        for account in &mut sorted.accounts {
            account.keys.sort_by_key(|key| key.id);
        }
        sorted
    }
}
