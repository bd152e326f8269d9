//! What the server holds. Routes change it for callers of the API, [`crate::Simulator`] for tests;
//! it must never know HTTP.

mod file;
mod keys;
mod model;
mod seed;
mod table;

use std::collections::{BTreeMap, HashMap};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(crate) use keys::Keys;
pub use model::{
    Alert, Incident, Integration, Key, Level, Owner, Policy, ScheduleEntry, Scope, ServiceAccount,
    Switch, Target, Team, User,
};
pub(crate) use model::{Person, Source, TeamNode};
pub(crate) use table::{Row, Table};

use crate::clock::Clock;

/// As JSON; what the server holds always is.
pub(crate) fn json<T: Serialize>(value: &T) -> Json {
    serde_json::to_value(value).unwrap_or(Json::Null)
}

/// The tables.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tables {
    pub(crate) next_id: i64,
    pub(crate) users: Table<Person>,
    pub(crate) accounts: Table<ServiceAccount>,
    pub(crate) keys: Keys,
    pub(crate) teams: Table<TeamNode>,
    pub(crate) schedule: BTreeMap<String, ScheduleEntry>,
    pub(crate) alerts: BTreeMap<i64, Alert>,
    pub(crate) incidents: BTreeMap<i64, Incident>,
}

/// The tables with what makes new rows: ids, times, keys.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) tables: Tables,
    pub(crate) clock: Clock,
    random: StdRng,
    /// The team and id of the source that a webhook key belongs to.
    sources: HashMap<String, (i64, i64)>,
}

impl Store {
    pub(crate) fn new(tables: Tables, clock: Clock, seed: Option<u64>, first_id: i64) -> Self {
        let seed = seed.unwrap_or_else(rand::random);
        let random = StdRng::seed_from_u64(seed.wrapping_add(tables.next_id.unsigned_abs()));
        let mut store = Self { tables, clock, random, sources: HashMap::new() };
        store.tables.next_id = store.tables.next_id.max(first_id);
        store.index_sources();
        store
    }

    fn index_sources(&mut self) {
        for node in self.tables.teams.iter() {
            for source in node.sources.iter() {
                let place = (node.team.id, source.shown.id);
                self.sources.insert(source.key.clone(), place);
            }
        }
    }

    /// The next id. All kinds share one sequence, so that an id of one kind is never by chance that
    /// of an object of another kind.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.tables.next_id += 1;
        self.tables.next_id - 1
    }

    pub(crate) fn now(&mut self) -> String {
        self.clock.rfc3339()
    }

    /// 64 hexadecimal digits.
    pub(crate) fn secret(&mut self) -> String {
        let words: [u64; 4] = self.random.random();
        let [a, b, c, d] = words;
        format!("{a:016x}{b:016x}{c:016x}{d:016x}")
    }

    pub(crate) fn random_below(&mut self, bound: u64) -> u64 {
        self.random.random_range(0..bound)
    }

    pub(crate) fn add_user(&mut self, username: String, email: String) -> User {
        let (id, created_at) = (self.next_id(), self.now());
        let user = User { id, username, email, created_at, ntfy_topic: None };
        self.tables.users.insert(Person { user: user.clone(), password: None });
        user
    }

    pub(crate) fn add_key(&mut self, owner: Owner, name: String) -> &Key {
        let (id, text, created_at) = (self.next_id(), self.secret(), self.now());
        self.tables.keys.insert(Key { id, owner, name, text, created_at, last_used_at: None })
    }

    pub(crate) fn add_account(
        &mut self,
        name: String,
        scope: Scope,
        team_id: Option<i64>,
    ) -> ServiceAccount {
        let (id, created_at) = (self.next_id(), self.now());
        let account = ServiceAccount { id, name, scope, team_id, created_at };
        self.tables.accounts.insert(account.clone());
        account
    }

    pub(crate) fn add_team(&mut self, name: String) -> Team {
        let (id, created_at) = (self.next_id(), self.now());
        let team = Team { id, name, oidc_member_group: None, oidc_owner_group: None, created_at };
        let (switches, sources) = (Table::default(), Table::default());
        self.tables.teams.insert(TeamNode { team: team.clone(), policy: None, switches, sources });
        team
    }

    /// A new source of a team that exists.
    pub(crate) fn add_source(&mut self, team_id: i64, kind: String, name: String) -> Source {
        let (id, key, created_at) = (self.next_id(), self.secret(), self.now());
        let shown = Integration { id, team_id, kind, name, created_at };
        let source = Source { shown, key: key.clone() };
        if let Some(node) = self.tables.teams.get_mut(team_id) {
            node.sources.insert(source.clone());
            self.sources.insert(key, (team_id, id));
        }
        source
    }

    pub(crate) fn source_of_key(&self, key: &str) -> Option<&Source> {
        let (team, id) = self.sources.get(key)?;
        self.tables.teams.get(*team)?.sources.get(*id)
    }

    pub(crate) fn remove_source(&mut self, team: i64, id: i64) -> Option<Source> {
        let source = self.tables.teams.get_mut(team)?.sources.remove(id)?;
        self.sources.remove(&source.key);
        Some(source)
    }

    pub(crate) fn remove_account(&mut self, id: i64) -> Option<ServiceAccount> {
        self.tables.keys.remove_of(Owner::Account(id));
        self.tables.accounts.remove(id)
    }

    /// The team with all that belongs to it.
    pub(crate) fn remove_team(&mut self, id: i64) -> Option<TeamNode> {
        let node = self.tables.teams.remove(id)?;
        for source in node.sources.iter() {
            self.sources.remove(&source.key);
        }
        let of_team = |account: &&ServiceAccount| account.team_id == Some(id);
        let accounts: Vec<_> =
            self.tables.accounts.iter().filter(of_team).map(|account| account.id).collect();
        for account in accounts {
            self.remove_account(account);
        }
        self.tables.alerts.retain(|_, alert| alert.team_id != id);
        self.tables.incidents.retain(|_, incident| incident.team_id != id);
        Some(node)
    }

    /// The person with keys, days on call and places in policies.
    pub(crate) fn remove_user(&mut self, id: i64) -> Option<Person> {
        let person = self.tables.users.remove(id)?;
        self.tables.keys.remove_of(Owner::User(id));
        self.tables.schedule.retain(|_, entry| entry.user_id != id);
        for node in self.tables.teams.iter_mut() {
            node.forget_user(id);
        }
        Some(person)
    }
}

impl TeamNode {
    pub(crate) fn names_user(&self, id: i64) -> bool {
        let mut targets = self.policy.iter().flat_map(|p| &p.levels).flat_map(|l| &l.targets);
        targets.any(|target| target.user_id == Some(id))
    }

    fn forget_user(&mut self, id: i64) {
        if !self.names_user(id) {
            return;
        }
        if let Some(policy) = &mut self.policy {
            for level in &mut policy.levels {
                level.targets.retain(|target| target.user_id != Some(id));
            }
            policy.levels.retain(|level| !level.targets.is_empty());
        }
        self.policy.take_if(|policy| policy.levels.is_empty());
    }
}
