//! What this replica wrote to the objects that it watches, until each write comes back.
//!
//! It answers two questions: is this change of an object our own echo (then no pass is due for
//! it), and has the store seen our last write (else a pass would work on an old object). Fed by
//! [`Kube`](super::Kube)'s writes and by the watches, asked by the engine. An object that is
//! neither passed over nor waited for takes no memory here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// A handle; all clones share one record.
#[derive(Debug, Clone, Default)]
pub struct OwnWrites(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    objects: Mutex<HashMap<String, Written>>,
    seen: Notify,
}

/// What is known of one object, by UID.
#[derive(Debug, Default)]
struct Written {
    /// The versions that our writes made, oldest first.
    versions: Vec<String>,
    /// The version that the store has.
    seen: Option<String>,
    /// Whether a pass over it runs.
    running: bool,
}

impl Written {
    fn is_seen(&self) -> bool {
        match (&self.seen, self.versions.last()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(seen), Some(written)) => at_least(seen, written),
        }
    }
}

/// Whether one version is the other or a later one. Only versions that are numbers can be
/// compared; others must be equal.
fn at_least(seen: &str, written: &str) -> bool {
    match (seen.parse::<u64>(), written.parse::<u64>()) {
        (Ok(seen), Ok(written)) => seen >= written,
        _ => seen == written,
    }
}

impl OwnWrites {
    /// A pass over the object starts; the store has that version.
    pub fn begin(&self, uid: &str, version: Option<&str>) {
        let mut objects = self.objects();
        let written = objects.entry(uid.to_owned()).or_default();
        written.running = true;
        written.seen = version.map(str::to_owned);
    }

    /// The pass is over: the versions that it wrote.
    pub fn end(&self, uid: &str) -> Vec<String> {
        let mut objects = self.objects();
        let Some(written) = objects.get_mut(uid) else { return Vec::new() };
        written.running = false;
        let versions = written.versions.clone();
        if written.is_seen() {
            objects.remove(uid);
        }
        versions
    }

    /// A write of ours was answered with that version.
    pub fn wrote(&self, uid: &str, version: &str) {
        let mut objects = self.objects();
        let written = objects.entry(uid.to_owned()).or_default();
        // A write that changes nothing is answered with the version that was there.
        if written.versions.iter().all(|known| known != version) {
            written.versions.push(version.to_owned());
        }
    }

    /// The store now has that version; whether it was made by us.
    pub fn observe(&self, uid: &str, version: &str) -> bool {
        let mut objects = self.objects();
        let Some(written) = objects.get_mut(uid) else { return false };
        let ours = written.versions.iter().any(|known| known == version);
        written.seen = Some(version.to_owned());
        if !written.running && written.is_seen() {
            objects.remove(uid);
        }
        drop(objects);
        self.0.seen.notify_waiters();
        ours
    }

    /// The object is gone.
    pub fn forget(&self, uid: &str) {
        self.objects().remove(uid);
        self.0.seen.notify_waiters();
    }

    /// Waits until the store has seen our last write. False if the limit came first; then the
    /// record is dropped, since the caller now reads the object itself.
    pub async fn wait_seen(&self, uid: &str, limit: Duration) -> bool {
        let seen = async {
            loop {
                let notified = self.0.seen.notified();
                if self.objects().get(uid).is_none_or(Written::is_seen) {
                    return;
                }
                notified.await;
            }
        };
        let in_time = tokio::time::timeout(limit, seen).await.is_ok();
        if !in_time {
            self.objects().remove(uid);
        }
        in_time
    }

    fn objects(&self) -> MutexGuard<'_, HashMap<String, Written>> {
        self.0.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    fn is_empty(own: &OwnWrites) -> bool {
        own.objects().is_empty()
    }

    #[test]
    fn an_echo_is_told_from_somebody_elses_write() {
        let own = OwnWrites::default();
        own.begin("a", Some("1"));
        own.wrote("a", "2");
        own.wrote("a", "4");
        assert!(own.observe("a", "2"));
        assert!(!own.observe("a", "3"));
        assert_eq!(own.end("a"), ["2", "4"]);
        assert!(own.observe("a", "4"));
        assert!(is_empty(&own));
    }

    #[test]
    fn a_pass_that_wrote_nothing_leaves_nothing() {
        let own = OwnWrites::default();
        own.begin("a", Some("1"));
        own.wrote("a", "1");
        assert_eq!(own.end("a"), ["1"]);
        assert!(is_empty(&own));
        assert!(!own.observe("b", "1"));
        assert!(is_empty(&own));
    }

    #[test]
    fn an_echo_that_was_faster_than_its_answer_is_not_waited_for() {
        let own = OwnWrites::default();
        own.begin("a", Some("1"));
        assert!(!own.observe("a", "2"));
        own.wrote("a", "2");
        assert_eq!(own.end("a"), ["2"]);
        assert!(is_empty(&own));
    }

    #[tokio::test]
    async fn waiting_ends_when_the_write_is_seen_or_a_later_one() {
        let own = OwnWrites::default();
        own.wrote("a", "9");
        let other = own.clone();
        let waiter = tokio::spawn(async move { other.wait_seen("a", LONG).await });
        tokio::task::yield_now().await;
        own.observe("a", "10");
        assert!(waiter.await.unwrap());
        assert!(own.wait_seen("unknown", LONG).await);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_has_an_end() {
        let own = OwnWrites::default();
        own.wrote("a", "x");
        own.observe("a", "y");
        assert!(!own.wait_seen("a", Duration::from_secs(5)).await);
        assert!(is_empty(&own));
    }
}
