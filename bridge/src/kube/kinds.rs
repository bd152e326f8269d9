//! Kinds that a cluster may or may not have.
//!
//! Asked by the controllers through [`Kube::discover`](super::Kube::discover), and by the watches
//! of rendered objects. A kind that is there is remembered until the path of one of its objects is
//! missing; one that is missing is asked for anew. So neither its going nor its later arrival needs a
//! restart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Client, Error, discovery};

use super::{Kube, KubeClass, KubeError};

#[derive(Clone)]
pub(super) struct Kinds {
    client: Client,
    known: Arc<Mutex<BTreeMap<String, Option<ApiResource>>>>,
}

impl Kinds {
    pub(super) fn new(client: Client) -> Self {
        Self { client, known: Arc::default() }
    }

    fn remembered(&self, name: &str) -> Option<ApiResource> {
        self.lock().get(name).cloned().flatten()
    }

    fn remember(&self, name: String, found: Option<ApiResource>) {
        self.lock().insert(name, found);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Option<ApiResource>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, kind: &GroupVersionKind) -> Result<Option<ApiResource>, KubeError> {
        let name = name_of(kind);
        match discovery::pinned_kind(&self.client, kind).await {
            Ok((resource, _)) => Ok(Some(resource)),
            Err(Error::Discovery(_)) => Ok(None),
            Err(error) => match KubeError::new("discover", name, error) {
                missing if missing.class == KubeClass::NotFound => Ok(None),
                other => Err(other),
            },
        }
    }
}

fn name_of(kind: &GroupVersionKind) -> String {
    format!("{}/{} {}", kind.group, kind.version, kind.kind)
}

impl Kube {
    /// How a kind is reached, or none if the cluster lacks it.
    pub async fn discover(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> Result<Option<ApiResource>, KubeError> {
        let kind = GroupVersionKind::gvk(group, version, kind);
        let name = name_of(&kind);
        if let Some(known) = self.kinds.remembered(&name) {
            return Ok(Some(known));
        }
        let found = self.kinds.ask(&kind).await?;
        self.kinds.remember(name, found.clone());
        Ok(found)
    }

    /// An object of a kind that the cluster may lack, or none.
    pub async fn find(
        &self,
        kind: &ApiResource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<DynamicObject>, KubeError> {
        let object = format!("{} {namespace}/{name}", kind.kind);
        let found = self.dynamic(kind, namespace).get_opt(name).await;
        self.doubting(kind, found.map_err(KubeError::doing("get", &object)))
    }

    /// The outcome of a request that a missing object does not fail. Then its whole path is missing,
    /// and whether there is such a kind is asked anew, if it was ever asked.
    pub(super) fn doubting<T>(
        &self,
        kind: &ApiResource,
        outcome: Result<T, KubeError>,
    ) -> Result<T, KubeError> {
        if outcome.as_ref().is_err_and(|error| error.class == KubeClass::NotFound) {
            let kind = GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind);
            if let Some(known) = self.kinds.lock().get_mut(&name_of(&kind)) {
                *known = None;
            }
        }
        outcome
    }

    /// Asks again for every kind that was missing when somebody asked: whether one has arrived.
    pub(crate) async fn rediscover(&self) -> bool {
        let missing: Vec<String> = {
            let known = self.kinds.lock();
            known
                .iter()
                .filter(|(_, found)| found.is_none())
                .map(|(name, _)| name.clone())
                .collect()
        };
        let mut arrived = false;
        for name in missing {
            let Some(kind) = kind_of(&name) else { continue };
            if let Ok(Some(found)) = self.kinds.ask(&kind).await {
                self.kinds.remember(name, Some(found));
                arrived = true;
            }
        }
        arrived
    }
}

fn kind_of(name: &str) -> Option<GroupVersionKind> {
    let (group_version, kind) = name.split_once(' ')?;
    let (group, version) = group_version.split_once('/')?;
    Some(GroupVersionKind::gvk(group, version, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_kind() {
        for (group, version, kind) in
            [("gateway.networking.k8s.io", "v1", "HTTPRoute"), ("", "v1", "Secret")]
        {
            let kind = GroupVersionKind::gvk(group, version, kind);
            assert_eq!(kind_of(&name_of(&kind)), Some(kind));
        }
    }
}
