//! Whose team it is: the record in the bridge's own namespace.

use std::collections::BTreeSet;

use kube::ResourceExt;
use terdut_core::api::Team;
use terdut_core::ids::TeamId;
use terdut_core::record::{Held, TeamRecord};

use crate::access::TeamAccess;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::crd::{Kind, TerdutTeam};
use crate::engine::ObjectKey;
use crate::kube::KubeError;
use crate::secrets::Versioned;
use crate::status::Reason;

/// What is kept of a team.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// The record of this very object on this very server.
    pub(super) ours: Option<TeamRecord>,
    /// The version of the Secret of that name, whoever's record is in it.
    pub(super) version: Option<String>,
}

/// Looks for the record. One of another UID or of another server is none: its Secret is overwritten
/// when ours is made.
pub(super) async fn find(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
) -> Result<Kept, KubeError> {
    let (namespace, name) = place(team);
    let mut found = context.secrets.known::<TeamRecord>(&namespace, &name).await?;
    // Only a complete record may be an old one: it is compared with the server anyway.
    let complete = |kept: &Versioned<TeamRecord>| {
        kept.record.team.is_some() && kept.record.held.token.is_some()
    };
    if found.as_ref().is_some_and(|kept| !complete(kept)) {
        found = context.secrets.live(&namespace, &name).await?;
    }
    let (uid, server) = (team.uid().unwrap_or_default(), &access.instance.server_uid);
    let version = found.as_ref().map(|kept| kept.version.clone());
    let ours = found.map(|kept| kept.record);
    let ours = ours.filter(|record| record.is_of(&uid) && record.server_uid == *server);
    Ok(Kept { ours, version })
}

/// The record of this very object, on whichever server: what its status shows while it is not ready.
pub(super) async fn known(
    context: &Context,
    team: &TerdutTeam,
) -> Result<Option<TeamRecord>, KubeError> {
    let (namespace, name) = place(team);
    let found = context.secrets.known::<TeamRecord>(&namespace, &name).await?;
    let uid = team.uid().unwrap_or_default();
    Ok(found.map(|kept| kept.record).filter(|record| record.is_of(&uid)))
}

/// Writes a record: makes its Secret, or replaces the version that was seen. A key that is new wakes
/// the team's children, who use it.
pub(super) async fn write(
    context: &Context,
    team: &TerdutTeam,
    record: TeamRecord,
    version: Option<&str>,
) -> Result<Kept, KubeError> {
    let (namespace, name) = place(team);
    let before = context.secrets.kept::<TeamRecord>(&namespace, &name);
    let is_news = record.held.token.is_some()
        && before.and_then(|before| before.record.held.token) != record.held.token;
    let written = match version {
        Some(version) => context.secrets.replace(&namespace, &name, &record, version).await?,
        None => context.secrets.create(&namespace, &name, &record).await?,
    };
    if is_news {
        // Its echo wakes nobody, and what the team's conditions say may be what they said before.
        context.wake.children_of_team(&namespace, &name);
    }
    Ok(Kept { ours: Some(written.record), version: Some(written.version) })
}

/// Takes back the record of a team that was not made.
pub(super) async fn retract(
    context: &Context,
    team: &TerdutTeam,
    kept: &Kept,
) -> Result<(), KubeError> {
    let unmade = kept.ours.as_ref().is_some_and(|record| record.team.is_none());
    let Some(version) = kept.version.as_deref().filter(|_| unmade) else { return Ok(()) };
    let (namespace, name) = place(team);
    context.secrets.delete::<TeamRecord>(&namespace, &name, Some(version)).await
}

/// The record of a team that is about to be made.
pub(super) fn intent(
    team: &TerdutTeam,
    access: &TeamAccess,
    name: &str,
    before: BTreeSet<i64>,
) -> TeamRecord {
    let server = access.permit.server();
    TeamRecord {
        owner_uid: team.uid().unwrap_or_default(),
        server_uid: access.instance.server_uid.clone(),
        server: (server.namespace.clone(), server.name.clone()),
        name: name.to_owned(),
        before,
        team: None,
        held: Held::default(),
    }
}

/// Refuses a team that another object owns, or is just making.
pub(super) fn unclaimed(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    found: &Team,
) -> Result<(), Halt> {
    let asking = place(team);
    if context.secrets.claimant(&access.instance.server_uid, found, &asking).is_some() {
        // Who it is stays unsaid: it may be of another tenant.
        return Err(Halt::waiting(
            Reason::NameClaimed,
            "Another TerdutTeam owns the team of that name on the server. Nothing was changed.",
        ));
    }
    Ok(())
}

/// Wakes the teams of the server that wait for a name which may be free now.
pub(super) fn wake_rivals(context: &Context, team: &TerdutTeam) {
    let own = team.namespace().unwrap_or_default();
    let reference = &team.spec.server_ref;
    let server = ObjectKey::new(reference.namespace_from(&own), &reference.name);
    for rival in context.stores.teams().children_of(&server) {
        if rival.uid() != team.uid() && waits_for_a_name(&rival) {
            context.wake.team(&rival.namespace().unwrap_or_default(), &rival.name_any());
        }
    }
}

fn waits_for_a_name(team: &TerdutTeam) -> bool {
    let reasons = [Reason::NameClaimed, Reason::NameTaken, Reason::AdoptionNotPermitted];
    team.conditions().iter().any(|condition| {
        condition.type_ == "Ready" && reasons.iter().any(|it| it.as_str() == condition.reason)
    })
}

pub(super) fn place(team: &TerdutTeam) -> (String, String) {
    (team.namespace().unwrap_or_default(), team.name_any())
}

/// The team's id; a record without one is not finished.
pub(super) fn id_of(kept: &Kept) -> Option<TeamId> {
    kept.ours.as_ref().and_then(|record| record.team)
}
