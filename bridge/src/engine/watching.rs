//! The watches of the five kinds: they fill the stores and ring the queues.
//!
//! One watch a kind, or one a kind and namespace where the bridge may only look into some. They
//! run on a standby too, so that it can take over at once. A watch that fails starts again, ever
//! later up to a limit; only the first failure of a row is logged.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt};
use kube::api::Api;
use kube::runtime::WatchStreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Error, ResourceExt};

use super::placed::{Face, Placed};
use super::store::Change;
use super::{ObjectKey, Parts, Reason, timing};
use crate::crd::names::annotation::RECONCILE_AT;

/// Small pages: a page stands in memory beside the store.
const PAGE: u32 = 100;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// After so long without a failure a watch starts again as quickly as at first.
const QUIET: Duration = Duration::from_mins(1);

/// Watches one kind in one namespace, or in all, for ever.
pub(super) async fn watch<K: Placed>(parts: Parts, namespace: Option<String>) {
    let client = parts.kube.free();
    let api: Api<K> = match &namespace {
        Some(namespace) => Api::namespaced(client, namespace),
        None => Api::all(client),
    };
    let mut scope =
        Scope { parts, namespace, seen: HashSet::new(), listed: false, log: Log::new(K::KIND) };
    let mut events = std::pin::pin!(stream(api, watcher::Config::default().page_size(PAGE)));
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                scope.log.hears(&event);
                scope.take::<K>(event);
            }
            Err(error) => {
                scope.parts.metrics.watch_failed(K::KIND);
                scope.log.fails(&error);
                if matches!(status_of(&error), Some(403 | 404)) {
                    scope.listed::<K>();
                }
            }
        }
    }
}

/// The events of a watch that never ends.
pub(super) fn stream<K>(
    api: Api<K>,
    config: watcher::Config,
) -> impl Stream<Item = watcher::Result<Event<K>>> + Send
where
    K: kube::Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    watcher(api, config).backoff(Pause::default())
}

struct Scope {
    parts: Parts,
    /// None is all.
    namespace: Option<String>,
    /// What the list that is being read has held so far.
    seen: HashSet<ObjectKey>,
    listed: bool,
    log: Log,
}

impl Scope {
    fn take<K: Placed>(&mut self, event: Event<K>) {
        match event {
            Event::Init => self.seen = HashSet::new(),
            Event::InitApply(object) => {
                self.seen.insert(ObjectKey::of(&object));
                self.put(object);
            }
            Event::InitDone => {
                let seen = std::mem::take(&mut self.seen);
                let store = self.parts.stores.of::<K>();
                for key in store.missing(self.namespace.as_deref(), &seen) {
                    self.remove::<K>(&key);
                }
                self.listed::<K>();
            }
            Event::Apply(object) => self.put(object),
            Event::Delete(object) => self.remove::<K>(&ObjectKey::of(&object)),
        }
    }

    fn listed<K: Placed>(&mut self) {
        if !std::mem::replace(&mut self.listed, true) {
            self.parts.stores.of::<K>().scope_listed();
        }
    }

    fn put<K: Placed>(&self, object: K) {
        let (uid, version) = (object.uid(), object.resource_version());
        let change = self.parts.stores.of::<K>().put(object);
        // After the store has it, since whoever waits for it then reads the store.
        let own = match (&uid, &version) {
            (Some(uid), Some(version)) => self.parts.kube.own_writes().observe(uid, version),
            _ => false,
        };
        if let Some(change) = change {
            self.tell(&change, own, version.as_deref());
        }
    }

    fn remove<K: Placed>(&self, key: &ObjectKey) {
        let Some(change) = self.parts.stores.of::<K>().remove(key) else { return };
        if let Some(uid) = change.before.as_ref().and_then(|before| before.uid()) {
            self.parts.kube.own_writes().forget(&uid);
        }
        self.parts.wake.queue::<K>().with(|queue| queue.remove(key));
        self.tell(&change, true, None);
        if let Some(gone) = &change.before {
            gone.wake_heirs(&self.parts.wake);
        }
    }

    /// Queues the object, unless the change is our own echo, and wakes whom it concerns.
    fn tell<K: Placed>(&self, change: &Change<K>, own: bool, version: Option<&str>) {
        self.parts.namespace_watches.count::<K>(change);
        if !own {
            self.parts.wake.add::<K>(&change.key, reason_of(change), version);
        }
        let face = |object: &Arc<K>| Face::of(object.as_ref());
        if change.before.as_ref().map(face) != change.after.as_ref().map(face) {
            K::wake_dependants(&change.key, &self.parts.wake);
        }
    }
}

/// A person's wish is told from another change, so that a pass may look more closely.
fn reason_of<K: Placed>(change: &Change<K>) -> Reason {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return Reason::Changed;
    };
    let asked = |object: &K| object.annotations().get(RECONCILE_AT).cloned();
    match asked(after) {
        Some(now) if asked(before).as_ref() != Some(&now) => Reason::Requested,
        _ => Reason::Changed,
    }
}

/// The status that a watch failed with, if the API server answered.
pub(super) fn status_of(error: &watcher::Error) -> Option<u16> {
    use watcher::Error as Watch;
    match error {
        Watch::InitialListFailed(Error::Api(status))
        | Watch::WatchStartFailed(Error::Api(status))
        | Watch::WatchFailed(Error::Api(status))
        | Watch::WatchError(status) => Some(status.code),
        _ => None,
    }
}

/// Says once that a watch fails, and once that it works again.
pub(super) struct Log {
    what: &'static str,
    failing: bool,
}

impl Log {
    pub(super) const fn new(what: &'static str) -> Self {
        Self { what, failing: false }
    }

    pub(super) fn fails(&mut self, error: &watcher::Error) {
        // 410 is the API server's way to ask for a new list.
        let status = status_of(error);
        if status != Some(410) && !std::mem::replace(&mut self.failing, true) {
            tracing::warn!(kind = self.what, status, "a watch fails and is tried again");
            tracing::debug!(kind = self.what, %error, "why the watch fails");
        }
    }

    pub(super) fn hears<K>(&mut self, event: &Event<K>) {
        if !matches!(event, Event::Init) && std::mem::replace(&mut self.failing, false) {
            tracing::info!(kind = self.what, "a watch works again");
        }
    }
}

/// The pause before a watch starts again: doubled up to the limit, with jitter.
///
/// A watch says that it starts before it has reached anybody, so that its events do not tell that
/// it works again; only time without a failure does.
#[derive(Debug, Default)]
struct Pause {
    failures: u32,
    last: Option<Instant>,
}

impl Iterator for Pause {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if self.last.is_none_or(|last| now.duration_since(last) > QUIET) {
            self.failures = 0;
        }
        self.last = Some(now);
        self.failures = self.failures.saturating_add(1);
        Some(timing::backoff(self.failures, FIRST_PAUSE, LONGEST_PAUSE, rand::random()))
    }
}

impl Backoff for Pause {
    fn reset(&mut self) {}
}

#[cfg(test)]
mod tests;
