//! How the protocol, written as one straight line of calls, becomes a step function.
//!
//! The protocol's futures wait for nothing but this port: asking puts a command in, and the future
//! rests until [`super::Machine::step`] has put the event in. No runtime, no IO, no waker is behind
//! it; what looks like waiting is the machine's position.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use super::machine::{Command, Event};

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) command: Command,
    pub(super) event: Option<Event>,
}

/// The one opening between the protocol and whoever steps it.
#[derive(Debug, Clone)]
pub(super) struct Port(Arc<Mutex<Slot>>);

impl Port {
    /// A port whose first command is that one, until something is asked.
    pub(super) fn new(command: Command) -> Self {
        Self(Arc::new(Mutex::new(Slot { command, event: None })))
    }

    pub(super) fn slot(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a command out and rests until its event has come in.
    pub(super) async fn ask(&self, command: Command) -> Event {
        let mut asked = Some(command);
        poll_fn(move |_| {
            let mut slot = self.slot();
            if let Some(command) = asked.take() {
                *slot = Slot { command, event: None };
                return Poll::Pending;
            }
            slot.event.take().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}
