//! A team's escalation policy. It must never store one without levels: that is none.

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::teams::team;
use crate::call::{Answer, Call, Outcome, Refusal};
use crate::options::NoPolicy;
use crate::store::{Level, Policy, Store, Target};
use crate::value::canonical_duration;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PolicyBody {
    repeat_count: i64,
    fallback_topic: Option<String>,
    levels: Vec<LevelBody>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LevelBody {
    timeout: String,
    targets: Vec<TargetBody>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TargetBody {
    kind: String,
    user_id: Option<i64>,
}

fn empty(team_id: i64) -> Policy {
    Policy { team_id, repeat_count: 0, fallback_topic: None, levels: Vec::new() }
}

/// `GET /api/teams/{id}/escalation`.
pub(super) fn get(store: &mut Store, call: &Call<'_>) -> Outcome {
    let node = team(store, call)?;
    let id = node.team.id;
    match (&node.policy, call.assumptions.no_policy) {
        (Some(policy), _) => Ok(Answer::ok(policy)),
        (None, NoPolicy::EmptyObject) => Ok(Answer::ok(&json!({}))),
        (None, NoPolicy::NoLevels) => Ok(Answer::ok(&empty(id))),
        (None, NoPolicy::NotFound) => {
            let error = format!("team {id} has no escalation policy");
            Err(Refusal::new(StatusCode::NOT_FOUND, error))
        }
    }
}

/// `PUT /api/teams/{id}/escalation`.
pub(super) fn put(store: &mut Store, call: &Call<'_>) -> Outcome {
    let team_id = team(store, call)?.team.id;
    let policy = read(store, team_id, call.read()?)?;
    team(store, call)?.policy = Some(policy.clone()).filter(|policy| !policy.levels.is_empty());
    Ok(Answer::ok(&policy))
}

fn read(store: &Store, team_id: i64, body: PolicyBody) -> Result<Policy, Refusal> {
    if !(0..=100).contains(&body.repeat_count) {
        return Err(Refusal::invalid("repeat_count must be between 0 and 100"));
    }
    if body.levels.is_empty() {
        return Ok(empty(team_id));
    }
    let fallback_topic = body.fallback_topic.filter(|topic| !topic.is_empty());
    let levels = body.levels.into_iter().enumerate();
    let levels = levels
        .map(|(index, level)| read_level(store, level).map_err(|why| at(index, &why)))
        .collect::<Result<_, _>>()?;
    Ok(Policy { team_id, repeat_count: body.repeat_count, fallback_topic, levels })
}

fn at(index: usize, why: &str) -> Refusal {
    Refusal::invalid(format!("levels[{index}]: {why}"))
}

fn read_level(store: &Store, body: LevelBody) -> Result<Level, String> {
    let timeout = canonical_duration(&body.timeout)?;
    if body.targets.is_empty() {
        return Err("a level needs a target".to_owned());
    }
    let targets = body.targets.into_iter().map(|target| read_target(store, target));
    Ok(Level { timeout, targets: targets.collect::<Result<_, _>>()? })
}

fn read_target(store: &Store, body: TargetBody) -> Result<Target, String> {
    match (body.kind.as_str(), body.user_id) {
        ("oncall", Some(_)) => return Err("a target oncall names no user".to_owned()),
        ("user", None) => return Err("a target user needs user_id".to_owned()),
        ("user", Some(id)) if store.tables.users.get(id).is_none() => {
            return Err(format!("user {id} does not exist"));
        }
        ("oncall", None) | ("user", Some(_)) => {}
        (other, _) => return Err(format!("target kind {other:?} is not oncall or user")),
    }
    Ok(Target { kind: body.kind, user_id: body.user_id })
}
