//! TerdutEscalationRule: a team's escalation policy.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use terdut_core::model::EscalationRuleSpec;
use terdut_core::retention::DeletionPolicy;

use super::TeamRef;
use super::beside::{self, empty_is_none};

/// A team's escalation policy: who is paged, and who next when nobody answers. A team has one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, CustomResource)]
#[kube(
    group = "terdut.ryuvia.com",
    version = "v1alpha1",
    kind = "TerdutEscalationRule",
    plural = "terdutescalationrules",
    namespaced,
    status = "TerdutEscalationRuleStatus",
    schema = "disabled",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TerdutEscalationRuleSpec {
    /// The team whose policy it is. It cannot be changed.
    pub team_ref: TeamRef,
    /// What core knows of it.
    #[serde(flatten)]
    pub rule: EscalationRuleSpec,
    /// Whether the team's policy is emptied when this object is deleted (`Delete`), or stays
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

impl<'de> Deserialize<'de> for TerdutEscalationRuleSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Own { team_ref, deletion_policy }, rule) = beside::read(deserializer)?;
        Ok(Self { team_ref, rule, deletion_policy })
    }
}

/// What the bridge last saw. It is output only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TerdutEscalationRuleStatus {
    /// The state of the policy: Ready, Synced, and Degraded where an update or a deletion fails.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conditions: Vec<Condition>,
    /// The generation of the object that the conditions speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

super::kind!(TerdutEscalationRule, TerdutEscalationRuleStatus, child);
