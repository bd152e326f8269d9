//! Alert sources. It must never show a key again after the answer that made it.

use serde::Deserialize;
use serde_json::json;

use super::teams::team;
use crate::call::{self, Answer, Call, Outcome, Refusal};
use crate::store::{self, Store};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IntegrationBody {
    kind: String,
    name: String,
}

/// `GET /api/teams/{id}/integrations`.
pub(super) fn list(store: &mut Store, call: &Call<'_>) -> Outcome {
    Ok(Answer::list(team(store, call)?.sources.iter().map(|source| &source.shown)))
}

/// `POST /api/teams/{id}/integrations`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    let team_id = team(store, call)?.team.id;
    let body: IntegrationBody = call.read()?;
    let kind = call::name("kind", &body.kind)?;
    if kind != "alertmanager" && !call.assumptions.other_integration_kinds {
        return Err(Refusal::invalid(format!("kind {kind:?} is not alertmanager")));
    }
    let name = call::name("name", &body.name)?;
    refuse_taken(store, call, &name, None)?;
    let source = store.add_source(team_id, kind, name);
    let mut answer = store::json(&source.shown);
    let path = format!("/api/integrations/{}/{}", source.key, source.shown.kind);
    answer["url"] = json!(format!("{}{path}", call.base));
    answer["key"] = json!(source.key);
    Ok(Answer::created(&answer))
}

fn refuse_taken(
    store: &mut Store,
    call: &Call<'_>,
    name: &str,
    but: Option<i64>,
) -> Result<(), Refusal> {
    let taken = team(store, call)?.sources.taken(name, but);
    if taken && call.assumptions.integration_names_unique {
        return Err(Refusal::taken("integration name", name));
    }
    Ok(())
}

/// `PATCH /api/teams/{id}/integrations/{integration_id}`.
pub(super) fn rename(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = call.id(1)?;
    let missing = || Refusal::not_found("integration", id);
    team(store, call)?.sources.get(id).ok_or_else(missing)?;
    let name = call::name("name", &call.read::<IntegrationBody>()?.name)?;
    refuse_taken(store, call, &name, Some(id))?;
    let source = team(store, call)?.sources.rename(id, name).ok_or_else(missing)?;
    Ok(Answer::ok(&source.shown))
}

/// `DELETE /api/teams/{id}/integrations/{integration_id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let team_id = team(store, call)?.team.id;
    let id = call.id(1)?;
    let removed = store.remove_source(team_id, id);
    removed.map(|_| Answer::no_content()).ok_or_else(|| Refusal::not_found("integration", id))
}
