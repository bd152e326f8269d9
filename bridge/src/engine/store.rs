//! The objects of one kind, as the watches saw them last.
//!
//! Written by the watches, read by everybody. An object is stored once, without what nobody here
//! reads; of the kinds that come in thousands only its JSON, which takes a third of the memory and
//! is read anew for each pass. A list that is read anew replaces objects one by one, so that it
//! never stands in memory twice.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

use self::stored::{Entry, Ready};
use super::ObjectKey;
use super::placed::Placed;

mod stored;

pub(super) use stored::strip;

/// A store; shared by reference.
#[derive(Debug)]
pub struct KindStore<K> {
    inner: RwLock<Inner<K>>,
    /// How many scopes have not been listed yet.
    unlisted: watch::Sender<usize>,
}

#[derive(Debug)]
struct Inner<K> {
    objects: HashMap<ObjectKey, Entry<K>>,
    children: HashMap<ObjectKey, BTreeSet<ObjectKey>>,
}

/// How an object changed.
#[derive(Debug, Clone)]
pub struct Change<K> {
    /// Which.
    pub key: ObjectKey,
    /// What it was; none if it is new.
    pub before: Option<Arc<K>>,
    /// What it is; none if it is gone.
    pub after: Option<Arc<K>>,
}

impl<K: Placed> KindStore<K> {
    /// An empty store that is filled from so many lists.
    pub fn new(scopes: usize) -> Self {
        let inner = Inner { objects: HashMap::new(), children: HashMap::new() };
        Self { inner: RwLock::new(inner), unlisted: watch::Sender::new(scopes) }
    }

    /// An object.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.by_key(&ObjectKey::new(namespace, name))
    }

    /// The same by its key.
    pub fn by_key(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.read().objects.get(key)?.object()
    }

    /// Whether there is an object of that key.
    pub fn contains(&self, key: &ObjectKey) -> bool {
        self.read().objects.contains_key(key)
    }

    /// The objects that name that parent: a team's children, a server's teams.
    pub fn children_of(&self, parent: &ObjectKey) -> Vec<Arc<K>> {
        let inner = self.read();
        let Some(keys) = inner.children.get(parent) else { return Vec::new() };
        keys.iter().filter_map(|key| inner.objects.get(key)?.object()).collect()
    }

    /// Their keys.
    pub fn keys_of(&self, parent: &ObjectKey) -> Vec<ObjectKey> {
        let inner = self.read();
        inner.children.get(parent).map(|keys| keys.iter().cloned().collect()).unwrap_or_default()
    }

    /// The keys of those that are wanted, and that something keeps from being Ready.
    pub(super) fn waiting_of(&self, parent: &ObjectKey) -> Vec<ObjectKey> {
        let inner = self.read();
        let Some(keys) = inner.children.get(parent) else { return Vec::new() };
        let waits = |key: &&ObjectKey| inner.objects.get(*key).is_some_and(|entry| entry.waits);
        keys.iter().filter(waits).cloned().collect()
    }

    /// All keys, those of one parent beside each other, with whether the object's last pass left
    /// nothing to do.
    pub fn keys(&self) -> Vec<(ObjectKey, bool)> {
        let inner = self.read();
        let mut entries: Vec<_> = inner.objects.iter().collect();
        entries.sort_unstable_by_key(|(key, entry)| (&entry.parent, *key));
        entries.into_iter().map(|(key, entry)| (key.clone(), entry.settled)).collect()
    }

    /// The keys of the objects in one namespace.
    pub fn keys_in(&self, namespace: &str) -> Vec<ObjectKey> {
        let inner = self.read();
        inner.objects.keys().filter(|key| &*key.namespace == namespace).cloned().collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.read().objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many objects have each status of the condition Ready.
    pub(super) fn count(&self) -> [(&'static str, usize); 3] {
        let inner = self.read();
        Ready::ALL.map(|ready| {
            let count = inner.objects.values().filter(|entry| entry.ready == ready).count();
            (ready.as_str(), count)
        })
    }

    /// Resolves when every scope has been listed once, or may not be.
    pub async fn listed(&self) {
        let mut unlisted = self.unlisted.subscribe();
        // The sender lives as long as this store.
        let _ = unlisted.wait_for(|scopes| *scopes == 0).await;
    }

    /// Whether every scope has been listed once.
    pub fn is_listed(&self) -> bool {
        *self.unlisted.borrow() == 0
    }

    /// One more scope has been listed.
    pub(super) fn scope_listed(&self) {
        self.unlisted.send_modify(|scopes| *scopes = scopes.saturating_sub(1));
    }

    /// Takes an object in. None if the store has this version already.
    pub(super) fn put(&self, mut object: K) -> Option<Change<K>> {
        strip(object.meta_mut());
        let (key, parent) = (ObjectKey::of(&object), object.parent());
        let mut inner = self.write();
        let before = inner.objects.get(&key).and_then(Entry::object);
        if before.as_ref().is_some_and(|before| is_same(before.as_ref(), &object)) {
            return None;
        }
        let before_parent = before.as_ref().and_then(|before| before.parent());
        if before_parent != parent {
            inner.detach(before_parent.as_ref(), &key);
        }
        let parent = parent.map(|parent| inner.attach(parent, &key));
        let after = Arc::new(object);
        inner.objects.insert(key.clone(), Entry::new(&after, parent));
        Some(Change { key, before, after: Some(after) })
    }

    /// An object is gone.
    pub(super) fn remove(&self, key: &ObjectKey) -> Option<Change<K>> {
        let mut inner = self.write();
        let entry = inner.objects.remove(key)?;
        inner.detach(entry.parent.as_ref(), key);
        Some(Change { key: key.clone(), before: entry.object(), after: None })
    }

    /// The keys of that namespace, or of all, that a complete list did not hold.
    pub(super) fn missing(&self, scope: Option<&str>, seen: &HashSet<ObjectKey>) -> Vec<ObjectKey> {
        let inner = self.read();
        let in_scope =
            |key: &&ObjectKey| scope.is_none_or(|namespace| &*key.namespace == namespace);
        inner.objects.keys().filter(in_scope).filter(|key| !seen.contains(*key)).cloned().collect()
    }

    /// Takes an object in as a watch would, for tests of passes without one.
    #[cfg(test)]
    pub(crate) fn set(&self, object: K) {
        self.put(object);
    }

    /// Drops all but those objects, for tests of passes without a watch.
    #[cfg(test)]
    pub(crate) fn keep_only(&self, seen: &HashSet<ObjectKey>) {
        self.missing(None, seen).iter().for_each(|key| drop(self.remove(key)));
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner<K>> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner<K>> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Inner<K> {
    /// Returns the parent's key as the index holds it, which all its children share.
    fn attach(&mut self, parent: ObjectKey, key: &ObjectKey) -> ObjectKey {
        let shared = self.children.get_key_value(&parent).map(|(shared, _)| shared.clone());
        let parent = shared.unwrap_or(parent);
        self.children.entry(parent.clone()).or_default().insert(key.clone());
        parent
    }

    fn detach(&mut self, parent: Option<&ObjectKey>, key: &ObjectKey) {
        let Some(parent) = parent else { return };
        let Some(children) = self.children.get_mut(parent) else { return };
        children.remove(key);
        if children.is_empty() {
            self.children.remove(parent);
        }
    }
}

fn is_same<K: Placed>(before: &K, after: &K) -> bool {
    let (before, after) = (before.meta(), after.meta());
    before.uid == after.uid && before.resource_version == after.resource_version
}

#[cfg(test)]
mod tests;
