//! What is known of namespaces: their labels, whether the bridge may work in them, and the objects
//! that it made in them.
//!
//! Filled by [`watches`]; read by the consent check, the controllers and `access`. A right that is
//! missing in one namespace is a fact about that namespace alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use tokio::sync::watch;

pub(super) mod watches;

/// A kind of object that the bridge makes beside the custom resources, and therefore watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owned {
    /// Watched by its metadata alone, wherever there is a custom resource.
    Secret,
    /// Watched, as the following, where there is a TerdutServer.
    Deployment,
    /// See [`Owned::Deployment`].
    Service,
    /// See [`Owned::Deployment`].
    ServiceAccount,
    /// See [`Owned::Deployment`].
    PodDisruptionBudget,
    /// The same, if the cluster has the kind.
    HttpRoute,
}

impl Owned {
    /// What a namespace with a TerdutServer holds beside Secrets.
    pub const RENDERED: [Self; 5] = [
        Self::Deployment,
        Self::Service,
        Self::ServiceAccount,
        Self::PodDisruptionBudget,
        Self::HttpRoute,
    ];

    /// How the kind is reached.
    pub fn resource(self) -> ApiResource {
        let (group, version, kind) = self.names();
        ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
    }

    /// Group, version and kind.
    pub const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Secret => ("", "v1", "Secret"),
            Self::Deployment => ("apps", "v1", "Deployment"),
            Self::Service => ("", "v1", "Service"),
            Self::ServiceAccount => ("", "v1", "ServiceAccount"),
            Self::PodDisruptionBudget => ("policy", "v1", "PodDisruptionBudget"),
            Self::HttpRoute => ("gateway.networking.k8s.io", "v1", "HTTPRoute"),
        }
    }
}

/// Whether the bridge may work in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Not known yet: trying will tell.
    Unknown,
    /// It may.
    Granted,
    /// The API server refused a watch there.
    Refused,
}

/// One kind in one namespace.
#[derive(Debug, Default)]
struct Watched {
    /// What the last answer said; none before the first one.
    allowed: Option<bool>,
    objects: HashMap<String, Arc<DynamicObject>>,
}

/// Labels by namespace; none of a namespace that is not known.
type Labels = HashMap<String, Arc<BTreeMap<String, String>>>;

/// What is known of all namespaces.
#[derive(Debug)]
pub struct Namespaces {
    labels: Mutex<Labels>,
    labels_listed: watch::Sender<bool>,
    watched: Mutex<HashMap<String, BTreeMap<Owned, Watched>>>,
}

impl Namespaces {
    pub(super) fn new() -> Self {
        Self {
            labels: Mutex::default(),
            labels_listed: watch::Sender::new(false),
            watched: Mutex::default(),
        }
    }

    /// The labels of a namespace; none if the bridge may not see them.
    pub fn labels(&self, namespace: &str) -> Option<Arc<BTreeMap<String, String>>> {
        lock(&self.labels).get(namespace).cloned()
    }

    /// Whether the bridge may work in a namespace: refused as soon as one kind is.
    pub fn granted(&self, namespace: &str) -> Grant {
        let watched = lock(&self.watched);
        let Some(kinds) = watched.get(namespace) else { return Grant::Unknown };
        let answers = || kinds.values().map(|watched| watched.allowed);
        if answers().any(|allowed| allowed == Some(false)) {
            Grant::Refused
        } else if answers().all(|allowed| allowed == Some(true)) {
            Grant::Granted
        } else {
            Grant::Unknown
        }
    }

    /// An object that carries the bridge's label, as the watch saw it last. Of a Secret only its
    /// metadata. None may also mean that it lacks the label: a GET tells.
    pub fn owned(&self, kind: Owned, namespace: &str, name: &str) -> Option<Arc<DynamicObject>> {
        let watched = lock(&self.watched);
        watched.get(namespace)?.get(&kind)?.objects.get(name).cloned()
    }

    pub(super) async fn labels_listed(&self) {
        let mut listed = self.labels_listed.subscribe();
        // The sender lives as long as this.
        let _ = listed.wait_for(|listed| *listed).await;
    }

    pub(super) fn are_labels_listed(&self) -> bool {
        *self.labels_listed.borrow()
    }

    fn set_labels_listed(&self) {
        self.labels_listed.send_replace(true);
    }

    /// Whether that is news.
    fn set_labels(&self, namespace: &str, labels: Option<BTreeMap<String, String>>) -> bool {
        let mut known = lock(&self.labels);
        let before = known.get(namespace).map(AsRef::as_ref);
        if before == labels.as_ref() {
            return false;
        }
        match labels {
            Some(labels) => known.insert(namespace.to_owned(), Arc::new(labels)),
            None => known.remove(namespace),
        };
        true
    }

    /// The watch of that kind starts.
    fn watch(&self, namespace: &str, kind: Owned) {
        lock(&self.watched).entry(namespace.to_owned()).or_default().entry(kind).or_default();
    }

    /// The watch of that kind is over: nothing is known any more.
    fn unwatch(&self, namespace: &str, kind: Owned) {
        let mut watched = lock(&self.watched);
        let Some(kinds) = watched.get_mut(namespace) else { return };
        kinds.remove(&kind);
        if kinds.is_empty() {
            watched.remove(namespace);
        }
    }

    /// What the API server said to the watch: whether that changes the answer of
    /// [`Namespaces::granted`] from or to a refusal.
    fn allow(&self, namespace: &str, kind: Owned, allowed: bool) -> bool {
        let before = self.granted(namespace);
        self.change(namespace, kind, |watched| watched.allowed = Some(allowed));
        (before == Grant::Refused) != (self.granted(namespace) == Grant::Refused)
    }

    /// The bridge may work there, for tests of passes without a watch.
    #[cfg(test)]
    pub(crate) fn grant(&self, namespace: &str) {
        self.watch(namespace, Owned::Secret);
        self.allow(namespace, Owned::Secret, true);
    }

    fn put(&self, kind: Owned, object: DynamicObject) {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        self.change(&namespace, kind, |watched| {
            watched.objects.insert(name, Arc::new(object));
        });
    }

    fn remove(&self, kind: Owned, namespace: &str, name: &str) -> Option<Arc<DynamicObject>> {
        let mut watched = lock(&self.watched);
        watched.get_mut(namespace)?.get_mut(&kind)?.objects.remove(name)
    }

    fn names(&self, kind: Owned, namespace: &str) -> Vec<String> {
        let watched = lock(&self.watched);
        let objects = watched.get(namespace).and_then(|kinds| kinds.get(&kind));
        objects.map(|watched| watched.objects.keys().cloned().collect()).unwrap_or_default()
    }

    /// Only what is being watched is changed: a watch that was ended may have one more word.
    fn change(&self, namespace: &str, kind: Owned, change: impl FnOnce(&mut Watched)) {
        let mut watched = lock(&self.watched);
        if let Some(known) = watched.get_mut(namespace).and_then(|kinds| kinds.get_mut(&kind)) {
            change(known);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
