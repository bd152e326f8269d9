//! TerdutTeam: a team on a server, and the key with which its children are kept.
//!
//! The record is a Secret in the bridge's own namespace, made before the team is, which later takes
//! the team's id and its key; only it says whose team it is. Steps of a pass are one file each:
//! `record` (who owns what), `converge` (the team itself), `key` (its service account), `removal`.
//! It never believes the status or an annotation of the object.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_core::model::{DesiredTeam, TeamInput};
use terdut_core::problem::Findings;
use terdut_core::record::{SecretKind, TeamRecord, secret_name};

use super::ending::{halted_with, paused, settled};
use super::halt::Halt;
use super::wishes::{is_deleting, is_held, is_paused};
use crate::access;
use crate::context::Context;
use crate::crd::{SecretKey, TerdutTeam, TerdutTeamStatus};
use crate::engine::{Controller, Next, Pass, Reason};

mod converge;
mod key;
mod record;
mod removal;

#[cfg(test)]
mod tests;

pub(super) use removal::with_way_out;

/// The controller of teams.
#[derive(Debug)]
pub struct TeamController {
    context: Arc<Context>,
}

impl TeamController {
    /// A controller.
    pub fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl Controller for TeamController {
    type Object = TerdutTeam;

    async fn reconcile(&self, team: Arc<TerdutTeam>, pass: &Pass) -> Next {
        let context = self.context.as_ref();
        if is_deleting(team.as_ref()) {
            return removal::remove(context, &team).await;
        }
        if is_paused(team.as_ref()) {
            return paused(context, team.as_ref()).await;
        }
        match reconcile(context, &team, pass).await {
            Ok(record) => {
                let status = |status: &mut TerdutTeamStatus| show(status, &team, &record);
                settled(context, team.as_ref(), status).await
            }
            Err(halt) => {
                let known = record::known(context, &team).await;
                let status = |status: &mut TerdutTeamStatus| match known {
                    Ok(Some(record)) => show(status, &team, &record),
                    Ok(None) => (status.team_id, status.credentials_secret_ref) = (None, None),
                    Err(_) => {}
                };
                halted_with(context, team.as_ref(), halt, status).await
            }
        }
    }
}

/// One pass over a team that is wanted.
async fn reconcile(context: &Context, team: &TerdutTeam, pass: &Pass) -> Result<TeamRecord, Halt> {
    let desired = desired(team)?; // pure
    let access = access::team(context, team).await?; // consent, then the key
    if pass.reason == Reason::Requested {
        access.link.forget_lists();
    }
    let held = if is_held(team) { None } else { Some(context.kube.start(team, &[]).await?) };
    let team = held.as_ref().unwrap_or(team); // the finalizer, before anything is made
    let kept = record::find(context, team, &access).await?; // whose it is
    let kept = converge::converge(context, team, &access, desired, kept).await?; // the team
    key::keep(context, team, &access, kept, pass).await // its account and key
}

/// What the manifest asks for, or all that is wrong with it.
fn desired(team: &TerdutTeam) -> Result<DesiredTeam, Halt> {
    let mut findings = Findings::default();
    let desired = TeamInput::from(&team.spec.team()).validate(&mut findings);
    desired.filter(|_| findings.is_valid()).ok_or_else(|| Halt::invalid(&findings))
}

/// What the status says beside its conditions.
fn show(status: &mut TerdutTeamStatus, team: &TerdutTeam, record: &TeamRecord) {
    let namespace = team.namespace().unwrap_or_default();
    let secret = secret_name(SecretKind::TeamCredentials, &namespace, &team.name_any());
    status.team_id = record.team.map(|team| team.to_string());
    let key = SecretKey { name: secret, key: "token".to_owned() };
    status.credentials_secret_ref = record.held.token.is_some().then_some(key);
}
