//! The admin port: the script, the log and the store over HTTP, for those who run the program.
//! [`crate::Simulator`] serves it; it must never be reachable through the API's port.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State as Shares};
use axum::routing::{delete, get, patch, post};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::{Fault, FaultState};
use crate::log::Logged;
use crate::options::Assumptions;
use crate::shared::{Shared, lock};
use crate::state::State;
use crate::store::{self, Key};

type App = Shares<Arc<Shared>>;

const HELP: &str = "\
terdut-simulator's admin port
  GET    /faults                     the script, with how often each rule was met
  POST   /faults                     adds a rule or a list of rules
  DELETE /faults                     removes all rules
  GET    /requests?method=M&route=R  the log; both are optional
  DELETE /requests                   forgets the log
  GET    /assumptions                the assumed behaviours
  PATCH  /assumptions                changes those that are given
  POST   /restart                    {\"downtime_ms\": 0} drops every connection
  POST   /come-back                  listens again after an action \"leave\"
  POST   /admin-key                  makes a person with an admin key
  POST   /fill                       {\"teams\": T, \"switches\": S} adds many objects
  GET    /state                      everything, keys without their text
  PATCH  /state/teams/{id}           {\"name\": N} renames past the API
  DELETE /state/teams/{id}, /state/teams/{id}/escalation,
         /state/teams/{id}/deadman-switches/{id}, /state/teams/{id}/integrations/{id},
         /state/users/{id}, /state/service-accounts/{id}, /state/keys/{id}

A rule: {\"method\": \"POST\", \"route\": \"/api/teams\", \"skip\": 0, \"times\": 1, \"delay_ms\": 0,
         \"acted\": false, \"action\": {\"kind\": \"drop\"}}; times null is always.
Actions: pass; answer with status, headers, body (\"empty\" or {\"json\"|\"text\"|\"html\"|\"cut_off\": …});
         drop; reset; cut_off with bytes; no_route; rate_limit or rate_limit_until with seconds;
         restart with downtime_ms; leave.
";

/// Serves until the simulator stops.
pub(crate) async fn serve(shared: Arc<Shared>, listener: TcpListener) {
    let stop = shared.stop.clone();
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the admin port cannot listen"),
    };
    tokio::select! {
        () = stop.cancelled() => {}
        ended = async { axum::serve(listener, router(shared)).await } => {
            tracing::debug!(?ended, "the admin port has ended");
        }
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(async || HELP))
        .route("/faults", get(faults).post(add_faults).delete(clear_faults))
        .route("/requests", get(requests).delete(clear_requests))
        .route("/assumptions", get(assumptions).patch(assume))
        .route("/restart", post(restart))
        .route("/come-back", post(come_back))
        .route("/admin-key", post(admin_key))
        .route("/fill", post(fill))
        .route("/state", get(whole_state))
        .route("/state/teams/{id}", patch(rename_team).delete(delete_team))
        .route("/state/teams/{id}/{kind}", delete(delete_policy))
        .route("/state/teams/{id}/{kind}/{child}", delete(delete_child))
        .route("/state/{kind}/{id}", delete(delete_top))
        .with_state(shared)
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    Many(Vec<Fault>),
    One(Box<Fault>),
}

async fn faults(Shares(shared): App) -> Json<Vec<FaultState>> {
    Json(lock(&shared.faults).rules().to_vec())
}

async fn add_faults(Shares(shared): App, Json(faults): Json<OneOrMany>) -> StatusCode {
    let faults = match faults {
        OneOrMany::Many(faults) => faults,
        OneOrMany::One(fault) => vec![*fault],
    };
    let mut book = lock(&shared.faults);
    for fault in faults {
        book.add(fault);
    }
    StatusCode::NO_CONTENT
}

async fn clear_faults(Shares(shared): App) -> StatusCode {
    lock(&shared.faults).clear();
    StatusCode::NO_CONTENT
}

#[derive(Debug, Deserialize)]
struct Wanted {
    method: Option<String>,
    route: Option<String>,
}

async fn requests(Shares(shared): App, Query(wanted): Query<Wanted>) -> Json<Vec<Logged>> {
    let method = wanted.method.as_deref().unwrap_or("*");
    let route = wanted.route.as_deref().unwrap_or("*");
    let log = lock(&shared.log);
    Json(log.rows().iter().filter(|request| request.is(method, route)).cloned().collect())
}

async fn clear_requests(Shares(shared): App) -> StatusCode {
    lock(&shared.log).clear();
    StatusCode::NO_CONTENT
}

async fn assumptions(Shares(shared): App) -> Json<Assumptions> {
    Json(shared.world().assumptions.clone())
}

async fn assume(
    Shares(shared): App,
    Json(changes): Json<Value>,
) -> Result<Json<Assumptions>, (StatusCode, String)> {
    let mut world = shared.world();
    let bad = |error: String| (StatusCode::BAD_REQUEST, error);
    world.assumptions = world.assumptions.with(&changes).map_err(bad)?;
    Ok(Json(world.assumptions.clone()))
}

#[derive(Debug, Deserialize)]
struct Downtime {
    #[serde(default)]
    downtime_ms: u64,
}

async fn restart(Shares(shared): App, Json(body): Json<Downtime>) -> StatusCode {
    shared.restart(Duration::from_millis(body.downtime_ms));
    StatusCode::NO_CONTENT
}

async fn come_back(Shares(shared): App) -> StatusCode {
    shared.come_back();
    StatusCode::NO_CONTENT
}

async fn admin_key(Shares(shared): App) -> Json<Value> {
    Json(json!({ "key": shared.seed_admin() }))
}

#[derive(Debug, Deserialize)]
struct Fill {
    teams: usize,
    switches: usize,
}

async fn fill(Shares(shared): App, Json(body): Json<Fill>) -> StatusCode {
    State::new(&shared).fill(body.teams, body.switches);
    StatusCode::NO_CONTENT
}

async fn whole_state(Shares(shared): App) -> Json<Value> {
    let state = State::new(&shared);
    let keys = state.keys();
    let key = |key: &Key| {
        let mut shown = key.listed();
        shown["owner"] = store::json(&key.owner);
        shown
    };
    Json(json!({
        "users": state.users(),
        "service_accounts": state.accounts(),
        "keys": keys.iter().map(key).collect::<Vec<_>>(),
        "teams": state.teams(),
        "schedule": state.schedule(),
        "alerts": state.alerts(),
        "incidents": state.incidents(),
    }))
}

#[derive(Debug, Deserialize)]
struct NewName {
    name: String,
}

fn done<T>(found: Option<T>) -> StatusCode {
    found.map_or(StatusCode::NOT_FOUND, |_| StatusCode::NO_CONTENT)
}

async fn rename_team(
    Shares(shared): App,
    Path(id): Path<i64>,
    Json(body): Json<NewName>,
) -> StatusCode {
    done(State::new(&shared).rename_team(id, &body.name))
}

async fn delete_team(Shares(shared): App, Path(id): Path<i64>) -> StatusCode {
    done(State::new(&shared).delete_team(id))
}

async fn delete_policy(Shares(shared): App, Path((team, kind)): Path<(i64, String)>) -> StatusCode {
    match kind.as_str() {
        "escalation" => done(State::new(&shared).set_policy(team, None)),
        _ => StatusCode::NOT_FOUND,
    }
}

async fn delete_child(
    Shares(shared): App,
    Path((team, kind, id)): Path<(i64, String, i64)>,
) -> StatusCode {
    let state = State::new(&shared);
    match kind.as_str() {
        "deadman-switches" => done(state.delete_switch(team, id)),
        "integrations" => done(state.delete_integration(team, id)),
        _ => StatusCode::NOT_FOUND,
    }
}

async fn delete_top(Shares(shared): App, Path((kind, id)): Path<(String, i64)>) -> StatusCode {
    let state = State::new(&shared);
    match kind.as_str() {
        "users" => done(state.delete_user(id)),
        "service-accounts" => done(state.delete_account(id)),
        "keys" => done(state.revoke_key(id)),
        _ => StatusCode::NOT_FOUND,
    }
}
