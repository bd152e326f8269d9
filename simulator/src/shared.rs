//! What all connections of one simulator share. The pipeline, the admin port and
//! [`crate::Simulator`] hold it; a lock must never be held across a wait.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
    pub(crate) downtime: Duration,
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
        if self.restarts.send(Restart { downtime, begun }).is_err() {
            tracing::debug!("restart of a simulator that has ended");
        }
        old.cancel();
        receiver
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
