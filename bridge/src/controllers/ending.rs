//! How a pass over a team or a child ends: conditions, Events of transitions, what comes next.
//!
//! [`report`] is pure: what the conditions say follows from what they said before and from how the
//! pass ended, so that a pass like the one before it writes nothing.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::ResourceExt;

use super::halt::{Halt, told_where};
use super::wishes::reference;
use crate::context::Context;
use crate::crd::{Kind, TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutTeam};
use crate::engine::{Grant, Next};
use crate::events::EventReason;
use crate::status::{Reason, Report, State, Truth, conditions};

/// Makes the status that is written out of the one before.
pub(super) trait Reported: Kind {
    /// The status with these conditions, of that generation.
    fn with_conditions(&self, conditions: Vec<Condition>, generation: i64) -> Self::Status;
}

macro_rules! reported {
    ($($object:ident),+) => {$(
        impl Reported for $object {
            fn with_conditions(&self, conditions: Vec<Condition>, generation: i64) -> Self::Status {
                let mut status = self.status.clone().unwrap_or_default();
                status.conditions = conditions;
                status.observed_generation = Some(generation);
                status
            }
        }
    )+};
}

reported!(TerdutTeam, TerdutEscalationRule, TerdutDeadmanSwitch, TerdutAlertSource);

/// Ends a pass that left all as the manifest says.
pub(super) async fn settled<K: Reported>(
    context: &Context,
    object: &K,
    change: impl FnOnce(&mut K::Status),
) -> Next {
    let written = write(context, object, &Report::ready(), change).await;
    written.map_or_else(|next| next, |()| Next::Settled)
}

/// Ends a pass that stopped early.
pub(super) async fn halted<K: Reported>(context: &Context, object: &K, halt: Halt) -> Next {
    halted_with(context, object, halt, |_| {}).await
}

/// Ends a pass that stopped early, with what the status says beside its conditions.
pub(super) async fn halted_with<K: Reported>(
    context: &Context,
    object: &K,
    halt: Halt,
    change: impl FnOnce(&mut K::Status),
) -> Next {
    let (state, next) = match halt {
        Halt::Again(next) => return next,
        Halt::Because { state, next } => (told_where(granted(context, object), state), next),
    };
    tell(context, object, &state).await;
    let generation = object.meta().generation.unwrap_or_default();
    let report = report(object.conditions(), generation, state);
    let written = write(context, object, &report, change).await;
    written.map_or_else(|again| again, |()| next)
}

/// Whether the bridge may work in the object's namespace.
pub(super) fn granted<K: Kind>(context: &Context, object: &K) -> Grant {
    context.stores.namespaces().granted(&object.namespace().unwrap_or_default())
}

/// Ends a pass over an object that is not to be touched.
pub(super) async fn paused<K: Reported>(context: &Context, object: &K) -> Next {
    let written = write(context, object, &pausing(object.conditions()), |_| {}).await;
    written.map_or_else(|next| next, |()| Next::Waiting)
}

async fn write<K: Reported>(
    context: &Context,
    object: &K,
    report: &Report,
    change: impl FnOnce(&mut K::Status),
) -> Result<(), Next> {
    let generation = object.meta().generation.unwrap_or_default();
    let now = Time(context.clock.wall());
    let made = conditions(object.conditions(), report, generation, &now);
    let mut status = object.with_conditions(made, generation);
    change(&mut status);
    let written = context.kube.apply_status(object, &status).await;
    written.map_err(|error| crate::access::kube_next(&error))
}

/// A transition that a person should hear of, once.
async fn tell<K: Kind>(context: &Context, object: &K, state: &State) {
    let before = find(object.conditions(), "Ready");
    if before.is_some_and(|ready| ready.reason == state.reason.as_str()) {
        return;
    }
    let known = before.is_some_and(|ready| ready.status == Truth::True.as_str());
    let (reason, action) = match state.reason {
        Reason::RefNotPermitted if known => (EventReason::ConsentRevoked, "Reconcile"),
        Reason::DeletionBlocked => (EventReason::DeletionBlocked, "Delete"),
        Reason::WebhookSecretLost => (EventReason::WebhookSecretLost, "Reconcile"),
        _ => {
            // Waiting for each other is the usual course of things, and a server that is away is
            // told by thousands of conditions already.
            if !is_usual(state.reason) {
                let about = reference(object);
                let reason = state.reason.as_str();
                context.events.failing(&about, reason, "Reconcile", &state.message).await;
            }
            return;
        }
    };
    let about = reference(object);
    context.events.worsened(&about, reason, action, &state.message).await;
}

fn is_usual(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::WaitingForServer
            | Reason::WaitingForTeam
            | Reason::ServerDeleting
            | Reason::Unreachable
    )
}

/// Whether the spec of this generation was applied before: what differs now was changed by others.
pub(super) fn was_applied<K: Kind>(object: &K) -> bool {
    let synced = find(object.conditions(), "Synced");
    synced.is_some_and(|synced| {
        synced.status == Truth::True.as_str()
            && synced.observed_generation == object.meta().generation
    })
}

/// How an update is reported.
pub(super) fn update_of<K: Kind>(object: &K) -> (EventReason, &'static str) {
    if was_applied(object) {
        (EventReason::DriftRepaired, "It was changed by other means and is as the manifest says.")
    } else {
        (EventReason::Updated, "It was changed as the manifest says.")
    }
}

