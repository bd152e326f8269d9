//! A spec that was checked, with all defaults in it.
//!
//! Only [`super::InstallSpec::validate`] makes one from what a user wrote; rendering takes it and
//! can no longer fail.

use super::EnvVarSpec;
use super::values::{Dsn, Hostname, Listener, ObjectName, Repository, SecretKey, Tag};
use crate::consent::AllowedTeams;
use crate::value::{Email, GoDuration, Matcher, Name, ServerUrl, Severity};

/// How a server is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// Its image.
    pub image: Image,
    /// How many; `None` leaves it to whoever scales the Deployment.
    pub replicas: Option<i32>,
    /// How it is reached.
    pub networking: Networking,
    /// Where its database is.
    pub database: DatabaseChoice,
    /// When alerts get old.
    pub sweeper: Sweeper,
    /// Its own dead man's switch.
    pub deadman: Option<Deadman>,
    /// How people are paged.
    pub notify: Notify,
    /// Log-in by OIDC, where it is enabled.
    pub oidc: Option<Oidc>,
    /// Whether people may log in with a password.
    pub password_login: bool,
    /// The key that is handed in.
    pub credentials: Option<SecretKey>,
    /// The first person of an empty server.
    pub bootstrap: BootstrapPerson,
    /// Whose teams may use it.
    pub allowed_teams: AllowedTeams,
    /// Further variables, none of them named twice.
    pub env: Vec<EnvVarSpec>,
}

impl Install {
    /// Whether a person has a way to log in, going by the spec alone.
    pub fn lets_somebody_in(&self) -> bool {
        self.oidc.is_some() || (self.password_login && self.bootstrap.password.is_some())
    }
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Where it comes from.
    pub repository: Repository,
    /// Its tag.
    pub tag: Tag,
}

impl Image {
    /// As a container names it.
    pub fn reference(&self) -> String {
        format!("{}:{}", self.repository, self.tag)
    }
}

/// How the server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Networking {
    /// The host name.
    pub hostname: Option<Hostname>,
    /// The Service's port.
    pub service_port: u16,
    /// The listener that leads to it.
    pub listener: Option<Listener>,
}

/// Where the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseChoice {
    /// It is named by a DSN.
    Dsn {
        /// The DSN, without a password.
        dsn: Dsn,
        /// Where the password is.
        password: SecretKey,
    },
    /// It is one of a Postgres cluster in the same namespace.
    Cluster(PostgresCluster),
}

/// A database of a Postgres cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresCluster {
    /// The cluster.
    pub name: ObjectName,
    /// Which database; its only one where none is named.
    pub database: Option<String>,
    /// As whom; the owner where nobody is named.
    pub user: Option<String>,
}

/// When alerts get old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweeper {
    /// When one is stale.
    pub stale_after: GoDuration,
    /// When one is archived.
    pub archive_after: GoDuration,
}

/// The server's own dead man's switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadman {
    /// The heartbeat.
    pub matchers: Matcher,
    /// How long it is waited for.
    pub timeout: GoDuration,
    /// How urgent its absence is.
    pub severity: Severity,
}

/// How people are paged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// The ntfy server.
    pub ntfy_url: Option<ServerUrl>,
    /// The topic of last resort; empty for none.
    pub fallback_topic: String,
    /// How often a page is repeated.
    pub repeat_every: GoDuration,
    /// ntfy's access token.
    pub token: Option<SecretKey>,
}

/// Log-in by OIDC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oidc {
    /// The issuer, as it was written: issuers are compared letter by letter.
    pub issuer: String,
    /// The client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: SecretKey,
    /// What the log-in page calls it.
    pub name: Name,
    /// The scopes.
    pub scopes: String,
    /// Who may log in; empty for everybody.
    pub allowed_groups: Vec<String>,
    /// Who is an admin; empty for nobody.
    pub admin_group: String,
    /// How long a log-in lasts.
    pub session_max_age: GoDuration,
}

/// The first person of an empty server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapPerson {
    /// Log-in name.
    pub username: Name,
    /// E-mail address.
    pub email: Email,
    /// The password that they get.
    pub password: Option<SecretKey>,
}
