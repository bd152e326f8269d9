//! What a request meets on its way: the hooks first, then what stands.

use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value as Json;

use super::rules::{Moment, Standing, Then};
use super::{Entry, Traffic};
use crate::cluster::process::{lock, signal};

const PAUSE: Duration = Duration::from_millis(1);

/// What becomes of a request.
#[derive(Debug)]
pub(in crate::cluster) enum Verdict {
    /// It goes on.
    Go,
    /// Its connection is closed without an answer.
    Drop,
    /// It is answered with this.
    Answer(u16, Json),
}

/// What becomes of a stream that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cluster) enum StreamState {
    Flowing,
    Stalled,
    Broken,
}

impl Traffic {
    /// What a request meets at a moment.
    pub(in crate::cluster) async fn meet(&self, number: usize, moment: Moment) -> Verdict {
        let (entry, hook) = {
            let mut state = lock(&self.shared.state);
            let entry = state.entries[number].clone();
            let hook = state.rules.strike(&entry, moment);
            (entry, hook)
        };
        let verdict = match hook {
            Some(hook) => self.carry_out(&entry, hook(&entry)).await,
            None => Verdict::Go,
        };
        match (verdict, moment) {
            (Verdict::Go, Moment::Before) => self.meet_standing(&entry).await,
            (verdict, _) => verdict,
        }
    }

    /// Whether a stream may flow now.
    pub(in crate::cluster) fn stream_state(&self, number: usize) -> StreamState {
        let state = lock(&self.shared.state);
        match state.rules.standing_for(&state.entries[number]) {
            Some(Standing::CutOff) => StreamState::Broken,
            Some(Standing::Stalled) => StreamState::Stalled,
            _ => StreamState::Flowing,
        }
    }

    async fn carry_out(&self, entry: &Entry, then: Then) -> Verdict {
        match then {
            Then::Continue => Verdict::Go,
            Then::Drop => Verdict::Drop,
            Then::Answer(status, body) => Verdict::Answer(status, body),
            Then::Kill => {
                signal(self.client_of(&entry.actor).await, Signal::SIGKILL);
                Verdict::Drop
            }
            // Whoever should let it go may be gone: the test is over then.
            Then::Hold(until) => match until.await {
                Ok(true) => Verdict::Go,
                Ok(false) | Err(_) => Verdict::Drop,
            },
        }
    }

    /// The process of an actor, which may have been started a moment ago.
    async fn client_of(&self, actor: &str) -> u32 {
        loop {
            let known = lock(&self.shared.state).client_of(actor);
            if let Some(pid) = known {
                return pid;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn meet_standing(&self, entry: &Entry) -> Verdict {
        let mut changes = self.changes();
        loop {
            let standing = lock(&self.shared.state).rules.standing_for(entry).cloned();
            match standing {
                None => return Verdict::Go,
                Some(Standing::CutOff) => return Verdict::Drop,
                Some(Standing::Answered(status, body)) => return Verdict::Answer(status, body),
                Some(Standing::Delayed(time)) => {
                    tokio::time::sleep(time).await;
                    return Verdict::Go;
                }
                Some(Standing::Stalled) => {
                    if changes.changed().await.is_err() {
                        return Verdict::Drop;
                    }
                }
            }
        }
    }
}
