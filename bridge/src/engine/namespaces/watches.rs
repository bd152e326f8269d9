//! The watches behind [`Namespaces`](super::Namespaces), started and ended with need.
//!
//! A namespace is watched from its first custom resource to its last; the rendered kinds only while
//! there is a TerdutServer. Everything is selected by the bridge's label. A refusal is tried again
//! for ever: a role may be granted later. What happens to an object wakes the custom resource that
//! owns it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{Api, DynamicObject, PartialObjectMeta, TypeMeta};
use kube::runtime::watcher::{Config, Event};
use kube::{Resource, ResourceExt};
use tokio::task::AbortHandle;

use super::{Owned, lock};
use crate::crd::names::{GROUP, annotation, label};
use crate::crd::{Kind, TerdutServer};
use crate::engine::placed::Placed;
use crate::engine::store::{Change, strip};
use crate::engine::watching::{Log, status_of, stream};
use crate::engine::{Stores, Wake};
use crate::kube::Kube;

/// How often labels are looked at where namespaces may not be watched.
const LABELS_INTERVAL: Duration = Duration::from_secs(15);
/// How often a kind that the cluster lacks is asked for.
const KIND_INTERVAL: Duration = Duration::from_secs(10);

/// Starts and ends watches; cheap to clone.
#[derive(Clone)]
pub(in crate::engine) struct Watches {
    kube: Kube,
    stores: Stores,
    wake: Wake,
    running: Arc<Mutex<HashMap<String, Running>>>,
}

/// The watches of one namespace, and what they are for.
#[derive(Default)]
struct Running {
    objects: usize,
    servers: usize,
    tasks: HashMap<Owned, AbortHandle>,
}

impl Watches {
    pub(in crate::engine) fn new(kube: Kube, stores: Stores, wake: Wake) -> Self {
        Self { kube, stores, wake, running: Arc::default() }
    }

    /// Counts a custom resource that came or went, and starts or ends watches accordingly.
    pub(in crate::engine) fn count<K: Placed>(&self, change: &Change<K>) {
        let step = match (&change.before, &change.after) {
            (None, Some(_)) => 1,
            (Some(_), None) => -1,
            _ => return,
        };
        let namespace = &*change.key.namespace;
        let mut running = lock(&self.running);
        let known = running.entry(namespace.to_owned()).or_default();
        known.objects = known.objects.saturating_add_signed(step);
        if K::KIND == TerdutServer::KIND {
            known.servers = known.servers.saturating_add_signed(step);
        }
        self.adjust(namespace, known);
        if known.objects == 0 {
            running.remove(namespace);
        }
    }

    fn adjust(&self, namespace: &str, known: &mut Running) {
        let secrets = std::iter::once((Owned::Secret, known.objects > 0));
        let rendered = Owned::RENDERED.into_iter().map(|kind| (kind, known.servers > 0));
        for (kind, wanted) in secrets.chain(rendered) {
            match (wanted, known.tasks.contains_key(&kind)) {
                (true, false) => {
                    self.stores.namespaces().watch(namespace, kind);
                    let task = tokio::spawn(self.clone().watch(namespace.to_owned(), kind));
                    known.tasks.insert(kind, task.abort_handle());
                }
                (false, true) => {
                    if let Some(task) = known.tasks.remove(&kind) {
                        task.abort();
                    }
                    self.stores.namespaces().unwatch(namespace, kind);
                }
                _ => {}
            }
        }
    }

    async fn watch(self, namespace: String, kind: Owned) {
        match kind {
            Owned::Secret => {
                let api = Api::namespaced(self.kube.free(), &namespace);
                self.follow(api, &namespace, kind, secret).await;
            }
            rendered => {
                if rendered == Owned::HttpRoute {
                    self.kind_is_there(&namespace, rendered).await;
                }
                let api = self.dynamic(&namespace, rendered);
                self.follow(api, &namespace, rendered, |object| object).await;
            }
        }
    }

    fn dynamic(&self, namespace: &str, kind: Owned) -> Api<DynamicObject> {
        Api::namespaced_with(self.kube.free(), namespace, &kind.resource())
    }

    /// Resolves when the cluster has the kind. That it lacks it is no refusal.
    async fn kind_is_there(&self, namespace: &str, kind: Owned) {
        let (group, version, name) = kind.names();
        loop {
            match self.kube.discover(group, version, name).await {
                Ok(Some(_)) => return,
                Ok(None) => {
                    self.stores.namespaces().allow(namespace, kind, true);
                }
                Err(_) => {}
            }
            tokio::time::sleep(KIND_INTERVAL).await;
        }
    }

