//! The store seen and changed past the API: what a test expects to find, and drift. Tests and the
//! admin port call it; it must never check what a caller of the API may do.

use serde::Serialize;

use crate::shared::Shared;
use crate::store::{
    Alert, Incident, Integration, Key, Owner, Policy, Row, ScheduleEntry, Scope, ServiceAccount,
    Store, Switch, Team, TeamNode, User,
};

/// A team with all that is below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TeamState {
    /// The team.
    pub team: Team,
    /// Its policy.
    pub policy: Option<Policy>,
    /// Its switches.
    pub switches: Vec<Switch>,
    /// Its sources.
    pub integrations: Vec<Integration>,
}

impl From<&TeamNode> for TeamState {
    fn from(node: &TeamNode) -> Self {
        Self {
            team: node.team.clone(),
            policy: node.policy.clone(),
            switches: node.switches.iter().cloned().collect(),
            integrations: node.sources.iter().map(|source| source.shown.clone()).collect(),
        }
    }
}

/// A look at one simulator's store. Each call sees the store as it is at that moment.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    shared: &'a Shared,
}

/// Looking.
impl<'a> State<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        Self { shared }
    }

    fn read<T>(self, read: impl FnOnce(&Store) -> T) -> T {
        read(&self.shared.world().store)
    }

    /// All people.
    pub fn users(self) -> Vec<User> {
        self.read(|store| store.tables.users.iter().map(|person| person.user.clone()).collect())
    }

    /// The person of this name.
    pub fn user(self, username: &str) -> Option<User> {
        self.read(|store| store.tables.users.of_name(username).map(|person| person.user.clone()))
    }

    /// A person's password.
    pub fn password(self, user: i64) -> Option<String> {
        self.read(|store| store.tables.users.get(user)?.password.clone())
    }

    /// All service accounts.
    pub fn accounts(self) -> Vec<ServiceAccount> {
        self.read(|store| store.tables.accounts.iter().cloned().collect())
    }

    /// The account of this name.
    pub fn account(self, name: &str) -> Option<ServiceAccount> {
        self.read(|store| store.tables.accounts.of_name(name).cloned())
    }

    /// All keys.
    pub fn keys(self) -> Vec<Key> {
        self.read(|store| store.tables.keys.iter().cloned().collect())
    }

    /// The keys of one owner.
    pub fn keys_of(self, owner: Owner) -> Vec<Key> {
        self.read(|store| store.tables.keys.of(owner).cloned().collect())
    }

    /// All teams with all that is below them.
    pub fn teams(self) -> Vec<TeamState> {
        self.read(|store| store.tables.teams.iter().map(TeamState::from).collect())
    }

    /// How many teams there are.
    pub fn team_count(self) -> usize {
        self.read(|store| store.tables.teams.len())
    }

    /// One team.
    pub fn team(self, id: i64) -> Option<TeamState> {
        self.read(|store| store.tables.teams.get(id).map(TeamState::from))
    }

    /// The team of this name.
    pub fn team_named(self, name: &str) -> Option<TeamState> {
        self.read(|store| store.tables.teams.of_name(name).map(TeamState::from))
    }

    /// The key of a source.
    pub fn integration_key(self, team: i64, integration: i64) -> Option<String> {
        self.read(|store| {
            let source = store.tables.teams.get(team)?.sources.get(integration)?;
            Some(source.key.clone())
        })
    }

    /// The schedule, by day.
    pub fn schedule(self) -> Vec<ScheduleEntry> {
        self.read(|store| store.tables.schedule.values().cloned().collect())
    }

    /// All alerts, the oldest first.
    pub fn alerts(self) -> Vec<Alert> {
        self.read(|store| store.tables.alerts.values().cloned().collect())
    }

    /// All incidents, the oldest first.
    pub fn incidents(self) -> Vec<Incident> {
        self.read(|store| store.tables.incidents.values().cloned().collect())
    }
}

