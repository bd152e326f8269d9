//! The team's service account and its key, with which its children are kept.
//!
//! The first key is stored together with the team's id in one write. It is made anew when the server
//! refuses it, when a person asks for it and when it is old; the one before is revoked only after the
//! new one is stored.

use std::sync::Mutex;
use std::time::Duration;

use kube::ResourceExt;
use terdut_client::execute::carry_out_order_durably;
use terdut_core::api::Request;
use terdut_core::credential::{Facts, Machine, Order, Outcome, Rotate};
use terdut_core::error::Class;
use terdut_core::record::TeamRecord;

use super::record::{self, Kept};
use crate::access::TeamAccess;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::reference;
use crate::crd::TerdutTeam;
use crate::crd::names::annotation;
use crate::engine::{Pass, Reason};
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
    let Some(record) = kept.ours.clone() else { return Err(unrecorded()) };
    let rotate = wish(context, team, access, &record, pass).await;
    let wanted = team.annotations().get(annotation::ROTATE_CREDENTIALS).cloned();
    if rotate == Rotate::No && record.held.token.is_some() && !record.held.unfinished {
        return remember_wish(context, team, kept, record, wanted).await;
    }
    let Some(order) = record.order(&access.instance.token) else { return Err(unrecorded()) };
    let order = Order { rotate, ..order };
    let had_key = record.held.token.is_some();
    let asked =
        TeamRecord { held: terdut_core::record::Held { rotated: wanted, ..record.held }, ..record };
    let (outcome, kept) = run(context, team, access, asked, kept, order).await?;
    let record = kept.ours.ok_or_else(unrecorded)?;
    tell(context, team, &record, had_key, rotate).await;
    match outcome.failure {
        None => Ok(record),
        Some(failure) => Err(refused(access, &failure)),
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
    // A re-read does not ask with every team's key: the children do, and wake their team.
    if pass.reason != Reason::Resync && is_refused(access, team, record).await {
        return Rotate::Lost;
    }
    let wanted = team.annotations().get(annotation::ROTATE_CREDENTIALS);
    let asked = wanted.is_some() && wanted != record.held.rotated.as_ref();
    let age = context.settings.rotate_credentials_after;
    let now = context.clock.wall().as_second();
    if asked || age.is_some_and(|age| is_old(record.held.minted_at, now, age)) {
        Rotate::ByHanded
    } else {
        Rotate::No
    }
}

fn is_old(minted_at: Option<i64>, now: i64, age: Duration) -> bool {
    let age = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
    minted_at.is_none_or(|minted_at| now.saturating_sub(minted_at) >= age)
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

/// A wish that came with the first key needs no rotation, but must not be taken for a new one.
async fn remember_wish(
    context: &Context,
    team: &TerdutTeam,
    kept: Kept,
    record: TeamRecord,
    wanted: Option<String>,
) -> Result<TeamRecord, Halt> {
    if wanted.is_none() || record.held.rotated == wanted {
        return Ok(record);
    }
    let mut record = record;
    record.held.rotated = wanted;
    let kept = record::write(context, team, record, kept.version.as_deref()).await?;
    kept.ours.ok_or_else(unrecorded)
}

/// Carries the order out; each record that core asks for is one write.
async fn run(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    asked: TeamRecord,
    kept: Kept,
    order: Order,
) -> Result<(Outcome, Kept), Halt> {
    let mut machine = Machine::converge(asked.facts(), order);
    let state = Mutex::new((asked, kept));
    let store = |facts| store(context, team, &state, facts);
    let caller = access.caller();
    let outcome = carry_out_order_durably(&caller, &mut machine, store).await?;
    let (_, kept) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((outcome, kept))
}

async fn store(
    context: &Context,
    team: &TerdutTeam,
    state: &Mutex<(TeamRecord, Kept)>,
    facts: Facts,
) -> Result<(), KubeError> {
    let lock = || state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (record, version) = {
        let state = lock();
        (state.0.clone(), state.1.version.clone())
    };
    let record = record.storing(&facts, context.clock.wall().as_second());
    if lock().1.ours.as_ref() == Some(&record) {
        return Ok(());
    }
    let kept = record::write(context, team, record.clone(), version.as_deref()).await?;
    *lock() = (record, kept);
    Ok(())
}

async fn tell(
    context: &Context,
    team: &TerdutTeam,
    record: &TeamRecord,
    had_key: bool,
    rotate: Rotate,
) {
    let Some(key) = record.held.key else { return };
    let (reason, note) = match (had_key, rotate) {
        (true, Rotate::No) => return,
        (false, _) => (EventReason::KeyMinted, format!("The team's key {key} was made.")),
        (true, _) => (EventReason::KeyRotated, format!("The team's key was replaced by {key}.")),
    };
    let about = reference(team);
    context.events.publish(&about, EventType::Normal, reason, "Rotate", &note).await;
}

fn refused(access: &TeamAccess, failure: &terdut_core::credential::Failure) -> Halt {
    let Some(error) = failure.said() else {
        return Halt::retry(
            Why::Denied,
            "The team's service account could not be set up with the server's instance key.",
            Class::Denied,
        );
    };
    access.link.failed(error);
    Halt::from(error)
}

fn unrecorded() -> Halt {
    Halt::retry(Why::WaitingForServer, "The team's record is not complete yet.", Class::Retryable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_old_when_its_age_is_reached_or_unknown() {
        let hour = Duration::from_hours(1);
        assert!(!is_old(Some(1000), 1000 + 3599, hour));
        assert!(is_old(Some(1000), 1000 + 3600, hour));
        assert!(is_old(None, 0, hour));
    }
}
