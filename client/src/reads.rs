//! List reads that are shared and remembered.
//!
//! Called by `Client` for every list. Readers of one list at one time share one request; its
//! answer lives until something of that kind is written, [`Reads::forget`] is called, or it is 30
//! seconds old. A write whose answer says all that it changed (a switch made or removed) is brought
//! into the remembered list instead, so that a thousand of them do not ask for it a thousand times.
//! A fresh read is answered by a request that has not left when it asks. Errors are never
//! remembered. An answer to a request that was under way when a write began or ended reaches those
//! who waited for it, and nobody later.

mod change;

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use terdut_core::api::{Reply, Request};
use terdut_core::error::ApiError;
use terdut_core::ids::{AccountId, TeamId};

use crate::transport::Departure;
use change::Change;

/// How long an answer may be used.
const LIFETIME: Duration = Duration::from_secs(30);
/// How old an answer may be that has to be as good as its reader's own.
const RECENT: Duration = Duration::from_secs(10);

/// Which answer will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One that is remembered.
    Any,
    /// One that is hardly older than its reader.
    Recent,
    /// One to a request that has not left when its reader comes. Whoever asks later may share it.
    Fresh,
}

/// Where the time comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Arc::new(Instant::now))
    }

    /// A clock that says what `now` says.
    pub fn new(now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    fn now(&self) -> Instant {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clock")
    }
}

/// What a list shows: a write to the same makes it stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Users,
    Accounts,
    Keys(AccountId),
    Teams,
    Switches(TeamId),
    Integrations(TeamId),
}

impl Subject {
    /// What the answer to a request shows, if it is a list.
    pub(crate) fn read_by(request: &Request) -> Option<Self> {
        Some(match request {
            Request::ListUsers => Self::Users,
            Request::ListAccounts { .. } => Self::Accounts,
            Request::ListKeys { account } => Self::Keys(*account),
            Request::ListTeams => Self::Teams,
            Request::ListSwitches { team } => Self::Switches(*team),
            Request::ListIntegrations { team } => Self::Integrations(*team),
            _ => return None,
        })
    }

    /// Whether a write changes what this list shows.
    fn is_changed_by(self, request: &Request) -> bool {
        use Request as R;
        match (self, request) {
            (
                Self::Users,
                R::Bootstrap { .. }
                | R::CreateUser { .. }
                | R::DeleteUser { .. }
                | R::SetTopic { .. },
            )
            // A team's accounts may go with it.
            | (
                Self::Accounts,
                R::CreateAccount { .. } | R::DeleteAccount { .. } | R::DeleteTeam { .. },
            )
            | (
                Self::Teams,
                R::CreateTeam { .. }
                | R::RenameTeam { .. }
                | R::SetGroups { .. }
                | R::DeleteTeam { .. },
            ) => true,
            (
                Self::Keys(of),
                R::MintKey { account, .. }
                | R::RevokeKey { account, .. }
                | R::DeleteAccount { account },
            ) => of == *account,
            (
                Self::Switches(of),
                R::CreateSwitch { team, .. } | R::DeleteSwitch { team, .. } | R::DeleteTeam { team },
            )
            | (
                Self::Integrations(of),
                R::CreateIntegration { team, .. }
                | R::RenameIntegration { team, .. }
                | R::DeleteIntegration { team, .. }
                | R::DeleteTeam { team },
            ) => of == *team,
            _ => false,
        }
    }
}

type Outcome = Result<Reply, ApiError>;
type Underway = Shared<BoxFuture<'static, Outcome>>;

#[derive(Debug)]
struct Entry {
    subject: Subject,
    started: Instant,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Weak: a request that nobody waits for any more is dropped, not left half done.
    Underway {
        ticket: u64,
        departure: Departure,
        request: WeakShared<BoxFuture<'static, Outcome>>,
        /// What was written since it was asked for.
        changes: Vec<Change>,
    },
    Answered(Reply),
}

impl Entry {
    fn is_younger(&self, than: Duration, now: Instant) -> bool {
        now.saturating_duration_since(self.started) < than
    }

    fn will_do(&self, wanted: Wanted, now: Instant) -> bool {
        match (wanted, &self.state) {
            (Wanted::Any, State::Answered(_)) => self.is_younger(LIFETIME, now),
            (Wanted::Any, State::Underway { .. }) => true,
            (Wanted::Recent, _) => self.is_younger(RECENT, now),
            (Wanted::Fresh, State::Answered(_)) => false,
            (Wanted::Fresh, State::Underway { departure, .. }) => !departure.has_left(),
        }
    }

    fn change(&mut self, change: &Change) {
        match &mut self.state {
            State::Underway { changes, .. } => changes.push(change.clone()),
            State::Answered(reply) => *reply = change.onto(reply.clone()),
        }
    }

