//! The team's service account and its key, with which its children are kept.
//!
//! The first key is stored together with the team's id in one write. It is made anew when the server
//! refuses it, when a person asks for it and when it is old; the one before is revoked only after the
//! new one is stored. A rotation that is denied leaves the key that works.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kube::ResourceExt;
use terdut_client::execute::carry_out_order_durably;
use terdut_core::api::Request;
use terdut_core::credential::{Facts, Failure, Machine, Order, Outcome, Rotate};
use terdut_core::error::Class;
use terdut_core::record::{Held, TeamRecord};

use super::record::{self, Kept};
use crate::access::TeamAccess;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::{due_rotation, reference, rotation};
use crate::crd::TerdutTeam;
use crate::engine::{ObjectKey, Pass, Reason};
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;
use crate::status::Reason as Why;

/// Sees to it that the record holds a key that works.
pub(super) async fn keep(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    kept: Kept,
    pass: &Pass,
) -> Result<TeamRecord, Halt> {
    let before = kept.ours.clone().ok_or_else(unrecorded)?;
    let rotate = wish(context, team, access, &before, pass).await;
    if rotate == Rotate::No && before.held.token.is_some() && !before.held.unfinished {
        return Ok(before);
    }
    let order = before.order(&access.instance.token).ok_or_else(unrecorded)?;
    let (outcome, kept) = run(context, team, access, kept, Order { rotate, ..order }).await?;
    let record = kept.ours.clone().ok_or_else(unrecorded)?;
    tell(context, team, &before, &record).await;
    match outcome.failure {
        None => Ok(record),
        Some(failure) if rotate == Rotate::ByHanded && is_denied(&failure) => {
            tell_denied(context, team).await;
            Ok(note_denied(context, team, record, kept.version.as_deref()).await?)
        }
        Some(failure) => Err(refused(&failure)),
    }
}

/// Whether a new key is to be made although there is one.
async fn wish(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    record: &TeamRecord,
    pass: &Pass,
) -> Rotate {
    if record.held.token.is_none() {
        return Rotate::No;
    }
    if is_asked_about(context, team, pass) && is_refused(access, team, record).await {
        return Rotate::Lost;
    }
    let oldest = context.settings.rotate_credentials_after;
    let now = context.clock.wall().as_second();
    let due = due_rotation(team, now);
    if record.held.refused.as_ref().is_some_and(|refused| refused.is_of(&due)) {
        return Rotate::No;
    }
    if record.held.is_due(rotation(team), now, oldest) { Rotate::ByHanded } else { Rotate::No }
}

/// A re-read does not ask with every team's key: the children do, and wake their team.
fn is_asked_about(context: &Context, team: &TerdutTeam, pass: &Pass) -> bool {
    let key = ObjectKey::of(team);
    let stores = &context.stores;
    pass.reason != Reason::Resync
        || (stores.escalation_rules().keys_of(&key).is_empty()
            && stores.deadman_switches().keys_of(&key).is_empty()
            && stores.alert_sources().keys_of(&key).is_empty())
}

/// Whether the server itself says that it does not know the key.
async fn is_refused(access: &TeamAccess, team: &TerdutTeam, record: &TeamRecord) -> bool {
    let Some(token) = &record.held.token else { return false };
    let owner = team.uid().unwrap_or_default();
    let caller = access.link.team_caller(&access.admitted, &access.permit, &owner, token);
    let Ok(caller) = caller else { return false };
    let answer = caller.call(Request::Me).await;
    answer.is_err_and(|error| {
        error.class == Class::Denied && error.status == Some(401) && error.own_word
    })
}

/// Carries the order out; each record that core asks for is one write.
async fn run(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    kept: Kept,
    order: Order,
) -> Result<(Outcome, Kept), Halt> {
    let facts = kept.ours.as_ref().map(TeamRecord::facts).unwrap_or_default();
    let mut machine = Machine::converge(facts, order);
    // The team's id may be known and not yet written: then the first store writes both.
    let kept = Mutex::new(kept);
    let store = |facts| store(context, team, &kept, facts);
    let outcome = carry_out_order_durably(&access.caller(), &mut machine, store).await?;
    Ok((outcome, kept.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

async fn store(
    context: &Context,
    team: &TerdutTeam,
    kept: &Mutex<Kept>,
    facts: Facts,
) -> Result<(), KubeError> {
    let Kept { ours: Some(before), version } = lock(kept).clone() else { return Ok(()) };
    let mut record = before.storing(&facts, context.clock.wall().as_second());
    // Only a new key fulfils the wish for one.
    if record.held.token != before.held.token {
        record.held.rotated = rotation(team).map(str::to_owned);
    }
    let written = record::write(context, team, record, version.as_deref()).await?;
    *lock(kept) = written;
    Ok(())
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn tell(context: &Context, team: &TerdutTeam, before: &TeamRecord, after: &TeamRecord) {
    let Some(key) = after.held.key.filter(|_| after.held.token != before.held.token) else {
        return;
    };
    let (reason, note) = if before.held.token.is_none() {
        (EventReason::KeyMinted, format!("The team's key {key} was made."))
    } else {
        (EventReason::KeyRotated, format!("The team's key was replaced by {key}."))
    };
    let about = reference(team);
    context.events.publish(&about, EventType::Normal, reason, "Rotate", &note).await;
}

fn is_denied(failure: &Failure) -> bool {
    failure.said().is_some_and(|error| error.class == Class::Denied)
}

/// What was refused is not asked for in every pass.
async fn note_denied(
    context: &Context,
    team: &TerdutTeam,
    record: TeamRecord,
    version: Option<&str>,
) -> Result<TeamRecord, KubeError> {
    let refused = Some(due_rotation(team, context.clock.wall().as_second()));
    let record = TeamRecord { held: Held { refused, ..record.held.clone() }, ..record };
    record::write(context, team, record.clone(), version).await?;
    Ok(record)
}

async fn tell_denied(context: &Context, team: &TerdutTeam) {
    let note = "The server refuses to make another key for the team; the one in use stays.";
    let (about, reason) = (reference(team), Why::RotationDenied.as_str());
    context.events.failing(&about, reason, "Rotate", note).await;
}

fn refused(failure: &Failure) -> Halt {
    let Some(error) = failure.said() else {
        return Halt::retry(
            Why::Denied,
            "The team's service account could not be set up with the server's instance key.",
            Class::Denied,
        );
    };
    Halt::from(error)
}

fn unrecorded() -> Halt {
    Halt::retry(Why::WaitingForServer, "The team's record is not complete yet.", Class::Retryable)
}
