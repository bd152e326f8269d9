//! The lease's decisions, without time or network: both are arguments.
//!
//! It remembers which version of the record it saw when, and what it wrote itself. A lease is
//! free when it has no holder, or when it has not changed for its duration by this machine's own
//! clock. A lease that bears this process's name was written by it.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use crate::clock::Moment;
use crate::settings::LeaseTimes;

/// How often a standby looks: the clean hand-over takes at most this and two requests.
const LOOK: Duration = Duration::from_secs(1);

/// What the Lease says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Who holds it; empty when nobody does.
    pub holder: String,
    /// For how many seconds after its last change.
    pub seconds: i32,
    /// Since when, by the holder's wall clock: for people.
    pub acquired: Option<Timestamp>,
    /// When it was renewed, by the holder's wall clock: for people.
    pub renewed: Option<Timestamp>,
    /// How often the holder changed.
    pub transitions: i32,
}

/// A record with the version that it was read or written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The Lease's resource version.
    pub version: String,
    /// What it says.
    pub record: Record,
}

/// What to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Nothing: somebody else holds it.
    Watch,
    /// There is none: make one that is ours.
    Create(Record),
    /// Write it, if it still has that version.
    Replace {
        /// The version that was seen.
        version: String,
        /// What it should say.
        record: Record,
    },
}

/// One candidate.
#[derive(Debug, Clone)]
pub struct Machine {
    identity: String,
    times: LeaseTimes,
    /// The version that was seen last, and when it was seen first.
    observed: Option<(String, Moment)>,
    /// What we wrote last, if nothing was seen since then that speaks against it.
    ours: Option<Seen>,
    /// When the lease of the one who holds it may be taken.
    free_at: Option<Moment>,
}

impl Machine {
    /// A candidate that has seen nothing. No other process may ever have this identity.
    pub fn new(identity: &str, times: LeaseTimes) -> Self {
        Self { identity: identity.to_owned(), times, observed: None, ours: None, free_at: None }
    }

    /// What we know the Lease says, without reading it: our own last write.
    pub fn known(&self) -> Option<&Seen> {
        self.ours.as_ref()
    }

    /// What follows from what is seen now.
    pub fn decide(&mut self, seen: Option<Seen>, now: Moment, wall: Timestamp) -> Act {
        let Some(seen) = seen else {
            return Act::Create(self.record(&Record::default(), wall));
        };
        let since = self.observe(&seen.version, now);
        let free_at = since.plus(self.expiry(&seen.record));
        let held_by_another = !seen.record.holder.is_empty() && seen.record.holder != self.identity;
        if held_by_another && now < free_at {
            self.free_at = Some(free_at);
            return Act::Watch;
        }
        self.free_at = None;
        Act::Replace { record: self.record(&seen.record, wall), version: seen.version }
    }

    /// The write that was sent at that time was answered: until when this replica may act. The
    /// time of sending counts, since others may have seen the change that early.
    pub fn written(&mut self, seen: Seen, sent: Moment) -> Option<Moment> {
        let ours = seen.record.holder == self.identity;
        self.observe(&seen.version, sent);
        self.ours = ours.then_some(seen);
        ours.then(|| sent.plus(self.times.deadline))
    }

    /// The write failed, or its answer was lost: read the Lease before the next one.
    pub fn forget(&mut self) {
        self.ours = None;
    }

    /// How long to wait before the next look.
    pub fn pause(&self, now: Moment) -> Duration {
        if self.ours.is_some() {
            return self.times.retry;
        }
        let look = LOOK.min(self.times.retry);
        match self.free_at {
            Some(free_at) if free_at > now => look.min(free_at.since(now)),
            _ => look,
        }
    }

    /// What gives the lease back, if it is ours: a record without a holder.
    pub fn release(&self, seen: &Seen) -> Option<(String, Record)> {
        (seen.record.holder == self.identity).then(|| {
            let record = Record { holder: String::new(), seconds: 1, ..seen.record.clone() };
            (seen.version.clone(), record)
        })
    }

    /// Since when this version has been seen.
    fn observe(&mut self, version: &str, now: Moment) -> Moment {
        match &self.observed {
            Some((known, since)) if known == version => *since,
            _ => {
                self.observed = Some((version.to_owned(), now));
                now
            }
        }
    }

    /// The longer of what the holder says and what we would say: a holder with other settings
    /// keeps its time.
    fn expiry(&self, record: &Record) -> Duration {
        let said = Duration::from_secs(u64::try_from(record.seconds).unwrap_or(0));
        said.max(self.times.duration)
    }

    fn record(&self, before: &Record, wall: Timestamp) -> Record {
        let renewal = before.holder == self.identity;
        let seconds =
            self.times.duration.as_secs() + u64::from(self.times.duration.subsec_nanos() > 0);
        Record {
            holder: self.identity.clone(),
            seconds: i32::try_from(seconds).unwrap_or(i32::MAX),
            acquired: if renewal { before.acquired } else { Some(wall) },
            renewed: Some(wall),
            transitions: before.transitions.saturating_add(i32::from(!renewal)),
        }
    }
}

#[cfg(test)]
mod tests;
