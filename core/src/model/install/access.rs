//! The parts of the spec that say who may use the server.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SecretKeyRef;

/// Log-in by OIDC.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcSettingsSpec {
    /// Whether people may log in by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub enabled: Option<bool>,
    /// The issuer's URL. Required when enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub issuer: Option<String>,
    /// The client's id. Required when enabled.
    #[serde(rename = "clientID", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub client_id: Option<String>,
    /// The Secret with the client's secret; its key is `client-secret` unless another is named.
    /// Required when enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret_ref: Option<SecretKeyRef>,
    /// What the log-in page calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253), extend("default" = "SSO"))]
    pub name: Option<String>,
    /// The scopes that are asked for, between blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024), extend("default" = "openid profile email"))]
    pub scopes: Option<String>,
    /// The groups whose members may log in. None: everybody whom the issuer knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 1024)))]
    pub allowed_groups: Option<Vec<String>>,
    /// The group whose members are admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub admin_group: Option<String>,
    /// After how long people have to log in again: a Go duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "12h"))]
    pub session_max_age: Option<String>,
}

/// The person whom the bootstrap makes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootstrapPersonSpec {
    /// Log-in name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253), extend("default" = "terdut-operator"))]
    pub username: Option<String>,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253), extend("default" = "terdut-operator@localhost"))]
    pub email: Option<String>,
    /// The Secret with a password that is set on that person, so that somebody can log in; its key
    /// is `password` unless another is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_secret_ref: Option<SecretKeyRef>,
}

/// Whose teams may use the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllowedTeamsSpec {
    /// Of which namespaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<AllowedNamespacesSpec>,
    /// Whether another namespace's team may take over a team of its name that it did not make.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["", "Deny", "Allow"], "default" = "Deny"))]
    pub adoption: Option<String>,
}

/// Of which namespaces the teams may use the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllowedNamespacesSpec {
    /// `None`, `Same` (the server's own), `All`, or those that the selector matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["", "None", "Same", "All", "Selector"], "default" = "None"))]
    pub from: Option<String>,
    /// Which namespaces, by their labels. Given with `from: Selector` and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelectorSpec>,
}

/// Labels that a namespace must have. All demands must be met; an empty selector is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelSelectorSpec {
    /// Labels and the values that they must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxProperties" = 64))]
    pub match_labels: Option<BTreeMap<String, String>>,
    /// Further demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub match_expressions: Option<Vec<LabelRequirementSpec>>,
}

/// One demand on one label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LabelRequirementSpec {
    /// The label.
    #[schemars(length(min = 1, max = 317))]
    pub key: String,
    /// What is demanded of it.
    #[schemars(extend("enum" = ["In", "NotIn", "Exists", "DoesNotExist"]))]
    pub operator: String,
    /// The values, for `In` and `NotIn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), inner(length(max = 63)))]
    pub values: Option<Vec<String>>,
}
