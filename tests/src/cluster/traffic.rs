//! Every request between bridges and what they talk to: logged, counted, and disturbed on demand.
//!
//! Several [`super::Proxy`]s report to one [`Traffic`], so that a rule counts over all of them and
//! the log shows who came first. A rule is either standing (cut off, stalled, delayed, answered)
//! until [`Traffic::restore`], or a hook that strikes once at the n-th request that it fits.

mod entry;
mod filter;
mod held;
mod meeting;
mod rules;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::sync::watch;

pub use entry::{Entry, Side};
pub use filter::Filter;
pub use held::Held;
pub use rules::{Moment, Then};

use super::process::lock;
pub(super) use meeting::{StreamState, Verdict};
use rules::{Rules, Standing};

/// A shorter text turns up by chance.
const SHORTEST_SECRET: usize = 12;

/// What goes through the proxies of one test.
#[derive(Debug, Clone)]
pub struct Traffic {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Counts the changes of standing rules: what waits or streams looks again.
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<Entry>,
    rules: Rules,
    /// The process behind each actor.
    clients: Vec<(String, u32)>,
    secrets: Vec<String>,
}

impl Default for Traffic {
    fn default() -> Self {
        let shared = Shared { state: Mutex::default(), changes: watch::Sender::new(0) };
        Self { shared: Arc::new(shared) }
    }
}

impl Traffic {
    /// All requests so far, in the order in which they arrived.
    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.shared.state).entries.clone()
    }

    /// The requests that a filter fits.
    pub fn matching(&self, filter: &Filter) -> Vec<Entry> {
        let state = lock(&self.shared.state);
        state.entries.iter().filter(|entry| filter.fits(entry)).cloned().collect()
    }

    /// How many requests a filter fits.
    pub fn count(&self, filter: &Filter) -> usize {
        let state = lock(&self.shared.state);
        state.entries.iter().filter(|entry| filter.fits(entry)).count()
    }

    /// Where the log ends now, for [`Filter::after`].
    pub fn mark(&self) -> usize {
        lock(&self.shared.state).entries.len()
    }

    /// Every key and token that was seen: none may turn up in a log, an Event or a status.
    pub fn secrets(&self) -> Vec<String> {
        lock(&self.shared.state).secrets.clone()
    }

    /// Closes the connections of these requests, and of those to come, without an answer.
    pub fn cut_off(&self, filter: Filter) {
        self.stand(filter, Standing::CutOff);
    }

    /// Lets these requests, and the streams that are open already, hang until [`Traffic::restore`].
    pub fn stall(&self, filter: Filter) {
        self.stand(filter, Standing::Stalled);
    }

    /// Lets these requests wait before they are passed on.
    pub fn delay(&self, filter: Filter, time: Duration) {
        self.stand(filter, Standing::Delayed(time));
    }

    /// Answers these requests itself.
    pub fn answer(&self, filter: Filter, status: u16, body: Json) {
        self.stand(filter, Standing::Answered(status, body));
    }

    /// Takes away all standing rules; hooks stay.
    pub fn restore(&self) {
        lock(&self.shared.state).rules.standing.clear();
        self.changed();
    }

    /// Calls a function at the `nth` request from now on that fits, counted from 1, and does what
    /// it says. It runs on the proxy's thread and must not wait; [`Traffic::hold`] is for that.
    pub fn hook(
        &self,
        filter: Filter,
        nth: usize,
        moment: Moment,
        then: impl FnOnce(&Entry) -> Then + Send + 'static,
    ) {
        lock(&self.shared.state).rules.add_hook(filter, nth, moment, Box::new(then));
    }

    /// Kills (`kill -9`) the process that sends the `nth` request that fits, at that moment.
    pub fn kill_at(&self, filter: Filter, nth: usize, moment: Moment) {
        self.hook(filter, nth, moment, |_| Then::Kill);
    }

    /// Holds the `nth` request that fits until the test lets it go.
    pub fn hold(&self, filter: Filter, nth: usize, moment: Moment) -> Held {
        let (held, hook) = Held::new();
        self.hook(filter, nth, moment, hook);
        held
    }

    /// Takes away all hooks that have not struck.
    pub fn forget_hooks(&self) {
        lock(&self.shared.state).rules.forget_hooks();
    }

    /// Says which process is behind an actor, for [`Traffic::kill_at`].
    pub(super) fn client_is(&self, actor: &str, pid: u32) {
        let mut state = lock(&self.shared.state);
        state.clients.retain(|(known, _)| known != actor);
        state.clients.push((actor.to_owned(), pid));
    }

    /// Logs a request; its number, counted from 0.
    pub(super) fn begin(&self, entry: Entry, secrets: &[String]) -> usize {
        let mut state = lock(&self.shared.state);
        let number = state.entries.len();
        state.entries.push(Entry { number, ..entry });
        state.remember(secrets);
        number
    }

    /// Logs that the upstream is asked now.
    pub(super) fn passed_on(&self, number: usize) {
        lock(&self.shared.state).entries[number].passed_on = Some(Instant::now());
    }

    /// Logs what the upstream answered.
    pub(super) fn answered(&self, number: usize, status: u16, secrets: &[String]) {
        let mut state = lock(&self.shared.state);
        let entry = &mut state.entries[number];
        (entry.status, entry.answered) = (Some(status), Some(Instant::now()));
        state.remember(secrets);
    }

    /// A receiver that hears of changes of standing rules.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    fn stand(&self, filter: Filter, standing: Standing) {
        lock(&self.shared.state).rules.standing.push((filter, standing));
        self.changed();
    }

    fn changed(&self) {
        self.shared.changes.send_modify(|count| *count += 1);
    }
}

impl State {
    fn client_of(&self, actor: &str) -> Option<u32> {
        self.clients.iter().find_map(|(known, pid)| (known == actor).then_some(*pid))
    }

    fn remember(&mut self, secrets: &[String]) {
        for secret in secrets {
            if secret.len() >= SHORTEST_SECRET && !self.secrets.contains(secret) {
                self.secrets.push(secret.clone());
            }
        }
    }
}
