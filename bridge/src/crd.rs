//! The custom resources of `terdut.ryuvia.com/v1alpha1`.

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub mod names;

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
    type Status: Serialize + Send + Sync;

    /// The conditions in its status.
    fn conditions(&self) -> &[Condition];
    /// The generation that its status speaks of.
    fn observed_generation(&self) -> Option<i64>;
}