    async fn follow<K>(
        &self,
        api: Api<K>,
        namespace: &str,
        kind: Owned,
        convert: fn(K) -> DynamicObject,
    ) where
        K: Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug + Send + 'static,
    {
        let selector = format!("{}={}", label::MANAGED_BY, crate::crd::names::MANAGER);
        let config = Config::default().labels(&selector).page_size(100);
        let mut events = std::pin::pin!(stream(api, config));
        let (mut log, mut listed) = (Log::new(kind.names().2), HashSet::new());
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => {
                    log.hears(&event);
                    self.take(namespace, kind, event, convert, &mut listed);
                }
                Err(error) => {
                    log.fails(&error);
                    if status_of(&error) == Some(403) {
                        self.allow(namespace, kind, false);
                    }
                }
            }
        }
    }

    fn take<K>(
        &self,
        namespace: &str,
        kind: Owned,
        event: Event<K>,
        convert: fn(K) -> DynamicObject,
        listed: &mut HashSet<String>,
    ) {
        match event {
            Event::Init => listed.clear(),
            Event::InitApply(object) => {
                let object = convert(object);
                listed.insert(object.name_any());
                self.put(kind, object);
            }
            Event::InitDone => {
                for name in self.stores.namespaces().names(kind, namespace) {
                    if !listed.contains(&name) {
                        self.remove(kind, namespace, &name);
                    }
                }
                self.allow(namespace, kind, true);
            }
            Event::Apply(object) => self.put(kind, convert(object)),
            Event::Delete(object) => self.remove(kind, namespace, &convert(object).name_any()),
        }
    }

    fn allow(&self, namespace: &str, kind: Owned, allowed: bool) {
        if self.stores.namespaces().allow(namespace, kind, allowed) {
            tracing::info!(namespace, granted = allowed, "the rights in a namespace changed");
            self.wake.all_in_namespace(namespace);
        }
    }

    fn put(&self, kind: Owned, mut object: DynamicObject) {
        strip(&mut object.metadata);
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let known = self.stores.namespaces().owned(kind, &namespace, &object.name_any());
        if known.is_some_and(|known| known.resource_version() == object.resource_version()) {
            return;
        }
        self.wake_owner(&object);
        self.stores.namespaces().put(kind, object);
    }

    fn remove(&self, kind: Owned, namespace: &str, name: &str) {
        if let Some(object) = self.stores.namespaces().remove(kind, namespace, name) {
            self.wake_owner(&object);
        }
    }

    fn wake_owner(&self, object: &DynamicObject) {
        let namespace = object.namespace().unwrap_or_default();
        for owner in object.owner_references() {
            if owner.api_version.split('/').next() != Some(GROUP) {
                continue;
            }
            match owner.kind.as_str() {
                "TerdutServer" => self.wake.server(&namespace, &owner.name),
                "TerdutAlertSource" => self.wake.alert_source(&namespace, &owner.name),
                _ => {}
            }
        }
        let retained = object.annotations().get(annotation::RETAINED_BY);
        if let Some((namespace, name)) = retained.and_then(|owner| owner.split_once('/')) {
            self.wake.server(namespace, name);
        }
    }

    /// Follows the labels of all namespaces, for ever.
    pub(in crate::engine) async fn follow_labels(self) {
        let api: Api<PartialObjectMeta<Namespace>> = Api::all(self.kube.free());
        let mut events = std::pin::pin!(stream(api, Config::default().page_size(100)));
        let mut log = Log::new("Namespace");
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => {
                    log.hears(&event);
                    self.take_labels(event);
                }
                Err(error) => {
                    log.fails(&error);
                    if status_of(&error) == Some(403) {
                        self.stores.namespaces().set_labels_listed();
                    }
                }
            }
        }
    }

    fn take_labels(&self, event: Event<PartialObjectMeta<Namespace>>) {
        match event {
            Event::Apply(namespace) | Event::InitApply(namespace) => {
                let name = namespace.name_any();
                self.set_labels(&name, Some(namespace.metadata.labels.unwrap_or_default()));
            }
            Event::Delete(namespace) => self.set_labels(&namespace.name_any(), None),
            Event::Init => {}
            Event::InitDone => self.stores.namespaces().set_labels_listed(),
        }
    }

    /// Looks at the labels of those namespaces now and then, for ever: a role in a namespace may
    /// allow to get it, but none can allow to watch it. Where even that is refused there are none.
    pub(in crate::engine) async fn poll_labels(self, namespaces: Vec<String>) {
        let api: Api<PartialObjectMeta<Namespace>> = Api::all(self.kube.free());
        loop {
            for name in &namespaces {
                match api.get_metadata_opt(name).await {
                    Ok(found) => {
                        let labels = found.map(|found| found.metadata.labels.unwrap_or_default());
                        self.set_labels(name, labels);
                    }
                    Err(kube::Error::Api(status)) if status.code == 403 => {
                        self.set_labels(name, None);
                    }
                    // What was known stays: an API server that is away revokes nothing.
                    Err(error) => tracing::debug!(%name, %error, "labels were not read"),
                }
            }
            self.stores.namespaces().set_labels_listed();
            tokio::time::sleep(LABELS_INTERVAL).await;
        }
    }

    /// Looks now and then for kinds that were asked for and missing, for ever. An arrival wakes the
    /// servers, since theirs are the objects of such kinds.
    pub(in crate::engine) async fn await_kinds(self) {
        loop {
            tokio::time::sleep(KIND_INTERVAL).await;
            if self.kube.rediscover().await {
                self.wake.all_servers();
            }
        }
    }

    /// Teams are judged by their namespace's labels, and children through their team.
    fn set_labels(&self, namespace: &str, labels: Option<BTreeMap<String, String>>) {
        if self.stores.namespaces().set_labels(namespace, labels) {
            self.wake.all_in_namespace(namespace);
        }
    }
}

/// A Secret's metadata; its content is never asked for.
fn secret(object: PartialObjectMeta<Secret>) -> DynamicObject {
    DynamicObject {
        types: Some(TypeMeta { api_version: "v1".to_owned(), kind: "Secret".to_owned() }),
        metadata: object.metadata,
        data: serde_json::Value::Null,
    }
}
