//! TerdutAlertSource: a team's alert source.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use terdut_core::model::AlertSourceSpec;
use terdut_core::retention::DeletionPolicy;

use super::TeamRef;
use super::beside::{self, empty_is_none};

/// An alert source: a webhook with a key of its own, to which alerts for a team are sent. The
/// webhook's address is put into a Secret beside this object; it is shown only once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, CustomResource)]
#[kube(
    group = "terdut.ryuvia.com",
    version = "v1alpha1",
    kind = "TerdutAlertSource",
    plural = "terdutalertsources",
    namespaced,
    status = "TerdutAlertSourceStatus",
    schema = "disabled",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TerdutAlertSourceSpec {
    /// The team that is paged. It cannot be changed.
    pub team_ref: TeamRef,
    /// What core knows of it.
    #[serde(flatten)]
    pub source: AlertSourceSpec,
    /// Whether the alert source is deleted on the server when this object is deleted (`Delete`), or
    /// stays (`Retain`).
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

impl<'de> Deserialize<'de> for TerdutAlertSourceSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Own { team_ref, deletion_policy }, source) = beside::read(deserializer)?;
        Ok(Self { team_ref, source, deletion_policy })
    }
}

/// What the bridge last saw. It is output only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TerdutAlertSourceStatus {
    /// The state of the alert source: Ready, Synced, and Degraded where an update or a deletion
    /// fails.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conditions: Vec<Condition>,
    /// The generation of the object that the conditions speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The alert source's id on the server, which calls it an integration.
    #[serde(rename = "integrationID", skip_serializing_if = "Option::is_none")]
    pub integration_id: Option<String>,
    /// The Secret beside this object with the webhook's address (`url`) and its key (`key`).
    #[serde(rename = "webhookURLSecretRef", skip_serializing_if = "Option::is_none")]
    pub webhook_url_secret_ref: Option<SecretName>,
}

/// A Secret in the object's own namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretName {
    /// The Secret.
    #[schemars(length(max = 253))]
    pub name: String,
}

super::kind!(TerdutAlertSource, TerdutAlertSourceStatus, child);
