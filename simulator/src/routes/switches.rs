//! Dead man's switches. It must never change one: there is no such route.

use serde::Deserialize;

use super::teams::team;
use crate::call::{self, Answer, Call, Outcome, Refusal};
use crate::store::{Store, Switch};
use crate::value::{Matcher, canonical_duration};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SwitchBody {
    name: String,
    matcher: String,
    timeout: String,
    severity: String,
}

/// `GET /api/teams/{id}/deadman-switches`.
pub(super) fn list(store: &mut Store, call: &Call<'_>) -> Outcome {
    Ok(Answer::list(team(store, call)?.switches.iter()))
}

/// `POST /api/teams/{id}/deadman-switches`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    let team_id = team(store, call)?.team.id;
    let body: SwitchBody = call.read()?;
    let name = call::name("name", &body.name)?;
    let matcher = read_matcher(&body.matcher, call)?;
    let timeout = canonical_duration(&body.timeout).map_err(Refusal::invalid)?;
    let severity = read_severity(&body.severity)?;
    if team(store, call)?.switches.taken(&name, None) {
        return Err(Refusal::taken("dead man's switch name", &name));
    }
    let id = store.next_id();
    let switch = Switch { id, team_id, name, matcher, timeout, severity, last_seen_at: None };
    team(store, call)?.switches.insert(switch.clone());
    Ok(Answer::created(&switch))
}

fn read_matcher(text: &str, call: &Call<'_>) -> Result<String, Refusal> {
    let matcher = Matcher::parse(text).map_err(Refusal::invalid)?;
    let canonical = call.assumptions.canonical_matchers;
    Ok(if canonical { matcher.canonical() } else { text.to_owned() })
}

fn read_severity(text: &str) -> Result<String, Refusal> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    let word = !text.is_empty() && text.bytes().all(fits);
    let bad = || Refusal::invalid(format!("severity {text:?} is not a lower-case word"));
    word.then(|| text.to_owned()).ok_or_else(bad)
}

/// `DELETE /api/teams/{id}/deadman-switches/{switch_id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = call.id(1)?;
    let removed = team(store, call)?.switches.remove(id);
    removed.map(|_| Answer::no_content()).ok_or_else(|| Refusal::not_found("dead man's switch", id))
}