    fn is_of_use(&self, now: Instant) -> bool {
        match &self.state {
            State::Underway { request, .. } => request.upgrade().is_some(),
            State::Answered(_) => self.is_younger(LIFETIME, now),
        }
    }
}

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<String, Entry>,
    tickets: u64,
}

/// The lists of one server, seen with one key.
#[derive(Debug)]
pub(crate) struct Reads {
    clock: Clock,
    table: Mutex<Table>,
}

impl Reads {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self { clock, table: Mutex::default() })
    }

    /// Nothing remembered, with the same clock.
    pub(crate) fn emptied(&self) -> Arc<Self> {
        Self::new(self.clock.clone())
    }

    /// The answer to a list request: remembered, under way, or fetched.
    pub(crate) async fn read<F>(
        self: &Arc<Self>,
        wanted: Wanted,
        key: String,
        subject: Subject,
        fetch: impl FnOnce(Departure) -> F,
    ) -> Outcome
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        match self.find_or_start(wanted, key, subject, fetch) {
            Ok(reply) => Ok(reply),
            Err(underway) => underway.await,
        }
    }

    fn find_or_start<F>(
        self: &Arc<Self>,
        wanted: Wanted,
        key: String,
        subject: Subject,
        fetch: impl FnOnce(Departure) -> F,
    ) -> Result<Reply, Underway>
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let now = self.clock.now();
        let mut table = self.table();
        if let Some(entry) = table.entries.get(&key).filter(|entry| entry.will_do(wanted, now)) {
            match &entry.state {
                State::Answered(reply) => return Ok(reply.clone()),
                State::Underway { request, .. } => {
                    if let Some(underway) = request.upgrade() {
                        return Err(underway);
                    }
                }
            }
        }
        // Processes live for days: what is stale must not pile up.
        table.entries.retain(|_, entry| entry.is_of_use(now));
        table.tickets += 1;
        let ticket = table.tickets;
        let departure = Departure::default();
        let underway = self.settled(key.clone(), ticket, fetch(departure.clone()));
        if let Some(request) = underway.downgrade() {
            let state = State::Underway { ticket, departure, request, changes: Vec::new() };
            table.entries.insert(key, Entry { subject, started: now, state });
        }
        Err(underway)
    }

    /// The fetch, which remembers its own answer. Whoever waits may have asked after a write that
    /// the server had not done when it answered: what was written meanwhile is brought in.
    fn settled<F>(self: &Arc<Self>, key: String, ticket: u64, fetch: F) -> Underway
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let reads = Arc::clone(self);
        let settled = async move { reads.settle(&key, ticket, fetch.await) };
        settled.boxed().shared()
    }

    fn settle(&self, key: &str, ticket: u64, outcome: Outcome) -> Outcome {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(key) else { return outcome };
        let State::Underway { ticket: current, changes, .. } = &entry.state else { return outcome };
        if *current != ticket {
            return outcome;
        }
        match outcome {
            Ok(reply) => {
                let reply = changes.iter().fold(reply, |reply, change| change.onto(reply));
                entry.state = State::Answered(reply.clone());
                Ok(reply)
            }
            Err(error) => {
                table.entries.remove(key);
                Err(error)
            }
        }
    }

    /// Forgets all lists.
    pub(crate) fn forget(&self) {
        self.table().entries.clear();
    }

    /// Forgets what a write changes, now and when the returned guard is dropped: the write may
    /// take effect at any moment between, even when its answer is lost or nobody waits for it.
    /// What [`Writing::answered`] can bring into the lists is not forgotten before that: until a
    /// write is answered, a list without it is as true as one with it.
    pub(crate) fn writing(self: &Arc<Self>, request: &Request) -> Writing {
        let writing = Writing { reads: Arc::clone(self), request: request.clone(), known: false };
        if !Change::may_come_of(request) {
            writing.forget_changed();
        }
        writing
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write under way.
#[derive(Debug)]
pub(crate) struct Writing {
    reads: Arc<Reads>,
    request: Request,
    /// Whether the lists know what came of it.
    known: bool,
}

impl Writing {
    /// Brings what the answer says into the lists that show it, if it says all of it.
    pub(crate) fn answered(mut self, reply: &Reply) {
        let Some(change) = Change::of(&self.request, reply) else { return };
        let mut table = self.reads.table();
        for entry in table.entries.values_mut() {
            if entry.subject.is_changed_by(&self.request) {
                entry.change(&change);
            }
        }
        drop(table);
        self.known = true;
    }

    fn forget_changed(&self) {
        let mut table = self.reads.table();
        table.entries.retain(|_, entry| !entry.subject.is_changed_by(&self.request));
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.known {
            self.forget_changed();
        }
    }
}

#[cfg(test)]
mod tests;
