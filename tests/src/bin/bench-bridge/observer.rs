//! When each object became ready, as a watch of the API server tells it.
//!
//! It watches during the write floor too, so that its own cost is on both sides of the ratio.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use terdut_tests::cluster::{Client, Kind, conditions, kind};
use terdut_tests::harness::wait_for;
use tokio::task::JoinSet;

const KINDS: [Kind; 4] = [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE];
/// An open watch on a quiet cluster says nothing for a minute at a time.
const SILENCE: Duration = Duration::from_mins(2);

/// Kind, namespace and name.
type Key = (&'static str, String, String);

/// Four open watches; they end when it is dropped.
#[derive(Debug)]
pub(crate) struct Observer {
    ready: Arc<Mutex<HashMap<Key, Instant>>>,
    _watches: JoinSet<()>,
}

impl Observer {
    /// Begins to watch all namespaces.
    pub(crate) fn start(client: &Client) -> Self {
        let ready = Arc::new(Mutex::new(HashMap::new()));
        let mut watches = JoinSet::new();
        for kind in KINDS {
            watches.spawn(follow(client.clone(), kind, Arc::clone(&ready)));
        }
        Self { ready, _watches: watches }
    }

    /// How many objects were seen ready.
    pub(crate) fn count(&self) -> usize {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// When an object was first seen ready.
    pub(crate) fn when(&self, kind: Kind, namespace: &str, name: &str) -> Option<Instant> {
        let key = (kind.kind, namespace.to_owned(), name.to_owned());
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    /// Waits until so many are ready; when the last of them was.
    pub(crate) async fn wait(&self, count: usize, limit: Duration) -> Instant {
        let enough = || async { self.count() >= count };
        wait_for(&format!("{count} objects are ready"), limit, enough).await;
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        ready.values().max().copied().unwrap_or_else(Instant::now)
    }
}

async fn follow(client: Client, kind: Kind, ready: Arc<Mutex<HashMap<Key, Instant>>>) {
    loop {
        let mut watch = client.watch(kind, "").await;
        while let Some(event) = watch.next(SILENCE).await {
            let object = &event["object"];
            if conditions::holds(object, "Ready") {
                let text =
                    |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
                let key = (kind.kind, text("namespace"), text("name"));
                let mut ready = ready.lock().unwrap_or_else(PoisonError::into_inner);
                ready.entry(key).or_insert_with(Instant::now);
            }
        }
    }
}
