//! The passes of one kind: as many at once as the settings allow, for as long as this replica may
//! act.
//!
//! When it takes over it starts with every object: those that are not settled first. A pass runs as
//! a task of its own, so that a panic ends only the pass. When the fence closes, the passes are
//! dropped at once; when the process is asked to end, they may finish.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::{Resource, ResourceExt};
use terdut_core::error::Class;
use terdut_core::value::GoDuration;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::placed::Placed;
use super::queue::Start;
use super::stores::group_of;
use super::timing::Timing;
use super::wake::KindQueue;
use super::{Controller, Next, ObjectKey, Parts, Pass, Reason};
use crate::clock::Clock;
use crate::crd::Kind;
use crate::crd::names::annotation::RESYNC_INTERVAL;
use crate::metrics::PassResult;

/// A pass that takes longer is dropped and tried again.
const PASS_LIMIT: Duration = Duration::from_mins(1);
/// How long a pass waits for the store to see the object's last write.
const ECHO_LIMIT: Duration = Duration::from_secs(5);
/// How long running passes may take to finish when the process ends.
const DRAIN_LIMIT: Duration = Duration::from_secs(15);

/// Runs passes until it is stopped. Whether none was cut short then.
pub(super) async fn run<C>(
    parts: Parts,
    controller: Arc<C>,
    timing: Timing,
    concurrency: usize,
    stop: CancellationToken,
) -> bool
where
    C: Controller,
    C::Object: Placed,
{
    parts.metrics.concurrency(C::Object::KIND, concurrency);
    let mut runner = Runner {
        parts,
        controller,
        timing,
        concurrency,
        passes: JoinSet::new(),
        running: HashMap::new(),
        term: 0,
    };
    let takes_over = async |runner: &Runner<C>| {
        runner.parts.fence.won().await;
        runner.parts.stores.listed().await;
    };
    while stop.run_until_cancelled(takes_over(&runner)).await.is_some() {
        if runner.parts.fence.is_ours() && runner.lead(&stop).await == Ended::Stopped {
            return runner.drain().await;
        }
    }
    true
}

struct Runner<C> {
    parts: Parts,
    controller: Arc<C>,
    timing: Timing,
    concurrency: usize,
    passes: JoinSet<Done>,
    running: HashMap<Id, Running>,
    /// The term of the fence in which the passes run.
    term: u64,
}

struct Running {
    key: ObjectKey,
    uid: String,
    started: Instant,
}

/// What a pass leaves behind.
struct Done {
    next: Next,
    group: ObjectKey,
    interval: Option<Duration>,
}

#[derive(PartialEq, Eq)]
enum Ended {
    Lost,
    Stopped,
}

impl<C> Runner<C>
where
    C: Controller,
    C::Object: Placed,
{
    async fn lead(&mut self, stop: &CancellationToken) -> Ended {
        self.term = self.parts.fence.term();
        self.start_with_everything();
        let parts = self.parts.clone();
        let queue = parts.wake.queue::<C::Object>();
        loop {
            while self.passes.len() < self.concurrency && self.start_next() {}
            tokio::select! {
                biased;
                () = parts.fence.lost(self.term) => {
                    queue.open(false);
                    self.abandon().await;
                    return Ended::Lost;
                }
                () = stop.cancelled() => {
                    queue.open(false);
                    return Ended::Stopped;
                }
                Some(ended) = self.passes.join_next_with_id() => self.finish(ended),
                () = queue.rung() => {}
                // While every place is taken, one whose time has come could not be started, and
                // its timer would ring on and on.
                () = time_comes(queue, &parts.clock), if self.passes.len() < self.concurrency => {}
            }
        }
    }

    fn start_with_everything(&self) {
        self.queue().open(true);
        for (key, settled) in self.parts.stores.of::<C::Object>().keys() {
            let reason = if settled { Reason::Resync } else { Reason::Changed };
            self.parts.wake.add::<C::Object>(&key, reason, None);
        }
    }

    fn queue(&self) -> &KindQueue {
        self.parts.wake.queue::<C::Object>()
    }

    /// Starts the pass over the next object, if one waits.
    fn start_next(&mut self) -> bool {
        let now = self.parts.clock.now();
        let Some(start) = self.queue().with(|queue| queue.next(now)).flatten() else {
            return false;
        };
        self.parts.metrics.pass_started(C::Object::KIND, start.waited);
        let key = start.key.clone();
        let object = self.parts.stores.of::<C::Object>().by_key(&key);
        let uid = object.as_ref().and_then(|object| object.uid()).unwrap_or_default();
        let span = tracing::info_span!(
            "pass",
            kind = C::Object::KIND,
            namespace = &*key.namespace,
            name = &*key.name,
            reason = ?start.reason,
        );
        let pass = one(self.parts.clone(), Arc::clone(&self.controller), start, uid.clone());
        let task = self.passes.spawn(pass.instrument(span));
        self.running.insert(task.id(), Running { key, uid, started: Instant::now() });
        true
    }

    fn finish(&mut self, ended: Result<(Id, Done), JoinError>) {
        let (id, done) = match ended {
            Ok((id, done)) => (id, Some(done)),
            Err(error) => (error.id(), None),
        };
        let Some(running) = self.running.remove(&id) else { return };
        let done = done.unwrap_or_else(|| self.panicked(&running));
        let own = self.parts.kube.own_writes().end(&running.uid);
        let failed = matches!(done.next, Next::Retry(_));
        let result = match done.next {
            Next::Settled | Next::Gone => PassResult::Success,
            Next::Waiting => PassResult::Requeue,
            Next::Retry(_) => PassResult::Error,
        };
        self.parts.metrics.pass_ended(C::Object::KIND, result, running.started.elapsed());
        let (timing, now) = (self.timing, self.parts.clock.now());
        self.queue().with(|queue| {
            let failures = queue.failures(&running.key).saturating_add(1);
            let due =
                timing.after(&done.next, failures, &done.group, done.interval, now, rand::random());
            queue.finish(&running.key, failed, due, &own, now);
        });
    }

    /// The panic itself was logged by the hook.
    fn panicked(&self, running: &Running) -> Done {
        tracing::error!(kind = C::Object::KIND, object = %running.key, "a pass panicked");
        self.parts.metrics.pass_panicked(C::Object::KIND);
        Done { next: Next::retry(Class::Invalid), group: running.key.clone(), interval: None }
    }

    /// Drops all passes and waits until none runs any more.
    async fn abandon(&mut self) {
        self.passes.abort_all();
        while let Some(ended) = self.passes.join_next_with_id().await {
            self.forget(ended);
        }
        self.running.clear();
    }

    /// Lets the running passes finish. Whether they did.
    async fn drain(mut self) -> bool {
        let (fence, term) = (self.parts.fence.clone(), self.term);
        let finished = async {
            while let Some(ended) = self.passes.join_next_with_id().await {
                self.forget(ended);
            }
        };
        let drained = tokio::select! {
            biased;
            () = finished => true,
            () = fence.lost(term) => false,
            () = tokio::time::sleep(DRAIN_LIMIT) => false,
        };
        self.abandon().await;
        drained
    }

    fn forget(&mut self, ended: Result<(Id, Done), JoinError>) {
        let id = ended.map_or_else(|error| error.id(), |(id, _)| id);
        if let Some(running) = self.running.remove(&id) {
            self.parts.kube.own_writes().end(&running.uid);
            let took = running.started.elapsed();
            self.parts.metrics.pass_ended(C::Object::KIND, PassResult::Requeue, took);
        }
    }
}

