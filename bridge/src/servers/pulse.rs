//! Whether a server answers, told by every attempt to reach it.
//!
//! The transport tells of each attempt itself, so that no caller can forget to. Only silence counts
//! against a server, and a gateway's word that nobody is behind it; not our own silence: a replica
//! that may not act asked nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use terdut_client::{Gate, Observer};

use super::Breaker;
use crate::clock::Clock;
use crate::engine::{ObjectKey, Wake};

/// The pulse of one server; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pulse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: ObjectKey,
    breaker: Mutex<Breaker>,
    gate: Gate,
    clock: Clock,
    wake: Wake,
}

impl Pulse {
    pub(super) fn new(
        server: ObjectKey,
        breaker: Breaker,
        gate: Gate,
        clock: Clock,
        wake: Wake,
    ) -> Self {
        let breaker = Mutex::new(breaker);
        Self(Arc::new(Inner { server, breaker, gate, clock, wake }))
    }

    /// Whether a pass may ask the server now, and whether it is the one that finds out if that
    /// answers; else how long it should wait.
    pub(super) fn admit(&self) -> Result<bool, Duration> {
        let now = self.0.clock.now();
        let mut breaker = self.breaker();
        breaker.admit(now)?;
        Ok(breaker.is_probing())
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
            self.breaker().failed(now, rand::random_range(0.0..=1.0));
        }
    }

    /// If somebody was sent away meanwhile, all objects of the server are woken.
    fn answered(&self) {
        let is_back = self.breaker().answered();
        if is_back {
            let server = &self.0.server;
            tracing::info!(%server, "the server answers again");
            self.0.wake.all_of_server(&server.namespace, &server.name);
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
