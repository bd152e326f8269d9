//! How objects name each other.
//!
//! A reference to a server may cross namespaces, one to a team never does. A reference is a name,
//! not a right: whether it may be followed is judged on every pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::beside::empty_is_none;

/// A terdut server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ServerRef {
    /// The name of a TerdutServer.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The TerdutServer's namespace; absent means this object's own.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub namespace: Option<String>,
}

impl ServerRef {
    /// The server's namespace, for an object in that one.
    pub fn namespace_from<'a>(&'a self, own: &'a str) -> &'a str {
        self.namespace.as_deref().unwrap_or(own)
    }
}

/// A team.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct TeamRef {
    /// The name of a TerdutTeam in this object's namespace.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// A key of a Secret that the bridge wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SecretKey {
    /// The Secret, in the bridge's own namespace.
    #[schemars(length(max = 253))]
    pub name: String,
    /// The key in it.
    #[schemars(length(max = 253))]
    pub key: String,
}
