//! The whole spec.
//!
//! Defaults stand in the descriptions' `default` for people and tools that read the schema; they
//! are applied by validation alone, so that a manifest applied twice shows no difference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AllowedTeamsSpec, BootstrapPersonSpec, DatabaseSpec, DeadmanSpec, EnvVarSpec, ImageSpec,
    NetworkingSpec, NotifySpec, OidcSettingsSpec, SecretKeyRef, SweeperSpec,
};

/// A terdut server and how it is run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallSpec {
    /// The server's image.
    pub image: ImageSpec,
    /// How many servers run. Absent: left to whoever scales the Deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10))]
    pub replicas: Option<i32>,
    /// How the server is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub networking: Option<NetworkingSpec>,
    /// The server's database: a DSN with the Secret of its password, or a Postgres cluster.
    pub database: DatabaseSpec,
    /// When alerts get old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeper: Option<SweeperSpec>,
    /// The server's own dead man's switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadman: Option<DeadmanSpec>,
    /// How people are paged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify: Option<NotifySpec>,
    /// Log-in by OIDC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<OidcSettingsSpec>,
    /// Whether people may log in with a password. Without it, OIDC has to be enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub password_login: Option<bool>,
    /// An instance key that is handed in: a Secret in the bridge's namespace (key `token`) with the
    /// label `terdut.ryuvia.com/credential: "true"` and the annotation
    /// `terdut.ryuvia.com/server: <namespace>/<name>`. Without one, the server is bootstrapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret_ref: Option<SecretKeyRef>,
    /// The first person of an empty server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapPersonSpec>,
    /// Which namespaces' teams may use the server. Absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_teams: Option<AllowedTeamsSpec>,
    /// Further variables of the server's environment; one of the same name as a rendered one
    /// replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub env: Option<Vec<EnvVarSpec>>,
}
