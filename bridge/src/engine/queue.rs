//! Which object of one kind is passed over next. Pure: the time is an argument, nothing waits.
//!
//! An object is in the queue once, however often it is put there; it is never handed out twice at
//! a time; a change that comes in during its pass makes another one, unless it is the echo of what
//! that pass wrote. There are three lanes: what is new or changed (or was asked for), what was
//! woken or is tried again, and re-reads. A higher lane goes first, but now and then a lower one
//! gets its turn, so that none starves.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use super::timing::Due;
use super::{ObjectKey, Reason};
use crate::clock::Moment;

/// One of so many turns goes to the lowest lane that waits.
const TURNS: u32 = 16;

/// Objects of one kind: those that wait for a pass, those that are passed over, those whose time
/// will come.
#[derive(Debug, Default)]
pub struct Queue {
    entries: HashMap<ObjectKey, Entry>,
    lanes: [VecDeque<(ObjectKey, u64)>; 3],
    timers: BTreeSet<(Moment, ObjectKey)>,
    next_ticket: u64,
    turn: u32,
    waiting: usize,
}

/// An object that is handed out for a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Which.
    pub key: ObjectKey,
    /// Why.
    pub reason: Reason,
    /// How many passes failed in a row.
    pub failures: u32,
    /// How long it waited.
    pub waited: Duration,
}

#[derive(Debug)]
struct Entry {
    state: State,
    failures: u32,
}

#[derive(Debug)]
enum State {
    /// Not queued; its time may come.
    Idle(Option<(Moment, Reason)>),
    Queued {
        reason: Reason,
        ticket: u64,
        since: Moment,
    },
    Running {
        /// Changes that came in meanwhile, with the version that each made.
        changes: Vec<(Reason, Option<String>)>,
        /// The object is gone.
        gone: bool,
    },
}

impl Entry {
    /// What is new or changed has not failed yet.
    const fn forgive(&mut self, reason: Reason) {
        if lane(reason) == 0 {
            self.failures = 0;
        }
    }
}

const fn lane(reason: Reason) -> usize {
    match reason {
        Reason::Changed | Reason::Requested => 0,
        Reason::Woken | Reason::Retry => 1,
        Reason::Resync => 2,
    }
}

impl Queue {
    /// Puts an object into its lane, or notes the change if it is being passed over. A change made
    /// by a watch carries the version that it made. Returns whether somebody should look.
    pub fn add(
        &mut self,
        key: &ObjectKey,
        reason: Reason,
        version: Option<&str>,
        now: Moment,
    ) -> bool {
        let idle = || Entry { state: State::Idle(None), failures: 0 };
        let entry = self.entries.entry(key.clone()).or_insert_with(idle);
        // During a pass it may be the echo of what that writes: only its end tells.
        if !matches!(entry.state, State::Running { .. }) {
            entry.forgive(reason);
        }
        match &mut entry.state {
            State::Running { changes, gone } => {
                *gone = false;
                changes.push((reason, version.map(str::to_owned)));
                return false;
            }
            State::Queued { reason: queued, .. } if lane(reason) >= lane(*queued) => {
                *queued = (*queued).max(reason);
                return false;
            }
            State::Queued { .. } => {}
            State::Idle(due) => {
                if let Some((at, _)) = due.take() {
                    self.timers.remove(&(at, key.clone()));
                }
                self.waiting += 1;
            }
        }
        self.enqueue(key, reason, now);
        true
    }

    fn enqueue(&mut self, key: &ObjectKey, reason: Reason, now: Moment) {
        self.next_ticket += 1;
        let ticket = self.next_ticket;
        self.lanes[lane(reason)].push_back((key.clone(), ticket));
        if let Some(entry) = self.entries.get_mut(key) {
            // Whoever moves to a higher lane has waited since it came into the lower one.
            let since = match entry.state {
                State::Queued { since, .. } => since,
                State::Idle(_) | State::Running { .. } => now,
            };
            entry.state = State::Queued { reason, ticket, since };
        }
    }

