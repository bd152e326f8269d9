//! The objects of the server, with the fields that the API shows. Routes, tests and the state file
//! read them; a key's text must never be among the fields that a list shows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::table::{Row, Table};

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct User {
    pub id: i64,
    pub username: String,
    pub email: String,
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ntfy_topic: Option<String>,
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Teams, team accounts, everything below any team.
    Instance,
    /// One team's own things.
    Team,
}

/// A service account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct ServiceAccount {
    pub id: i64,
    pub name: String,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<i64>,
    pub created_at: String,
}

/// Whose a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A person.
    User(i64),
    /// A service account.
    Account(i64),
}

/// A key, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Key {
    pub id: i64,
    pub owner: Owner,
    pub name: String,
    pub text: String,
    pub created_at: String,
    pub last_used_at: Option<String>,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Team {
    pub id: i64,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_member_group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_owner_group: Option<String>,
    pub created_at: String,
}

/// A team's escalation policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Policy {
    pub team_id: i64,
    pub repeat_count: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_topic: Option<String>,
    pub levels: Vec<Level>,
}

/// One step of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Level {
    pub timeout: String,
    pub targets: Vec<Target>,
}

/// Who is paged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Target {
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<i64>,
}

/// A dead man's switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Switch {
    pub id: i64,
    pub team_id: i64,
    pub name: String,
    pub matcher: String,
    pub timeout: String,
    pub severity: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<String>,
}

/// An alert source, without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Integration {
    pub id: i64,
    pub team_id: i64,
    pub kind: String,
    pub name: String,
    pub created_at: String,
}

/// A day of the schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct ScheduleEntry {
    pub id: i64,
    pub user_id: i64,
    pub username: String,
    pub date: String,
    pub created_at: String,
}

/// An alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Alert {
    pub id: i64,
    pub fingerprint: String,
    pub name: String,
    pub status: String,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub starts_at: String,
    pub ends_at: String,
    pub generator_url: String,
    pub received_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution_source: Option<String>,
    /// The integration that brought it.
    pub integration_id: i64,
    /// The team of that integration.
    pub team_id: i64,
}

/// An incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Incident {
    pub id: i64,
    pub group_key: String,
    pub title: String,
    pub group_labels: BTreeMap<String, String>,
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    pub triggered_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// The team that is paged.
    pub team_id: i64,
}

/// A key as it is shown when it is made; in lists without `key`.
#[derive(Debug, Serialize)]
pub(crate) struct KeyAnswer<'a> {
    pub(crate) id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_id: Option<i64>,
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<&'a str>,
    pub(crate) created_at: &'a str,
    pub(crate) last_used_at: Option<&'a str>,
}

impl Key {
    fn shown(&self, key: Option<&str>) -> Json {
        let user_id = match self.owner {
            Owner::User(id) => Some(id),
            Owner::Account(_) => None,
        };
        let (created_at, last_used_at) = (&*self.created_at, self.last_used_at.as_deref());
        super::json(&KeyAnswer {
            id: self.id,
            user_id,
            name: &self.name,
            key,
            created_at,
            last_used_at,
        })
    }

    /// As it is shown once, with its text.
    pub(crate) fn shown_once(&self) -> Json {
        self.shown(Some(&self.text))
    }

    /// As it is listed.
    pub(crate) fn listed(&self) -> Json {
        self.shown(None)
    }
}

/// A source with its key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Source {
    #[serde(flatten)]
    pub(crate) shown: Integration,
    pub(crate) key: String,
}

/// A team with all that is below it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TeamNode {
    pub(crate) team: Team,
    pub(crate) policy: Option<Policy>,
    pub(crate) switches: Table<Switch>,
    pub(crate) sources: Table<Source>,
}

/// A person with what is not shown of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) user: User,
    pub(crate) password: Option<String>,
}

macro_rules! row {
    ($type:ty, [$($path:ident)?], $name:ident) => {
        impl Row for $type {
            fn id(&self) -> i64 {
                self$(.$path)?.id
            }
            fn name(&self) -> &str {
                &self$(.$path)?.$name
            }
            fn set_name(&mut self, name: String) {
                self$(.$path)?.$name = name;
            }
        }
    };
}
row!(Person, [user], username);
row!(ServiceAccount, [], name);
row!(TeamNode, [team], name);
row!(Switch, [], name);
row!(Source, [shown], name);
