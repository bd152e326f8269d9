//! The watches over the Secrets in the bridge's own namespace: its records, and the credentials that
//! people hand in.

use std::collections::HashSet;
use std::pin::pin;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use kube::api::PartialObjectMeta;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, watcher as watch};
use kube::{Api, ResourceExt};
use terdut_core::record::SecretKind;

use super::{SecretStore, object};
use crate::crd::names::{MANAGER, annotation, label};
use crate::engine::Wake;

impl SecretStore {
    /// Keeps the store as the API server has it, and wakes the object whose Secret somebody else
    /// changed. Runs until it is dropped, on a standby too.
    pub async fn follow(self, wake: Wake) {
        futures::join!(self.follow_records(&wake), self.follow_handed_in(&wake));
    }

    /// Wakes the server that a credential is marked for when it comes, changes or goes. Whether it
    /// may have it is judged by its pass; here only the metadata is seen.
    async fn follow_handed_in(&self, wake: &Wake) {
        let api: Api<PartialObjectMeta<Secret>> =
            Api::namespaced(self.kube.free(), &self.namespace);
        let selector = format!("{}=true", label::CREDENTIAL);
        let config = watcher::Config::default().labels(&selector).page_size(100);
        let mut events = pin!(watch(api, config).default_backoff());
        while let Some(event) = events.next().await {
            match event {
                Ok(Event::Apply(secret) | Event::InitApply(secret) | Event::Delete(secret)) => {
                    wake_server(wake, &secret);
                }
                Ok(Event::Init | Event::InitDone) => {}
                Err(error) => tracing::debug!(%error, "the watch over credentials is interrupted"),
            }
        }
    }

    async fn follow_records(&self, wake: &Wake) {
        let selector = format!("{}={MANAGER}", label::MANAGED_BY);
        let api: Api<Secret> = Api::namespaced(self.kube.free(), &self.namespace);
        let config = watcher::Config::default().labels(&selector).page_size(100);
        let mut events = pin!(watch(api, config).default_backoff());
        let mut missing = HashSet::new();
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => self.take(event, &mut missing, wake),
                Err(error) => tracing::debug!(%error, "the watch over own Secrets is interrupted"),
            }
        }
    }

    /// `missing` is what was known when the list began and is not in it so far: what was written
    /// since cannot be in it.
    fn take(&self, event: Event<Secret>, missing: &mut HashSet<String>, wake: &Wake) {
        match event {
            Event::Init => *missing = self.cache.names().into_iter().collect(),
            Event::InitApply(secret) => {
                missing.remove(&secret.name_any());
                self.learn(secret, wake);
            }
            Event::InitDone => {
                for name in missing.drain() {
                    self.lost(&name, wake);
                }
                self.cache.set_listed();
            }
            Event::Apply(secret) => self.learn(secret, wake),
            Event::Delete(secret) => self.lost(&secret.name_any(), wake),
        }
    }

    fn learn(&self, secret: Secret, wake: &Wake) {
        let kept = object::kept(secret);
        let (kind, of) = (kept.kind.clone(), kept.of.clone());
        if self.cache.put(kept) {
            wake_owner(wake, &kind, &of);
        }
    }

    fn lost(&self, secret: &str, wake: &Wake) {
        if let Some(kept) = self.cache.forget(secret) {
            wake_owner(wake, &kept.kind, &kept.of);
        }
    }
}

/// Its teams use the same key.
fn wake_server(wake: &Wake, secret: &PartialObjectMeta<Secret>) {
    let server = secret.annotations().get(annotation::SERVER);
    if let Some((namespace, name)) = server.and_then(|server| server.split_once('/')) {
        wake.server(namespace, name);
        wake.teams_of_server(namespace, name);
    }
}

fn wake_owner(wake: &Wake, kind: &str, of: &str) {
    let Some((namespace, name)) = of.split_once('/') else { return };
    if kind == SecretKind::TeamCredentials.suffix() {
        wake.team(namespace, name);
        wake.children_of_team(namespace, name);
    } else {
        wake.server(namespace, name);
    }
}
