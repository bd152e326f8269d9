//! Teams. It must never leave anything of a team that is deleted.

use http::StatusCode;
use serde::Deserialize;

use crate::access::Caller;
use crate::call::{self, Answer, Call, Outcome, Refusal};
use crate::store::{Store, Team, TeamNode};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TeamBody {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GroupsBody {
    member_group: String,
    owner_group: String,
}

/// The team of the path.
pub(super) fn team<'a>(store: &'a mut Store, call: &Call<'_>) -> Result<&'a mut TeamNode, Refusal> {
    let id = call.id(0)?;
    store.tables.teams.get_mut(id).ok_or_else(|| Refusal::not_found("team", id))
}

/// `GET /api/teams`.
#[expect(clippy::unnecessary_wraps, reason = "a route of the table")]
pub(super) fn list(store: &mut Store, call: &Call<'_>) -> Outcome {
    let visible = |team: &&Team| match call.caller {
        Caller::Team { team: own, .. } => team.id == own,
        Caller::Nobody | Caller::Admin { .. } | Caller::Instance { .. } => true,
    };
    Ok(Answer::list(store.tables.teams.iter().map(|node| &node.team).filter(visible)))
}

/// `POST /api/teams`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    let name = call::name("name", &call.read::<TeamBody>()?.name)?;
    if store.tables.teams.taken(&name, None) {
        return Err(Refusal::taken("team name", &name));
    }
    Ok(Answer::created(&store.add_team(name)))
}

/// `PUT /api/teams/{id}`.
pub(super) fn rename(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = team(store, call)?.team.id;
    let name = call::name("name", &call.read::<TeamBody>()?.name)?;
    let teams = &mut store.tables.teams;
    if teams.taken(&name, Some(id)) {
        return Err(Refusal::taken("team name", &name));
    }
    let node = teams.rename(id, name).ok_or_else(|| Refusal::not_found("team", id))?;
    Ok(Answer::ok(&node.team))
}

/// `PUT /api/teams/{id}/oidc-groups`.
pub(super) fn set_groups(store: &mut Store, call: &Call<'_>) -> Outcome {
    let team = &mut team(store, call)?.team;
    let body: GroupsBody = call.read()?;
    let group = |text: &str| Some(text.trim().to_owned()).filter(|group| !group.is_empty());
    team.oidc_member_group = group(&body.member_group);
    team.oidc_owner_group = group(&body.owner_group);
    Ok(Answer::ok(team))
}

/// `DELETE /api/teams/{id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let node = team(store, call)?;
    let id = node.team.id;
    let bare = node.policy.is_none() && node.switches.is_empty() && node.sources.is_empty();
    if !bare && !call.assumptions.team_delete_cascades {
        let error = format!("team {id} still has something below it");
        return Err(Refusal::new(StatusCode::CONFLICT, error));
    }
    store.remove_team(id);
    Ok(Answer::no_content())
}
