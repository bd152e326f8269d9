//! What an object's conditions say.
//!
//! Controllers end a pass with a [`Report`]; [`conditions`] makes it the list that is written. Both
//! are pure: the time is an argument, and the same report over the same list gives the same list, so
//! that a pass which changes nothing writes nothing. A message is fixed text: no times, no random
//! text, nothing that a server said.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

mod failure;
mod reason;

#[cfg(test)]
mod tests;

pub use failure::from_error;
pub use reason::Reason;

/// Whether something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It is.
    True,
    /// It is not.
    False,
    /// Nobody can tell.
    Unknown,
}

impl Truth {
    /// As a condition says it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// What one condition says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Whether it is so.
    pub status: Truth,
    /// Why, in one word.
    pub reason: Reason,
    /// Why, and what to do about it.
    pub message: String,
}

impl State {
    /// It is so.
    pub fn yes(reason: Reason, message: impl Into<String>) -> Self {
        Self { status: Truth::True, reason, message: message.into() }
    }

    /// It is not so.
    pub fn no(reason: Reason, message: impl Into<String>) -> Self {
        Self { status: Truth::False, reason, message: message.into() }
    }

    /// Nobody can tell.
    pub fn unknown(reason: Reason, message: impl Into<String>) -> Self {
        Self { status: Truth::Unknown, reason, message: message.into() }
    }
}

/// What a pass found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whether what the manifest asks for is there and works.
    pub ready: State,
    /// Whether the spec of this generation is applied.
    pub synced: State,
    /// What fails of an update or a deletion; the condition goes when nothing does.
    pub degraded: Option<State>,
    /// Whether the server's database is there (TerdutServer).
    pub database_ready: Option<State>,
    /// Whether the bridge has a key to the server (TerdutServer).
    pub bootstrapped: Option<State>,
}

impl Report {
    /// Applied and working.
    pub fn ready() -> Self {
        Self {
            ready: State::yes(Reason::Available, "It is on the server as its manifest says."),
            synced: State::yes(Reason::Applied, "The server has what the manifest says."),
            degraded: None,
            database_ready: None,
            bootstrapped: None,
        }
    }

    /// The spec is not applied, for one reason.
    pub fn failing(state: State) -> Self {
        Self { ready: state.clone(), synced: state, ..Self::ready() }
    }
}

/// The conditions to write. `prior` are those that the object has; `now` is used only where the
/// status of a condition is another than before.
pub fn conditions(
    prior: &[Condition],
    report: &Report,
    generation: i64,
    now: &Time,
) -> Vec<Condition> {
    let states = [
        ("Bootstrapped", report.bootstrapped.as_ref()),
        ("DatabaseReady", report.database_ready.as_ref()),
        ("Degraded", report.degraded.as_ref()),
        ("Ready", Some(&report.ready)),
        ("Synced", Some(&report.synced)),
    ];
    let made = states.into_iter().filter_map(|(kind, state)| {
        let state = state?;
        Some(condition(kind, state, generation, since(prior, kind, state, now)))
    });
    made.collect()
}

/// Since when the condition has that status.
fn since(prior: &[Condition], kind: &str, state: &State, now: &Time) -> Time {
    let same = |one: &&Condition| one.type_ == kind && one.status == state.status.as_str();
    prior.iter().find(same).map_or_else(|| now.clone(), |one| one.last_transition_time.clone())
}

fn condition(kind: &str, state: &State, generation: i64, since: Time) -> Condition {
    Condition {
        type_: kind.to_owned(),
        status: state.status.as_str().to_owned(),
        reason: state.reason.as_str().to_owned(),
        message: state.message.clone(),
        observed_generation: Some(generation),
        last_transition_time: since,
    }
}
