//! The record of a team: written before the team is made, and then the place of its key.

use std::collections::BTreeSet;

use super::data::{self, Data};
use super::held::Held;
use super::names::team_account_name;
use crate::api::{AccountScope, Team};
use crate::credential::{Facts, Order};
use crate::ids::TeamId;
use crate::secret::SecretString;

/// Whose team it is, and the key with which its children are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRecord {
    /// The UID of the `TerdutTeam`.
    pub owner_uid: String,
    /// The UID that our accounts on the server are named after ([`super::InstanceRecord`]).
    pub server_uid: String,
    /// The server's namespace and name.
    pub server: (String, String),
    /// The name under which the team was asked for.
    pub name: String,
    /// The ids of that name before we asked.
    pub before: BTreeSet<i64>,
    /// The team; `None` until it is known to be made.
    pub team: Option<TeamId>,
    /// Its account and key.
    pub held: Held,
}

impl TeamRecord {
    /// Reads a Secret. `None`: it is no record of a team.
    pub fn parse(data: &Data) -> Option<Self> {
        let server = data::text(data, "server")?;
        let (namespace, name) = server.split_once('/')?;
        Some(Self {
            owner_uid: data::text(data, "owner-uid")?,
            server_uid: data::text(data, "server-uid")?,
            server: (namespace.to_owned(), name.to_owned()),
            name: data::text(data, "name")?,
            before: data::ids(data, "before")?,
            team: data::parsed(data, "team-id"),
            held: Held::parse(data),
        })
    }

    /// The Secret's data.
    pub fn data(&self) -> Data {
        let mut data = Data::new();
        let (namespace, name) = &self.server;
        data::put(&mut data, "owner-uid", &self.owner_uid);
        data::put(&mut data, "server-uid", &self.server_uid);
        data::put(&mut data, "server", format!("{namespace}/{name}"));
        data::put(&mut data, "name", &self.name);
        data::put_ids(&mut data, "before", &self.before);
        data::put_some(&mut data, "team-id", self.team);
        self.held.put(&mut data);
        data
    }

    /// Whether it is the record of the `TerdutTeam` of that UID.
    pub fn is_of(&self, owner_uid: &str) -> bool {
        !owner_uid.is_empty() && self.owner_uid == owner_uid
    }

    /// Whether that team may be what a crash left: one of the name that was not there before. That
    /// it is ours is proved only if nobody else can have made it.
    pub fn may_have_made(&self, there: &Team) -> bool {
        self.team.is_none()
            && there.name.trim() == self.name.trim()
            && !self.before.contains(&there.id.0)
    }

    /// The name of the account that the team's key is of, once there is a team.
    pub fn account_name(&self) -> Option<String> {
        self.team.map(|team| team_account_name(&self.server_uid, team))
    }

    /// The same with the team that was made or found.
    #[must_use]
    pub fn of_team(&self, team: TeamId) -> Self {
        Self { team: Some(team), ..self.clone() }
    }

    /// The same after the credential machine has asked to store these facts at that time. It is the
    /// one record of team, account and key: before it, a crash goes back to the intent.
    #[must_use]
    pub fn storing(&self, facts: &Facts, now: i64) -> Self {
        Self { held: self.held.storing(facts, now), ..self.clone() }
    }

    /// The order that comes by the team's key, minted with the instance key; `None` before there is
    /// a team.
    pub fn order(&self, instance: &SecretString) -> Option<Order> {
        let scope = AccountScope::Team(self.team?);
        let order = Order::sole(self.account_name()?, scope);
        Some(Order { handed: vec![instance.clone()], ..order })
    }

    /// The facts that the credential machine goes on from.
    pub fn facts(&self) -> Facts {
        self.account_name().map(|name| self.held.facts(&name)).unwrap_or_default()
    }
}
