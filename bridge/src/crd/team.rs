//! TerdutTeam: a team on a server.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use terdut_core::model::{OidcSpec, TeamSpec};
use terdut_core::retention::DeletionPolicy;

use super::beside::empty_is_none;
use super::{SecretKey, ServerRef};

/// A team of people who share an on-call schedule, an escalation policy and alert sources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "terdut.ryuvia.com",
    version = "v1alpha1",
    kind = "TerdutTeam",
    plural = "terdutteams",
    namespaced,
    status = "TerdutTeamStatus",
    schema = "disabled",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TerdutTeamSpec {
    /// The server that the team is on. It cannot be changed: a team cannot be moved. The server says
    /// which namespaces may refer to it (spec.allowedTeams).
    pub server_ref: ServerRef,
    /// The team's name, unique on the server. Blanks around it do not count.
    #[schemars(length(min = 1, max = 253))]
    pub display_name: String,
    /// Which OIDC groups make somebody a member or an owner of the team. Absent and empty mean the
    /// same: no group does, and groups that were set by other means are cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<OidcSpec>,
    /// Whether the team is deleted on the server, with all that belongs to it, when this object is
    /// deleted (`Delete`), or stays (`Retain`).
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Delete"))]
    pub deletion_policy: Option<DeletionPolicy>,
}

impl TerdutTeamSpec {
    /// What core knows of it.
    pub fn team(&self) -> TeamSpec {
        TeamSpec { name: self.display_name.clone(), oidc: self.oidc.clone() }
    }
}

/// What the bridge last saw. It is output only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TerdutTeamStatus {
    /// The state of the team: Ready, Synced, and Degraded where an update or a deletion fails.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conditions: Vec<Condition>,
    /// The generation of the object that the conditions speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The team's id on the server.
    #[serde(rename = "teamID", skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// The Secret with the key of the team's service account; it is in the bridge's own namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret_ref: Option<SecretKey>,
}

super::kind!(TerdutTeam, TerdutTeamStatus);
