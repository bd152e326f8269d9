//! Every word to the Kubernetes API.
//!
//! [`Kube`] hands out `Api`s whose every request is counted, timed, limited in time and fenced: it
//! fails before it is sent when this replica may not act. The writes of the bridge's own objects
//! are its methods, so that each is one request of a known shape. Called by the controllers, the
//! Secret store and the engine. It decides nothing about terdut.

use ::kube::api::{ApiResource, DynamicObject};
use ::kube::{Api, Client, Config, Resource};
use k8s_openapi::NamespaceResourceScope;

use crate::fence::Fence;
use crate::metrics::Metrics;

pub mod config;
mod error;
mod kinds;
mod own_writes;
mod transport;
mod writes;

pub use error::{KubeClass, KubeError};
pub use own_writes::OwnWrites;

/// The way to the Kubernetes API; cheap to clone.
#[derive(Clone)]
pub struct Kube {
    fenced: Client,
    free: Client,
    own: OwnWrites,
    kinds: kinds::Kinds,
}

impl std::fmt::Debug for Kube {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Kube").finish_non_exhaustive()
    }
}

impl Kube {
    /// Makes the clients; nothing is sent yet.
    pub fn new(config: &Config, fence: &Fence, metrics: &Metrics) -> Result<Self, KubeError> {
        let free = transport::client(config.clone(), None, metrics)?;
        Ok(Self {
            fenced: transport::client(config.clone(), Some(fence.clone()), metrics)?,
            kinds: kinds::Kinds::new(free.clone()),
            free,
            own: OwnWrites::default(),
        })
    }

    /// Objects of one kind in one namespace.
    pub fn api<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.fenced.clone(), namespace)
    }

    /// Objects of one kind in all namespaces, or those of a kind without namespaces.
    pub fn all<K>(&self) -> Api<K>
    where
        K: Resource,
        K::DynamicType: Default,
    {
        Api::all(self.fenced.clone())
    }

    /// Objects of a kind that was found at run time, in one namespace.
    pub fn dynamic(&self, resource: &ApiResource, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.fenced.clone(), namespace, resource)
    }

    /// The fenced client itself, for what the methods here do not cover.
    pub fn client(&self) -> Client {
        self.fenced.clone()
    }

    /// A client without the fence: for watches, which a standby keeps too, and for the lease.
    pub(crate) fn free(&self) -> Client {
        self.free.clone()
    }

    /// What this replica wrote and has not seen come back yet.
    pub(crate) fn own_writes(&self) -> &OwnWrites {
        &self.own
    }
}