    /// The next object, which counts as being passed over until [`Queue::finish`].
    pub fn next(&mut self, now: Moment) -> Option<Start> {
        self.promote(now);
        self.turn = (self.turn + 1) % TURNS;
        let order = if self.turn == 0 { [2, 1, 0] } else { [0, 1, 2] };
        order.into_iter().find_map(|lane| self.pop(lane, now))
    }

    fn pop(&mut self, lane: usize, now: Moment) -> Option<Start> {
        while let Some((key, ticket)) = self.lanes[lane].pop_front() {
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            let State::Queued { reason, ticket: current, since } = entry.state else { continue };
            // It moved to a higher lane and left this place behind.
            if ticket != current {
                continue;
            }
            entry.state = State::Running { changes: Vec::new(), gone: false };
            self.waiting -= 1;
            let (failures, waited) = (entry.failures, now.since(since));
            return Some(Start { key, reason, failures, waited });
        }
        None
    }

    /// Puts those whose time has come into their lanes.
    fn promote(&mut self, now: Moment) {
        while let Some((at, key)) = self.timers.first().cloned() {
            if at > now {
                return;
            }
            self.timers.pop_first();
            let reason = match self.entries.get(&key).map(|entry| &entry.state) {
                Some(State::Idle(Some((due, reason)))) if *due == at => *reason,
                _ => continue,
            };
            self.waiting += 1;
            self.enqueue(&key, reason, now);
        }
    }

    /// When the next object's time comes.
    pub fn next_due(&self) -> Option<Moment> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// How many objects wait in the lanes.
    pub fn depth(&self) -> usize {
        self.waiting
    }

    /// How many passes over the object have failed in a row, the running one not counted.
    pub fn failures(&self, key: &ObjectKey) -> u32 {
        self.entries.get(key).map_or(0, |entry| entry.failures)
    }

    /// The pass is over. `own` are the versions that it wrote: a change that made one of them is
    /// its echo. Returns whether the object is queued again.
    pub fn finish(
        &mut self,
        key: &ObjectKey,
        failed: bool,
        due: Due,
        own: &[String],
        now: Moment,
    ) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let State::Running { changes, gone } = &mut entry.state else { return false };
        let (changes, gone) = (std::mem::take(changes), *gone);
        entry.failures = if failed { entry.failures.saturating_add(1) } else { 0 };
        let again = changes.into_iter().filter(|(_, version)| !is_own(version.as_ref(), own));
        match again.map(|(reason, _)| reason).max() {
            Some(reason) => {
                entry.forgive(reason);
                entry.state = State::Idle(None);
                self.waiting += 1;
                self.enqueue(key, reason, now);
                true
            }
            None if gone => {
                self.entries.remove(key);
                false
            }
            None => {
                self.rest(key, due);
                false
            }
        }
    }

    fn rest(&mut self, key: &ObjectKey, due: Due) {
        let timer = match due {
            Due::Never => None,
            Due::Resync(at) => Some((at, Reason::Resync)),
            Due::Retry(at) => Some((at, Reason::Retry)),
        };
        if let Some((at, _)) = timer {
            self.timers.insert((at, key.clone()));
        }
        if let Some(entry) = self.entries.get_mut(key) {
            entry.state = State::Idle(timer);
        }
    }

    /// The object is gone: nothing of it is kept, once its pass is over.
    pub fn remove(&mut self, key: &ObjectKey) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        match &mut entry.state {
            State::Running { changes, gone } => {
                changes.clear();
                *gone = true;
                return;
            }
            State::Queued { .. } => self.waiting -= 1,
            State::Idle(Some((at, _))) => {
                self.timers.remove(&(*at, key.clone()));
            }
            State::Idle(None) => {}
        }
        self.entries.remove(key);
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

fn is_own(version: Option<&String>, own: &[String]) -> bool {
    version.is_some_and(|version| own.contains(version))
}

#[cfg(test)]
mod tests;
