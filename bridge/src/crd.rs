//! The custom resources of `terdut.ryuvia.com/v1alpha1`.
//!
//! One file a kind: what a manifest says (core's `…Spec` and what only Kubernetes adds) and what its
//! status says. Controllers, stores and subcommands read these types. Defaults are core's, and a
//! status is output: nothing here may be taken for proof of anything.

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;
use serde::de::DeserializeOwned;
use terdut_core::retention::DeletionPolicy;

mod alert_source;
mod beside;
mod deadman_switch;
mod escalation_rule;
pub mod judge;
pub mod names;
mod reference;
pub mod schema;
mod server;
mod team;

#[cfg(test)]
mod tests;

pub use alert_source::{
    SecretName, TerdutAlertSource, TerdutAlertSourceSpec, TerdutAlertSourceStatus,
};
pub use deadman_switch::{
    AppliedSwitch, TerdutDeadmanSwitch, TerdutDeadmanSwitchSpec, TerdutDeadmanSwitchStatus,
};
pub use escalation_rule::{
    TerdutEscalationRule, TerdutEscalationRuleSpec, TerdutEscalationRuleStatus,
};
pub use reference::{SecretKey, ServerRef, TeamRef};
pub use schema::all;
pub use server::{TerdutServer, TerdutServerSpec, TerdutServerStatus};
pub use team::{TerdutTeam, TerdutTeamSpec, TerdutTeamStatus};

/// One of the five kinds.
pub trait Kind:
    kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + std::fmt::Debug
    + DeserializeOwned
    + Serialize
    + Send
    + Sync
    + 'static
{
    /// The kind's name.
    const KIND: &'static str;
    /// Its status.
    type Status: Clone
        + std::fmt::Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Send
        + Sync;

    /// Its status, if one was ever written.
    fn status(&self) -> Option<&Self::Status>;
    /// The conditions in its status.
    fn conditions(&self) -> &[Condition];
    /// The generation that its status speaks of.
    fn observed_generation(&self) -> Option<i64>;
    /// What becomes of the object on the server when this one is deleted.
    fn deletion_policy(&self) -> DeletionPolicy;
}

/// A kind whose objects belong to a team.
pub trait Child: Kind {
    /// The team, in the object's own namespace.
    fn team(&self) -> &TeamRef;
}

/// Writes what is the same for every kind.
macro_rules! kind {
    ($object:ident, $status:ident) => {
        impl crate::crd::Kind for $object {
            const KIND: &'static str = stringify!($object);
            type Status = $status;

            fn status(&self) -> Option<&$status> {
                self.status.as_ref()
            }

            fn conditions(&self) -> &[k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition] {
                self.status.as_ref().map_or(&[], |status| &status.conditions)
            }

            fn observed_generation(&self) -> Option<i64> {
                self.status.as_ref()?.observed_generation
            }

            fn deletion_policy(&self) -> terdut_core::retention::DeletionPolicy {
                self.spec.deletion_policy.unwrap_or_default()
            }
        }
    };
    ($object:ident, $status:ident, child) => {
        crate::crd::kind!($object, $status);

        impl crate::crd::Child for $object {
            fn team(&self) -> &crate::crd::TeamRef {
                &self.spec.team_ref
            }
        }
    };
}
use kind;
