//! Secrets: the bridge's own, in its own namespace, and those of others that it may look at.
//!
//! [`SecretStore`] holds the records of core ([`Record`]): instance keys, teams' records and keys,
//! checkpoints. A Secret's name is made of kind, namespace and name alone; whose it is says the UID
//! in it, which the caller checks. A watch keeps what is there, a write is known at once, and every
//! write is a create that fails if there is one, or a compare-and-swap. Used by the controllers and
//! by `access`. It never puts a credential into a tenant's namespace and never takes over a Secret
//! that it did not make.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, PostParams, Preconditions};
use terdut_core::record::{Checkpoint, Data, InstanceRecord, SecretKind, TeamRecord, secret_name};

use crate::kube::{Kube, KubeClass, KubeError};

mod beside;
mod cache;
mod handed_in;
mod object;
mod owners;
mod watch;

#[cfg(test)]
mod tests;

pub use beside::{Foreign, Webhook, WebhookSecret, webhook_name};
use cache::Cache;
pub use handed_in::HandedIn;
pub use owners::TeamOwner;

/// A record that a Secret of the bridge's namespace holds.
pub trait Record: Clone + Send + Sync + 'static {
    /// What the Secret is for.
    const KIND: SecretKind;
    /// Reads the Secret's data.
    fn parse(data: &Data) -> Option<Self>;
    /// The Secret's data.
    fn data(&self) -> Data;
}

macro_rules! records {
    ($($record:ident: $kind:ident),+) => {$(
        impl Record for $record {
            const KIND: SecretKind = SecretKind::$kind;

            fn parse(data: &Data) -> Option<Self> {
                Self::parse(data)
            }

            fn data(&self) -> Data {
                self.data()
            }
        }
    )+};
}

records! {
    InstanceRecord: InstanceCredentials,
    TeamRecord: TeamCredentials,
    Checkpoint: BootstrapCheckpoint
}

/// A record and the version of its Secret.
#[derive(Debug, Clone)]
pub struct Versioned<R> {
    /// What it says.
    pub record: R,
    /// The Secret's resourceVersion, for a compare-and-swap.
    pub version: String,
}

/// The Secrets; cheap to clone.
#[derive(Debug, Clone)]
pub struct SecretStore {
    kube: Kube,
    namespace: Arc<str>,
    cache: Cache,
}

impl SecretStore {
    /// A store for the bridge's own namespace. It is empty until [`SecretStore::follow`] runs;
    /// whatever it lacks is asked for.
    pub fn new(kube: Kube, namespace: &str) -> Self {
        Self { kube, namespace: namespace.into(), cache: Cache::default() }
    }

    /// The bridge's own namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The record of an object, as far as it is known here.
    pub fn kept<R: Record>(&self, namespace: &str, name: &str) -> Option<Versioned<R>> {
        let kept = self.cache.get(&secret_name(R::KIND, namespace, name))?;
        read(&kept.data, &kept.version)
    }

    /// The record of an object, as far as it is known here; a missing one is asked for.
    pub async fn known<R: Record>(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Versioned<R>>, KubeError> {
        match self.cache.get(&secret_name(R::KIND, namespace, name)) {
            Some(kept) => Ok(read(&kept.data, &kept.version)),
            None => self.live(namespace, name).await,
        }
    }

    /// The record of an object as it is now.
    pub async fn live<R: Record>(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Versioned<R>>, KubeError> {
        let secret = secret_name(R::KIND, namespace, name);
        let found = self.own().get_opt(&secret).await;
        let found = found.map_err(KubeError::doing("get", &described(&secret)))?;
        let Some(found) = found else {
            self.cache.forget(&secret);
            return Ok(None);
        };
        let (data, version) = self.keep(found);
        Ok(read(&data, &version))
    }

    /// Makes the record's Secret; a conflict if there is one already.
    pub async fn create<R: Record>(
        &self,
        namespace: &str,
        name: &str,
        record: &R,
    ) -> Result<Versioned<R>, KubeError> {
        let object = object::of(R::KIND, &self.namespace, namespace, name, record.data(), None);
        let secret = secret_name(R::KIND, namespace, name);
        let made = self.own().create(&PostParams::default(), &object).await;
        self.written(&secret, "create", record, made)
    }

    /// Replaces it; a conflict if it is of another version.
    pub async fn replace<R: Record>(
        &self,
        namespace: &str,
        name: &str,
        record: &R,
        version: &str,
    ) -> Result<Versioned<R>, KubeError> {
        let version = Some(version.to_owned());
        let object = object::of(R::KIND, &self.namespace, namespace, name, record.data(), version);
        let secret = secret_name(R::KIND, namespace, name);
        let made = self.own().replace(&secret, &PostParams::default(), &object).await;
        self.written(&secret, "replace", record, made)
    }

    /// Deletes it; what is not there is deleted. With a version, only that one.
    pub async fn delete<R: Record>(
        &self,
        namespace: &str,
        name: &str,
        version: Option<&str>,
    ) -> Result<(), KubeError> {
        let secret = secret_name(R::KIND, namespace, name);
        let resource_version = version.map(str::to_owned);
        let preconditions = resource_version
            .map(|version| Preconditions { resource_version: Some(version), uid: None });
        let parameters = DeleteParams { preconditions, ..DeleteParams::default() };
        let deleted = self.own().delete(&secret, &parameters).await;
        match deleted.map_err(KubeError::doing("delete", &described(&secret))) {
            Err(error) if error.class != KubeClass::NotFound => {
                self.cache.forget(&secret);
                Err(error)
            }
            _ => {
                self.cache.forget(&secret);
                Ok(())
            }
        }
    }

    /// Resolves when all records have been listed once: before, what is not known here may be there.
    pub async fn listed(&self) {
        self.cache.listed().await;
    }

    /// Whether all records have been listed once.
    pub fn is_listed(&self) -> bool {
        self.cache.is_listed()
    }

    fn own(&self) -> Api<Secret> {
        self.kube.api(&self.namespace)
    }

    fn keep(&self, secret: Secret) -> (Data, String) {
        let kept = object::kept(secret);
        let (data, version) = (kept.data.clone(), kept.version.clone());
        self.cache.put(kept);
        (data, version)
    }

    fn written<R: Record>(
        &self,
        secret: &str,
        verb: &'static str,
        record: &R,
        made: Result<Secret, kube::Error>,
    ) -> Result<Versioned<R>, KubeError> {
        match made.map_err(KubeError::doing(verb, &described(secret))) {
            Ok(made) => {
                let (_, version) = self.keep(made);
                Ok(Versioned { record: record.clone(), version })
            }
            Err(error) => {
                // What is there is not what was thought: the next look asks.
                self.cache.forget(secret);
                Err(error)
            }
        }
    }
}

fn read<R: Record>(data: &Data, version: &str) -> Option<Versioned<R>> {
    Some(Versioned { record: R::parse(data)?, version: version.to_owned() })
}

/// The name stands in errors and logs; the content never does.
fn described(secret: &str) -> String {
    format!("Secret {secret}")
}
