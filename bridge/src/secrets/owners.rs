//! Whose a team on a server is, as the records of all teams say.
//!
//! Asked before a team is taken over. An answer counts only once all records are known: `access`
//! waits for that before it lets anybody near a server.

use terdut_core::api::Team;
use terdut_core::ids::TeamId;
use terdut_core::record::TeamRecord;

use super::SecretStore;

/// Who owns a team on a server, as its record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamOwner {
    /// The TerdutTeam's namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
}

impl SecretStore {
    /// Which object owns that team on that server.
    pub fn owner_of_team(&self, server_uid: &str, team: TeamId) -> Option<TeamOwner> {
        self.first(|_, record| record.server_uid == server_uid && record.team == Some(team))
    }

    /// Which object but the asking one, given by namespace and name, owns that team, or else was
    /// just making a team of its name when the team was not there yet. A record under the asking
    /// object's own name is its own, or that of an earlier object of that name, which is no more.
    pub fn claimant(
        &self,
        server_uid: &str,
        team: &Team,
        (namespace, name): &(String, String),
    ) -> Option<TeamOwner> {
        let asking = format!("{namespace}/{name}");
        let other = |of: &str, record: &TeamRecord| of != asking && record.server_uid == server_uid;
        self.first(|of, record| other(of, record) && record.team == Some(team.id))
            .or_else(|| self.first(|of, record| other(of, record) && record.may_have_made(team)))
    }

    fn first(&self, fits: impl Fn(&str, &TeamRecord) -> bool) -> Option<TeamOwner> {
        self.cache.find_team(|of, record| {
            let (namespace, name) = of.split_once('/')?;
            fits(of, record).then(|| TeamOwner {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                uid: record.owner_uid.clone(),
            })
        })
    }
}