/// A condition.
pub(super) fn find<'c>(conditions: &'c [Condition], kind: &str) -> Option<&'c Condition> {
    conditions.iter().find(|condition| condition.type_ == kind)
}

/// What a condition said.
pub(super) fn prior(conditions: &[Condition], kind: &str) -> Option<State> {
    find(conditions, kind).map(as_it_was)
}

/// What the conditions say after a pass that stopped early.
fn report(prior: &[Condition], generation: i64, state: State) -> Report {
    let applied = find(prior, "Synced").filter(|synced| synced.status == Truth::True.as_str());
    let is_current = applied.is_some_and(|synced| synced.observed_generation == Some(generation));
    let was_degraded = find(prior, "Degraded").is_some();
    let blocked = state.reason == Reason::DeletionBlocked;
    // What was applied stays applied while nobody can look; a new spec that is not is not.
    let synced = if is_current && !blocked && is_about_looking(state.reason) {
        Report::ready().synced
    } else {
        state.clone()
    };
    let fails =
        blocked || ((applied.is_some() || was_degraded) && synced != Report::ready().synced);
    let degraded = fails.then(|| State::yes(state.reason, state.message.clone()));
    Report { ready: state, synced, degraded, database_ready: None, bootstrapped: None }
}

/// Whether the reason says that nobody could look, and nothing about the spec.
pub(super) fn is_about_looking(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Unreachable
            | Reason::Denied
            | Reason::WaitingForServer
            | Reason::WaitingForTeam
            | Reason::RefNotPermitted
            | Reason::WebhookSecretLost
    )
}

/// A pause says nothing about what is there.
pub(super) fn pausing(prior: &[Condition]) -> Report {
    let paused =
        State::unknown(Reason::Paused, "The annotation terdut.ryuvia.com/reconcile pauses it.");
    let ready = find(prior, "Ready").map_or_else(|| paused.clone(), as_it_was);
    let degraded = find(prior, "Degraded").map(as_it_was);
    Report { ready, synced: paused, degraded, database_ready: None, bootstrapped: None }
}

fn as_it_was(condition: &Condition) -> State {
    let reason = Reason::ALL.iter().find(|reason| reason.as_str() == condition.reason);
    let status = match condition.status.as_str() {
        "True" => Truth::True,
        "False" => Truth::False,
        _ => Truth::Unknown,
    };
    let message = condition.message.clone();
    State { status, reason: reason.copied().unwrap_or(Reason::Paused), message }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    fn now() -> Time {
        Time(Timestamp::UNIX_EPOCH)
    }

    fn after(prior: &[Condition], generation: i64, report: &Report) -> Vec<Condition> {
        conditions(prior, report, generation, &now())
    }

    fn seen(conditions: &[Condition]) -> Vec<(&str, &str, &str)> {
        let three = |one: &'_ Condition| -> (&'static str, &'static str, &'static str) {
            (leak(&one.type_), leak(&one.status), leak(&one.reason))
        };
        conditions.iter().map(three).collect()
    }

    fn leak(text: &str) -> &'static str {
        text.to_owned().leak()
    }

    fn failing(prior: &[Condition], generation: i64, reason: Reason) -> Vec<Condition> {
        after(prior, generation, &report(prior, generation, State::no(reason, "Because.")))
    }

    #[test]
    fn what_was_applied_stays_applied_while_nobody_can_look() {
        let ready = after(&[], 1, &Report::ready());
        let down = failing(&ready, 1, Reason::Unreachable);
        assert_eq!(seen(&down), [("Ready", "False", "Unreachable"), ("Synced", "True", "Applied")]);
        assert_eq!(failing(&down, 1, Reason::Unreachable), down, "nothing new, nothing written");
    }

    #[test]
    fn an_update_that_fails_is_degraded_until_it_works() {
        let ready = after(&[], 1, &Report::ready());
        let failed = failing(&ready, 2, Reason::NameTaken);
        let expected = [
            ("Degraded", "True", "NameTaken"),
            ("Ready", "False", "NameTaken"),
            ("Synced", "False", "NameTaken"),
        ];
        assert_eq!(seen(&failed), expected);
        assert_eq!(failing(&failed, 2, Reason::NameTaken), failed);
        assert_eq!(after(&failed, 2, &Report::ready()).len(), 2);
    }

    #[test]
    fn a_first_create_that_fails_is_not_degraded_and_a_blocked_deletion_is() {
        assert_eq!(seen(&failing(&[], 1, Reason::NameTaken)).len(), 2);
        let ready = after(&[], 1, &Report::ready());
        let blocked = failing(&ready, 1, Reason::DeletionBlocked);
        assert!(blocked.iter().all(|one| one.reason == "DeletionBlocked"));
        assert_eq!(blocked.len(), 3);
    }

    #[test]
    fn a_pause_leaves_ready_as_it_was() {
        let down = failing(&after(&[], 1, &Report::ready()), 1, Reason::Unreachable);
        let paused = after(&down, 1, &pausing(&down));
        assert_eq!(
            seen(&paused),
            [("Ready", "False", "Unreachable"), ("Synced", "Unknown", "Paused")]
        );
    }
}
