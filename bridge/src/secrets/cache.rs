//! What is known of the bridge's own Secrets.
//!
//! Filled by the watch and by every read and write of the store. An older version never replaces a
//! newer one: the watch may be behind what was just written. It holds keys, so it cannot be printed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use terdut_core::record::{Data, SecretKind, TeamRecord};
use tokio::sync::watch;

/// One Secret.
#[derive(Clone)]
pub(super) struct Kept {
    /// Its name.
    pub(super) secret: String,
    /// The object that it is of: `namespace/name`.
    pub(super) of: String,
    /// What it is for.
    pub(super) kind: String,
    /// Its resourceVersion.
    pub(super) version: String,
    /// Its content.
    pub(super) data: Data,
}

/// All of them; clones share.
#[derive(Clone)]
pub(super) struct Cache(Arc<Inner>);

struct Inner {
    all: Mutex<HashMap<String, Kept>>,
    listed: watch::Sender<bool>,
}

impl Default for Cache {
    fn default() -> Self {
        Self(Arc::new(Inner { all: Mutex::default(), listed: watch::Sender::new(false) }))
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cache").finish_non_exhaustive()
    }
}

impl Cache {
    pub(super) fn get(&self, secret: &str) -> Option<Kept> {
        self.lock().get(secret).cloned()
    }

    /// Takes a version in; whether it was news.
    pub(super) fn put(&self, kept: Kept) -> bool {
        let mut all = self.lock();
        let known = all.get(&kept.secret).map(|known| known.version.as_str());
        if known.is_some_and(|known| !is_newer(&kept.version, known)) {
            return false;
        }
        all.insert(kept.secret.clone(), kept);
        true
    }

    pub(super) fn forget(&self, secret: &str) -> Option<Kept> {
        self.lock().remove(secret)
    }

    /// The names of all.
    pub(super) fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// What the first of the teams' records gives; with each comes the object that it is of.
    pub(super) fn find_team<T>(&self, found: impl Fn(&str, &TeamRecord) -> Option<T>) -> Option<T> {
        let kind = SecretKind::TeamCredentials.suffix();
        let all = self.lock();
        let mut teams = all.values().filter(|kept| kept.kind == kind);
        teams.find_map(|kept| found(&kept.of, &TeamRecord::parse(&kept.data)?))
    }

    /// Everything that there is has been put in.
    pub(super) fn set_listed(&self) {
        self.0.listed.send_replace(true);
    }

    pub(super) fn is_listed(&self) -> bool {
        *self.0.listed.borrow()
    }

    pub(super) async fn listed(&self) {
        let mut listed = self.0.listed.subscribe();
        // The sender lives as long as this.
        let _ = listed.wait_for(|listed| *listed).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a version is newer. Versions of one resource grow; what is no number is taken for news.
fn is_newer(version: &str, known: &str) -> bool {
    match (version.parse::<u64>(), known.parse::<u64>()) {
        (Ok(version), Ok(known)) => version > known,
        _ => version != known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(version: &str) -> Kept {
        let text = |text: &str| text.to_owned();
        let (secret, of, kind) = (text("a.b-team-credentials"), text("a/b"), String::new());
        Kept { secret, of, kind, version: text(version), data: Data::new() }
    }

    #[test]
    fn an_older_version_is_no_news() {
        let cache = Cache::default();
        assert!(cache.put(kept("9")));
        assert!(!cache.put(kept("9")) && !cache.put(kept("8")));
        assert!(cache.put(kept("10")));
        assert_eq!(cache.get("a.b-team-credentials").unwrap().version, "10");
        assert!(cache.forget("a.b-team-credentials").is_some());
        assert!(cache.put(kept("1")), "a Secret that was made again");
    }

    #[test]
    fn keys_cannot_be_printed() {
        let cache = Cache::default();
        let data = Data::from([("token".to_owned(), b"canary".to_vec())]);
        cache.put(Kept { data, ..kept("1") });
        assert!(!format!("{cache:?}").contains("canary"));
    }
}
