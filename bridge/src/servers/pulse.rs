//! Whether a server answers, told by every attempt to reach it.
//!
//! The transport tells of each attempt itself, so that no caller can forget to. Only silence counts
//! against a server, and a gateway's word that nobody is behind it; not our own silence: a replica
//! that may not act asked nothing.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use terdut_client::{Gate, Observer};

use super::Breaker;
use crate::clock::Clock;
use crate::engine::{KindKey, ObjectKey, Wake};

/// The pulse of one server; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pulse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: ObjectKey,
    state: Mutex<State>,
    gate: Gate,
    clock: Clock,
    wake: Wake,
}

#[derive(Debug)]
struct State {
    breaker: Breaker,
    /// Those whose passes are made again when the server answers: they were sent away, or had to
    /// find out. Whose own request failed comes again by itself, later each time: one route may be
    /// out of order for longer than the server.
    waiting: BTreeSet<KindKey>,
}

impl Pulse {
    pub(super) fn new(
        server: ObjectKey,
        breaker: Breaker,
        gate: Gate,
        clock: Clock,
        wake: Wake,
    ) -> Self {
        let state = Mutex::new(State { breaker, waiting: BTreeSet::new() });
        Self(Arc::new(Inner { server, state, gate, clock, wake }))
    }

    /// Whether a pass may ask the server now, and whether it is the one that finds out if that
    /// answers; else how long it should wait.
    pub(super) fn admit(&self, asker: KindKey) -> Result<bool, Duration> {
        let now = self.0.clock.now();
        let mut state = self.state();
        let admitted = state.breaker.admit(now).map(|()| state.breaker.is_probing());
        if admitted != Ok(false) {
            state.waiting.insert(asker);
        }
        admitted
    }

    /// An observer that feels the pulse and then tells the other.
    pub(super) fn observer(&self, other: Observer) -> Observer {
        let pulse = self.clone();
        Observer::new(move |attempt| {
            pulse.attempted(attempt.status);
            other.tell(attempt);
        })
    }

    /// What an attempt ended with.
    pub(super) fn attempted(&self, status: Option<u16>) {
        match status {
            None | Some(502..=504) => self.silent(),
            Some(_) => self.answered(),
        }
    }

    fn silent(&self) {
        if self.0.gate.is_open() {
            let now = self.0.clock.now();
            self.state().breaker.failed(now, rand::random_range(0.0..=1.0));
        }
    }

    /// Those who wait for it are woken.
    fn answered(&self) {
        let mut state = self.state();
        if !state.breaker.answered() {
            return;
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        tracing::info!(server = %self.0.server, "the server answers again");
        for object in &waiting {
            self.0.wake.object(object);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
