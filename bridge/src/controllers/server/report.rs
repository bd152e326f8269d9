//! What a server's conditions say after a pass, and what comes next.
//!
//! A pass notes in [`Seen`] what it finds; [`report`] is pure: the same findings over the same
//! conditions say the same, so that a pass like the one before it writes nothing.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::ResourceExt;
use terdut_core::error::Class;

use crate::access::kube_next;
use crate::context::Context;
use crate::controllers::ending::{find, granted, is_about_looking, pausing, prior};
use crate::controllers::halt::{Halt, told_where};
use crate::controllers::wishes::reference;
use crate::crd::{Kind, SecretKey, TerdutServer, TerdutServerStatus};
use crate::engine::Next;
use crate::events::EventReason;
use crate::status::{Reason, Report, State, Truth, conditions};

#[cfg(test)]
mod tests;

/// What a pass found.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// Whether the database is there; none: not looked at.
    pub(super) database: Option<State>,
    /// Whether there is a key; none: not looked at.
    pub(super) bootstrapped: Option<State>,
    /// Whether all objects are applied that can be.
    pub(super) applied: bool,
    /// What cannot be applied.
    pub(super) unapplied: Option<State>,
    /// What fails although the server is as the manifest says.
    pub(super) degraded: Option<State>,
    /// Whether something answers behind the Service.
    pub(super) serves: bool,
    /// The Secret with the key.
    pub(super) credentials: Option<SecretKey>,
    problems: Vec<(State, Next)>,
}

impl Seen {
    /// Notes why the server is not ready; what was noted first is what people see.
    pub(super) fn is_not_ready(&mut self, state: State, next: Next) {
        self.problems.push((state, next));
    }

    /// Why the server is not ready.
    pub(super) fn not_ready(&self) -> Option<&State> {
        self.problems.first().map(|(state, _)| state)
    }

    /// What comes next: the most eager wish of all that is wrong.
    fn next(&self) -> Next {
        let retry = self.problems.iter().find(|(_, next)| matches!(next, Next::Retry(_)));
        let first = retry.or(self.problems.first());
        first.map_or(Next::Settled, |(_, next)| next.clone())
    }
}

/// The same again, later each time.
pub(super) const fn again(class: Class) -> Next {
    Next::retry(class)
}

/// Ends a pass over a server that is wanted.
pub(super) async fn end(
    context: &Context,
    server: &TerdutServer,
    mut seen: Seen,
    ended: Result<(), Halt>,
) -> Next {
    match ended {
        Ok(()) => {}
        Err(Halt::Because { state, next }) => {
            seen.is_not_ready(told_where(granted(context, server), state), next);
        }
        Err(Halt::Again(next)) => return next,
    }
    let generation = server.metadata.generation.unwrap_or_default();
    let made = report(server.conditions(), generation, &seen);
    tell(context, server, &made.ready).await;
    let written = write(context, server, &made, seen.credentials.clone()).await;
    written.map_or_else(|again| again, |()| seen.next())
}

/// Ends a pass over a server that is not to be touched.
pub(super) async fn pause(context: &Context, server: &TerdutServer) -> Next {
    let paused = pausing(server.conditions());
    let report = Report {
        database_ready: prior(server.conditions(), "DatabaseReady"),
        bootstrapped: prior(server.conditions(), "Bootstrapped"),
        ..paused
    };
    let written = write(context, server, &report, None).await;
    written.map_or_else(|next| next, |()| Next::Waiting)
}

/// What the conditions say.
fn report(before: &[Condition], generation: i64, seen: &Seen) -> Report {
    let problem = seen.not_ready();
    let ready = problem.cloned().unwrap_or_else(|| {
        State::yes(Reason::Available, "The server runs, and the bridge's key to it works.")
    });
    let synced = synced(before, generation, seen);
    let unknown = |kind| {
        let known: Option<State> = prior(before, kind);
        known.or_else(|| problem.map(|state| State::unknown(state.reason, NOT_LOOKED)))
    };
    Report {
        degraded: degraded(before, seen, &ready, &synced),
        database_ready: seen.database.clone().or_else(|| unknown("DatabaseReady")),
        bootstrapped: seen.bootstrapped.clone().or_else(|| unknown("Bootstrapped")),
        ready,
        synced,
    }
}

const NOT_LOOKED: &str = "It was not looked at yet; Ready says what comes first.";

/// Whether the spec of this generation is applied. What was applied stays so while nobody can look.
fn synced(before: &[Condition], generation: i64, seen: &Seen) -> State {
    let applied = State::yes(Reason::Applied, "All objects are applied as the manifest says.");
    if let Some(state) = &seen.unapplied {
        return state.clone();
    }
    let problem = seen.not_ready();
    match problem {
        _ if seen.applied => applied,
        Some(state) if is_applied(before, generation) && is_about_looking(state.reason) => applied,
        Some(state) => state.clone(),
        None => applied,
    }
}

fn is_applied(before: &[Condition], generation: i64) -> bool {
    find(before, "Synced").is_some_and(|synced| {
        synced.status == Truth::True.as_str() && synced.observed_generation == Some(generation)
    })
}

/// An update or a deletion that fails. A first create that fails is none.
fn degraded(before: &[Condition], seen: &Seen, ready: &State, synced: &State) -> Option<State> {
    let was_applied = find(before, "Synced").is_some_and(|it| it.status == Truth::True.as_str());
    let was_degraded = find(before, "Degraded").is_some();
    let fails = ready.reason == Reason::DeletionBlocked
        || (synced.status == Truth::False && (was_applied || was_degraded));
    let failing = if ready.reason == Reason::DeletionBlocked { ready } else { synced };
    let update = fails.then(|| State::yes(failing.reason, failing.message.clone()));
    update.or_else(|| seen.degraded.clone())
}

/// Reports a transition that a person should hear of, once.
async fn tell(context: &Context, server: &TerdutServer, ready: &State) {
    let before = find(server.conditions(), "Ready");
    let same = before.is_some_and(|before| before.reason == ready.reason.as_str());
    if same || ready.status == Truth::True || ready.reason == Reason::DeploymentUnavailable {
        return;
    }
    let about = reference(server);
    if ready.reason == Reason::DeletionBlocked {
        let reason = EventReason::DeletionBlocked;
        let events = &context.events;
        events.worsened(&about, reason, "Delete", &ready.message).await;
        return;
    }
    context.events.failing(&about, ready.reason.as_str(), "Reconcile", &ready.message).await;
}

async fn write(
    context: &Context,
    server: &TerdutServer,
    report: &Report,
    credentials: Option<SecretKey>,
) -> Result<(), Next> {
    let generation = server.metadata.generation.unwrap_or_default();
    let now = Time(context.clock.wall());
    let before = server.status.clone().unwrap_or_default();
    let status = TerdutServerStatus {
        conditions: conditions(server.conditions(), report, generation, &now),
        observed_generation: Some(generation),
        service_name: Some(server.name_any()),
        url: Some(context.servers.url(server)),
        credentials_secret_ref: credentials.or(before.credentials_secret_ref),
    };
    let written = context.kube.apply_status(server, &status).await;
    written.map_err(|error| kube_next(&error))
}
