//! TerdutServer: a terdut server, which the bridge runs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use terdut_core::model::install::InstallSpec;
use terdut_core::retention::DeletionPolicy;

use super::SecretKey;
use super::beside::{self, empty_is_none};

/// A terdut server: what the bridge runs it as, and who may use it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, CustomResource)]
#[kube(
    group = "terdut.ryuvia.com",
    version = "v1alpha1",
    kind = "TerdutServer",
    plural = "terdutservers",
    namespaced,
    status = "TerdutServerStatus",
    schema = "disabled",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TerdutServerSpec {
    /// What core knows of it.
    #[serde(flatten)]
    pub install: InstallSpec,
    /// Whether all that the bridge made for the server is removed when this object is deleted
    /// (`Delete`), or the server keeps running and the key to it stays (`Retain`). The database is
    /// never touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Delete"))]
    pub deletion_policy: Option<DeletionPolicy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    #[serde(default, deserialize_with = "empty_is_none")]
    deletion_policy: Option<DeletionPolicy>,
}

impl<'de> Deserialize<'de> for TerdutServerSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Own { deletion_policy }, install) = beside::read(deserializer)?;
        Ok(Self { install, deletion_policy })
    }
}

/// What the bridge last saw. It is output only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TerdutServerStatus {
    /// The state of the server: Ready, Synced, DatabaseReady, Bootstrapped, and Degraded where an
    /// update or a deletion fails.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conditions: Vec<Condition>,
    /// The generation of the object that the conditions speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The Service in front of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_name: Option<String>,
    /// Where the server is reached from inside the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The Secret with the key to the server; it is in the bridge's own namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret_ref: Option<SecretKey>,
}

super::kind!(TerdutServer, TerdutServerStatus);
