//! The parts of the spec: image, network, database, sweeper, switch, notifications.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One key of a Secret beside the object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretKeyRef {
    /// The Secret's name. Empty: none.
    #[serde(default)]
    #[schemars(length(max = 253))]
    pub name: String,
    /// Which of its keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub key: Option<String>,
}

/// The server's image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageSpec {
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024), extend("default" = "git.ryuvia.com/niklas/terdut-server"))]
    pub repository: Option<String>,
    /// Its tag; a digest may follow, as `v1.0.0@sha256:…`.
    #[schemars(length(min = 1, max = 256))]
    pub tag: String,
}

/// How the server is reached. An `HTTPRoute` is made when both a host name and a listener are given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkingSpec {
    /// The host name under which people reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub hostname: Option<String>,
    /// The Service's port.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535), extend("default" = 8080))]
    pub service_port: Option<i32>,
    /// The Gateway that leads to it: `gateway`, `namespace/gateway` or
    /// `namespace/gateway/listener`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub gateway_listener: Option<String>,
}

/// The server's database. Exactly one of `dsn` and `postgresClusterRef` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSpec {
    /// How the database is reached, without its password:
    /// `postgres://user@host:5432/database?sslmode=require`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub dsn: Option<String>,
    /// The Secret with the password for `dsn`; its key is `password` unless another is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_secret_ref: Option<SecretKeyRef>,
    /// A cluster of Zalando's Postgres operator in the same namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postgres_cluster_ref: Option<PostgresClusterRef>,
}

/// A `postgresql` of Zalando's operator in the same namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresClusterRef {
    /// The cluster's name. Empty: none.
    #[serde(default)]
    #[schemars(length(max = 253))]
    pub name: String,
    /// Which of its databases; needed when it has more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub database: Option<String>,
    /// As whom; the database's owner unless another is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub user: Option<String>,
}

/// When alerts get old.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SweeperSpec {
    /// After how long without news an alert is stale: a Go duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "6h"))]
    pub stale_after: Option<String>,
    /// After how long an alert is archived: a Go duration, longer than `staleAfter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "168h"))]
    pub archive_after: Option<String>,
}

/// The server's own dead man's switch. Without matchers there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeadmanSpec {
    /// Which alerts are the heartbeat: `label=value[,label=value…]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub matchers: Option<String>,
    /// After how long without a heartbeat the alert is raised: a Go duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "15m"))]
    pub timeout: Option<String>,
    /// The severity of the alert: critical, high, warning, info, or another lower-case word that
    /// the server knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63), extend("default" = "critical"))]
    pub severity: Option<String>,
}

/// How people are paged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotifySpec {
    /// The ntfy server's URL, http or https.
    #[serde(rename = "ntfyURL", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub ntfy_url: Option<String>,
    /// The ntfy topic that is used when nobody else can be paged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub fallback_topic: Option<String>,
    /// How often a page is repeated: a Go duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "15m"))]
    pub repeat_every: Option<String>,
    /// The Secret with ntfy's access token; its key is `token` unless another is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_secret_ref: Option<SecretKeyRef>,
}
