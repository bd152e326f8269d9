//! What all connections of one simulator share. The pipeline, the admin port and
//! [`crate::Simulator`] hold it; a lock must never be held across a wait.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::fault::FaultBook;
use crate::log::RequestLog;
use crate::options::Assumptions;
use crate::store::{Owner, Store};

/// What the routes work on.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) assumptions: Assumptions,
}

/// An order to the accept loop: not to listen for a while.
#[derive(Debug)]
pub(crate) struct Restart {
    /// How long; `None`: until it is told to come back.
    pub(crate) downtime: Option<Duration>,
    /// Told when the old connections are gone and the downtime has begun.
    pub(crate) begun: std::sync::mpsc::SyncSender<()>,
}

/// Everything but the sockets.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) world: Mutex<World>,
    pub(crate) faults: Mutex<FaultBook>,
    pub(crate) log: Mutex<RequestLog>,
    pub(crate) base: String,
    pub(crate) latency: Duration,
    pub(crate) state_file: Option<PathBuf>,
    /// Ends everything.
    pub(crate) stop: CancellationToken,
    /// Ends the connections of the time until the next restart.
    pub(crate) generation: Mutex<CancellationToken>,
    pub(crate) restarts: UnboundedSender<Restart>,
    /// Whether anybody listens.
    pub(crate) listening: AtomicBool,
    /// Ends a downtime.
    pub(crate) back: Notify,
    /// When the requests of the last second came.
    pub(crate) recent: Mutex<VecDeque<Instant>>,
    pub(crate) started: Instant,
}

/// Locks, whatever happened to another holder: a panic in one test's closure is that test's.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    /// Writes the state file, if there is one.
    pub(crate) fn save(&self, world: &World) {
        let Some(path) = &self.state_file else { return };
        if let Err(error) = world.store.tables.save(path) {
            tracing::error!(path = %path.display(), %error, "the state file cannot be written");
        }
    }

    /// Drops every connection and does not listen for a while. The receiver hears when it began.
    pub(crate) fn restart(&self, downtime: Duration) -> std::sync::mpsc::Receiver<()> {
        let (begun, receiver) = std::sync::mpsc::sync_channel(1);
        let next = self.stop.child_token();
        let old = std::mem::replace(&mut *lock(&self.generation), next);
        self.order(Restart { downtime: Some(downtime), begun });
        old.cancel();
        receiver
    }

    fn order(&self, restart: Restart) {
        if self.restarts.send(restart).is_err() {
            tracing::debug!("restart of a simulator that has ended");
        }
    }

    /// Listens no more until it is told to come back. Returns when nobody listens; what is being
    /// answered may still be sent.
    pub(crate) async fn leave(&self) {
        let (begun, _) = std::sync::mpsc::sync_channel(1);
        self.order(Restart { downtime: None, begun });
        while self.listening.load(Ordering::Acquire) {
            tokio::task::yield_now().await;
        }
    }

    /// Ends a downtime, if there is one.
    pub(crate) fn come_back(&self) {
        if !self.listening.load(Ordering::Acquire) {
            self.back.notify_one();
        }
    }

    /// Whether one more request in this second is one too many; if not, it is counted.
    pub(crate) fn is_too_many(&self, limit: Option<usize>) -> bool {
        let (Some(limit), now) = (limit, Instant::now()) else { return false };
        let mut recent = lock(&self.recent);
        while recent.front().is_some_and(|at| now.duration_since(*at) >= Duration::from_secs(1)) {
            recent.pop_front();
        }
        let too_many = recent.len() >= limit;
        if !too_many {
            recent.push_back(now);
        }
        too_many
    }

    /// Makes a person with an admin key; the key's text.
    pub(crate) fn seed_admin(&self) -> String {
        let mut world = self.world();
        let store = &mut world.store;
        let number = store.next_id();
        let username = format!("admin-{number}");
        let email = format!("{username}@example.org");
        let user = store.add_user(username, email).id;
        let key = store.add_key(Owner::User(user), "seed".to_owned()).text.clone();
        self.save(&world);
        key
    }
}