/// Resolves when an object's time comes.
async fn time_comes(queue: &KindQueue, clock: &Clock) {
    match queue.with(|queue| queue.next_due()).flatten() {
        Some(at) => tokio::time::sleep(at.since(clock.now())).await,
        None => std::future::pending().await,
    }
}

/// One pass over one object, with its deadline.
async fn one<C>(parts: Parts, controller: Arc<C>, start: Start, uid: String) -> Done
where
    C: Controller,
    C::Object: Placed,
{
    let gone = || Done { next: Next::Gone, group: start.key.clone(), interval: None };
    let object = match current::<C::Object>(&parts, &start.key, &uid).await {
        Ok(Some(object)) => object,
        Ok(None) => return gone(),
        Err(class) => return Done { next: Next::retry(class), ..gone() },
    };
    let meta = object.meta();
    let uid = meta.uid.clone().unwrap_or_default();
    parts.kube.own_writes().begin(&uid, meta.resource_version.as_deref());
    let pass = Pass::new(start.reason, meta.generation.unwrap_or_default(), &uid)
        .with(start.failures, parts.kube.own_writes());
    let (group, interval) = (group_of(object.as_ref()), interval_of(object.as_ref()));
    let reconcile = controller.reconcile(object, &pass);
    let next = tokio::time::timeout(PASS_LIMIT, reconcile).await.unwrap_or_else(|_| {
        tracing::warn!("a pass took longer than {PASS_LIMIT:?} and is tried again");
        Next::retry(Class::Unreachable)
    });
    tracing::debug!(?next, "a pass ended");
    Done { next, group, interval }
}

/// The object as the store has it, which is at least as new as our own last write to it; if the
/// store is too far behind, as the API server has it.
async fn current<K: Placed>(
    parts: &Parts,
    key: &ObjectKey,
    uid: &str,
) -> Result<Option<Arc<K>>, Class> {
    if parts.kube.own_writes().wait_seen(uid, ECHO_LIMIT).await {
        return Ok(parts.stores.of::<K>().by_key(key));
    }
    let read = tokio::time::timeout(PASS_LIMIT, parts.kube.read::<K>(&key.namespace, &key.name));
    match read.await {
        Ok(Ok(object)) => Ok(object.map(Arc::new)),
        Ok(Err(error)) => {
            tracing::warn!(%error, "an object could not be read");
            Err(error.class.core())
        }
        Err(_) => Err(Class::Unreachable),
    }
}

/// The object's own wish how often it is re-read; what cannot be read is no wish.
fn interval_of<K: Kind>(object: &K) -> Option<Duration> {
    let text = object.annotations().get(RESYNC_INTERVAL)?;
    text.trim().parse::<GoDuration>().ok().map(GoDuration::to_std)
}

#[cfg(test)]
mod tests;