/// Changing past the API.
impl State<'_> {
    fn change<T>(self, change: impl FnOnce(&mut Store) -> T) -> T {
        let mut world = self.shared.world();
        let result = change(&mut world.store);
        self.shared.save(&world);
        result
    }

    fn change_team<T>(
        self,
        team: i64,
        change: impl FnOnce(&mut TeamNode) -> Option<T>,
    ) -> Option<T> {
        self.change(|store| change(store.tables.teams.get_mut(team)?))
    }

    /// Adds teams, each with a policy and a source, and switches spread over them.
    pub fn fill(self, teams: usize, switches: usize) {
        self.change(|store| store.fill(teams, switches));
    }

    /// Adds a person.
    pub fn add_user(self, username: &str, email: &str) -> User {
        self.change(|store| store.add_user(username.to_owned(), email.to_owned()))
    }

    /// Adds a service account, of a team or of the instance, with its first key.
    pub fn add_account(self, name: &str, team: Option<i64>) -> (ServiceAccount, Key) {
        let scope = if team.is_some() { Scope::Team } else { Scope::Instance };
        self.change(|store| {
            let account = store.add_account(name.to_owned(), scope, team);
            let owner = Owner::Account(account.id);
            (account, store.add_key(owner, "initial".to_owned()).clone())
        })
    }

    /// Adds a key.
    pub fn add_key(self, owner: Owner, name: &str) -> Key {
        self.change(|store| store.add_key(owner, name.to_owned()).clone())
    }

    /// Adds a team.
    pub fn add_team(self, name: &str) -> Team {
        self.change(|store| store.add_team(name.to_owned()))
    }

    /// Adds a switch as it is given; its id is set here.
    pub fn add_switch(self, switch: Switch) -> Option<Switch> {
        self.change(|store| {
            let switch = Switch { id: store.next_id(), ..switch };
            let node = store.tables.teams.get_mut(switch.team_id)?;
            node.switches.insert(switch.clone());
            Some(switch)
        })
    }

    /// Adds an Alertmanager source.
    pub fn add_integration(self, team: i64, name: &str) -> Integration {
        let kind = "alertmanager".to_owned();
        self.change(|store| store.add_source(team, kind, name.to_owned()).shown)
    }

    /// Puts a person on call today.
    pub fn put_on_call(self, user: i64) -> Option<ScheduleEntry> {
        self.change(|store| {
            let username = store.tables.users.get(user)?.user.username.clone();
            let (id, date, created_at) = (store.next_id(), store.clock.today(), store.now());
            let entry = ScheduleEntry { id, user_id: user, username, date, created_at };
            store.tables.schedule.insert(entry.date.clone(), entry.clone());
            Some(entry)
        })
    }

    /// Renames a team.
    pub fn rename_team(self, id: i64, name: &str) -> Option<Team> {
        let name = name.to_owned();
        self.change(|store| store.tables.teams.rename(id, name).map(|node| node.team.clone()))
    }

    /// Changes a team's fields except for id and name.
    pub fn edit_team(self, id: i64, edit: impl FnOnce(&mut Team)) -> Option<Team> {
        self.change_team(id, |node| {
            let (id, name) = (node.team.id, node.team.name.clone());
            edit(&mut node.team);
            (node.team.id, node.team.name) = (id, name);
            Some(node.team.clone())
        })
    }

    /// Deletes a team with all below it.
    pub fn delete_team(self, id: i64) -> Option<TeamState> {
        self.change(|store| store.remove_team(id).as_ref().map(TeamState::from))
    }

    /// Sets or removes a team's policy, as it is given.
    pub fn set_policy(self, team: i64, policy: Option<Policy>) -> Option<()> {
        self.change_team(team, |node| {
            node.policy = policy;
            Some(())
        })
    }

    /// Changes a switch's fields except for id and name.
    pub fn edit_switch(self, team: i64, id: i64, edit: impl FnOnce(&mut Switch)) -> Option<Switch> {
        self.change_team(team, |node| {
            let switch = node.switches.get_mut(id)?;
            let name = switch.name().to_owned();
            edit(switch);
            (switch.id, switch.name) = (id, name);
            Some(switch.clone())
        })
    }

    /// Deletes a switch.
    pub fn delete_switch(self, team: i64, id: i64) -> Option<Switch> {
        self.change_team(team, |node| node.switches.remove(id))
    }

    /// Renames a source.
    pub fn rename_integration(self, team: i64, id: i64, name: &str) -> Option<Integration> {
        let name = name.to_owned();
        self.change_team(team, |node| {
            node.sources.rename(id, name).map(|source| source.shown.clone())
        })
    }

    /// Deletes a source.
    pub fn delete_integration(self, team: i64, id: i64) -> Option<Integration> {
        self.change(|store| store.remove_source(team, id).map(|source| source.shown))
    }

    /// Changes a source's kind.
    pub fn set_kind(self, team: i64, id: i64, kind: &str) -> Option<Integration> {
        self.change_team(team, |node| {
            let source = node.sources.get_mut(id)?;
            kind.clone_into(&mut source.shown.kind);
            Some(source.shown.clone())
        })
    }

    /// Gives a person another name and address.
    pub fn rename_user(self, id: i64, username: &str, email: &str) -> Option<User> {
        let username = username.to_owned();
        self.change(|store| {
            store.tables.users.rename(id, username)?;
            let person = store.tables.users.get_mut(id)?;
            email.clone_into(&mut person.user.email);
            Some(person.user.clone())
        })
    }

    /// Gives an account another name.
    pub fn rename_account(self, id: i64, name: &str) -> Option<ServiceAccount> {
        let name = name.to_owned();
        self.change(|store| store.tables.accounts.rename(id, name).cloned())
    }

    /// Gives an account to another team, or to none: the scope follows.
    pub fn move_account(self, id: i64, team: Option<i64>) -> Option<ServiceAccount> {
        self.change(|store| {
            let account = store.tables.accounts.get_mut(id)?;
            account.scope = if team.is_some() { Scope::Team } else { Scope::Instance };
            account.team_id = team;
            Some(account.clone())
        })
    }

    /// Sets or removes a person's topic.
    pub fn set_topic(self, user: i64, topic: Option<&str>) -> Option<User> {
        self.change(|store| {
            let person = store.tables.users.get_mut(user)?;
            person.user.ntfy_topic = topic.map(str::to_owned);
            Some(person.user.clone())
        })
    }

    /// Deletes a person with keys, days on call and places in policies.
    pub fn delete_user(self, id: i64) -> Option<User> {
        self.change(|store| store.remove_user(id).map(|person| person.user))
    }

    /// Deletes an account with its keys.
    pub fn delete_account(self, id: i64) -> Option<ServiceAccount> {
        self.change(|store| store.remove_account(id))
    }

    /// Gives a key another name, which may tell its age.
    pub fn rename_key(self, id: i64, name: &str) -> Option<Key> {
        self.change(|store| {
            let key = store.tables.keys.get_mut(id)?;
            name.clone_into(&mut key.name);
            Some(key.clone())
        })
    }

    /// Revokes a key.
    pub fn revoke_key(self, id: i64) -> Option<Key> {
        self.change(|store| store.tables.keys.remove(id))
    }
}
