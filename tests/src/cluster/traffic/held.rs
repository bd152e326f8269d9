//! A request that stands still while a test does something.

use std::time::Duration;

use tokio::sync::oneshot;

use super::{Entry, Then};

/// A hook that holds a request; dropping it drops the request.
#[derive(Debug)]
pub struct Held {
    reached: oneshot::Receiver<Entry>,
    release: oneshot::Sender<bool>,
}

impl Held {
    pub(super) fn new() -> (Self, impl FnOnce(&Entry) -> Then + Send + 'static) {
        let (tell, reached) = oneshot::channel();
        let (release, until) = oneshot::channel();
        let hook = move |entry: &Entry| {
            // A test that no longer listens does not hold anything either.
            let _ = tell.send(entry.clone());
            Then::Hold(until)
        };
        (Self { reached, release }, hook)
    }

    /// Waits until the request stands there.
    ///
    /// # Panics
    /// If it does not come in time.
    pub async fn reached(&mut self, limit: Duration) -> Entry {
        let reached = tokio::time::timeout(limit, &mut self.reached).await;
        let reached = reached.unwrap_or_else(|_| panic!("no such request within {limit:?}"));
        reached.expect("its proxy runs")
    }

    /// Lets it go on.
    pub fn release(self) {
        let _ = self.release.send(true);
    }

    /// Closes its connection.
    pub fn drop_it(self) {
        let _ = self.release.send(false);
    }
}
