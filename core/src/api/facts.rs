//! What the server says about its objects, as plain facts.
//!
//! Texts are as the server wrote them (a duration in its canonical form, a name untrimmed).
//! Comparing by meaning is the models' work.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::request::AccountScope;
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::secret::SecretString;

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Log-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// ntfy topic; `None` where the server has none.
    pub ntfy_topic: Option<String>,
    /// RFC 3339.
    pub created_at: Option<String>,
}

/// A key of a person or of a service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// Its name; names may repeat.
    pub name: String,
    /// The key itself, present only in the answer that made it.
    pub key: Option<SecretString>,
    /// RFC 3339.
    pub created_at: Option<String>,
}

/// A service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name, unique on the server.
    pub name: String,
    /// What its keys may do.
    pub scope: AccountScope,
    /// RFC 3339.
    pub created_at: Option<String>,
}

/// A service account just made, with its first key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The account.
    pub account: Account,
    /// Its first key.
    pub key: ApiKey,
}

/// The answer to the one bootstrap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrapped {
    /// The first person.
    pub user: User,
    /// Their admin key.
    pub key: ApiKey,
}

/// Who a key belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Me {
    /// A person's key.
    User {
        /// The person.
        user: User,
        /// Whether a password is set.
        has_password: bool,
    },
    /// A service account's key.
    Account(Account),
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// Its name, unique on the server.
    pub name: String,
    /// OIDC group whose people are members; `None` where the server has none.
    pub oidc_member_group: Option<String>,
    /// OIDC group whose people are owners; `None` where the server has none.
    pub oidc_owner_group: Option<String>,
}

/// A team's escalation policy. One without levels is no policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How often the levels are walked again.
    pub repeat_count: i64,
    /// Topic used when nobody answered; `None` where there is none.
    pub fallback_topic: Option<String>,
    /// The levels, in order.
    pub levels: Vec<Level>,
}

/// One step of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// How long to wait for an answer, a Go duration.
    pub timeout: String,
    /// Who is paged, in order.
    pub targets: Vec<Target>,
}

/// Who a level pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Whoever is on call.
    OnCall,
    /// One person.
    User(UserId),
    /// A kind that this version does not know, or a user target without a user: kept as drift.
    Other {
        /// The kind as the server wrote it.
        kind: String,
        /// The user it names, if any.
        user: Option<UserId>,
    },
}

/// A dead man's switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its id.
    pub id: SwitchId,
    /// Its name, unique in the team.
    pub name: String,
    /// Matcher: `label=value[,label=value…]`.
    pub matcher: String,
    /// A Go duration.
    pub timeout: String,
    /// Severity of the alert it raises.
    pub severity: String,
}

/// An alert source, without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integration {
    /// Its id.
    pub id: IntegrationId,
    /// `alertmanager`, or another word.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// An alert, as far as a test alert is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// `firing`, or another word.
    pub status: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The incident that pages people about it.
    pub incident: Option<i64>,
}

/// An alert source just made, with what is shown only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIntegration {
    /// The source.
    pub integration: Integration,
    /// Its key.
    pub key: SecretString,
    /// The webhook URL, as the server wrote it (it holds the key).
    pub url: SecretString,
}

/// A day of the on-call schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleEntry {
    /// Who is on call.
    pub user_id: UserId,
    /// Their name.
    pub username: String,
    /// `YYYY-MM-DD`.
    pub date: String,
}

/// A list as it is shared by all that read it in one pass.
pub type Shared<T> = Arc<[T]>;
