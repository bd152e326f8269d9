//! TerdutDeadmanSwitch: a team's dead man's switch.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use terdut_core::model::DeadmanSwitchSpec;
use terdut_core::retention::DeletionPolicy;

use super::TeamRef;
use super::beside::{self, empty_is_none};

/// A dead man's switch: an alert is raised when a heartbeat stops arriving. terdut cannot change
/// one: a change of its meaning deletes it and makes another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, CustomResource)]
#[kube(
    group = "terdut.ryuvia.com",
    version = "v1alpha1",
    kind = "TerdutDeadmanSwitch",
    plural = "terdutdeadmanswitches",
    namespaced,
    status = "TerdutDeadmanSwitchStatus",
    schema = "disabled",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TerdutDeadmanSwitchSpec {
    /// The team that is paged. It cannot be changed.
    pub team_ref: TeamRef,
    /// What core knows of it.
    #[serde(flatten)]
    pub switch: DeadmanSwitchSpec,
    /// Whether the switch is deleted on the server when this object is deleted (`Delete`), or stays
    /// (`Retain`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Delete"))]
    pub deletion_policy: Option<DeletionPolicy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    team_ref: TeamRef,
    #[serde(default, deserialize_with = "empty_is_none")]
    deletion_policy: Option<DeletionPolicy>,
}

impl<'de> Deserialize<'de> for TerdutDeadmanSwitchSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Own { team_ref, deletion_policy }, switch) = beside::read(deserializer)?;
        Ok(Self { team_ref, switch, deletion_policy })
    }
}

/// What the bridge last saw. It is output only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TerdutDeadmanSwitchStatus {
    /// The state of the switch: Ready, Synced, and Degraded where an update or a deletion fails.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conditions: Vec<Condition>,
    /// The generation of the object that the conditions speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The switch's id on the server. Another one after a change: the switch was made anew.
    #[serde(rename = "switchID", skip_serializing_if = "Option::is_none")]
    pub switch_id: Option<String>,
    /// What the server has, as it writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<AppliedSwitch>,
}

/// A switch as the server has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AppliedSwitch {
    /// The switch's name.
    pub name: String,
    /// Which alerts are the heartbeat.
    pub matcher: String,
    /// After how long without a heartbeat the alert is raised.
    pub timeout: String,
    /// The severity of the alert.
    pub severity: String,
}

super::kind!(TerdutDeadmanSwitch, TerdutDeadmanSwitchStatus, child);
