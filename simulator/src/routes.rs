//! The table of routes. The server builds its router from it and tests walk it; a route must never
//! exist outside of the table.

mod accounts;
mod alerts;
mod bootstrap;
mod integrations;
mod policy;
mod schedule;
mod switches;
mod teams;
mod users;
mod webhook;

use crate::access::Access::{
    self, Account, AccountKeys, Admin, AnyKey, Instance, Open, OwnTeam, TeamList,
};
use crate::call::{Answer, Call, Outcome, Refusal};
use crate::options::Assumptions;
use crate::store::Store;

/// What a route does.
type Act = fn(&mut Store, &Call<'_>) -> Outcome;

/// One route.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) template: &'static str,
    pub(crate) access: Access,
    pub(crate) act: Act,
}

const fn route(method: &'static str, template: &'static str, access: Access, act: Act) -> Route {
    Route { method, template, access, act }
}

/// Every route of the server.
pub(crate) const ROUTES: &[Route] = &[
    route("GET", "/healthz", Open, health),
    route("POST", "/api/bootstrap", Open, bootstrap::bootstrap),
    route("GET", "/api/me", AnyKey, users::me),
    route("GET", "/api/users", AnyKey, users::list),
    route("POST", "/api/users", Admin, users::create),
    route("DELETE", "/api/users/{id}", Admin, users::delete),
    route("PUT", "/api/users/{id}/password", Admin, users::set_password),
    route("PUT", "/api/users/{id}/notify", Admin, users::set_topic),
    route("POST", "/api/users/{id}/api-keys", Admin, users::mint_key),
    route("DELETE", "/api/users/{id}/api-keys/{key_id}", Admin, users::revoke_key),
    route("GET", "/api/service-accounts", Instance, accounts::list),
    route("POST", "/api/service-accounts", Instance, accounts::create),
    route("DELETE", "/api/service-accounts/{id}", Account, accounts::delete),
    route("GET", "/api/service-accounts/{id}/keys", AccountKeys, accounts::list_keys),
    route("POST", "/api/service-accounts/{id}/keys", AccountKeys, accounts::mint_key),
    route("DELETE", "/api/service-accounts/{id}/keys/{key_id}", AccountKeys, accounts::revoke_key),
    route("GET", "/api/teams", TeamList, teams::list),
    route("POST", "/api/teams", Instance, teams::create),
    route("PUT", "/api/teams/{id}", Instance, teams::rename),
    route("DELETE", "/api/teams/{id}", Instance, teams::delete),
    route("PUT", "/api/teams/{id}/oidc-groups", OwnTeam, teams::set_groups),
    route("GET", "/api/teams/{id}/escalation", OwnTeam, policy::get),
    route("PUT", "/api/teams/{id}/escalation", OwnTeam, policy::put),
    route("GET", "/api/teams/{id}/deadman-switches", OwnTeam, switches::list),
    route("POST", "/api/teams/{id}/deadman-switches", OwnTeam, switches::create),
    route("DELETE", "/api/teams/{id}/deadman-switches/{switch_id}", OwnTeam, switches::delete),
    route("GET", "/api/teams/{id}/integrations", OwnTeam, integrations::list),
    route("POST", "/api/teams/{id}/integrations", OwnTeam, integrations::create),
    route("PATCH", "/api/teams/{id}/integrations/{integration_id}", OwnTeam, integrations::rename),
    route("DELETE", "/api/teams/{id}/integrations/{integration_id}", OwnTeam, integrations::delete),
    route("GET", "/api/schedule", AnyKey, schedule::list),
    route("GET", "/api/schedule/current", AnyKey, schedule::current),
    route("POST", "/api/schedule", AnyKey, schedule::create),
    route("DELETE", "/api/schedule/{id}", AnyKey, schedule::delete),
    route("POST", "/api/integrations/{key}/alertmanager", Open, webhook::receive),
    route("GET", "/api/alerts", Instance, alerts::list_alerts),
    route("GET", "/api/incidents", Instance, alerts::list_incidents),
];

/// Method and template of every route, for who has to know that none was left out.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().map(|route| (route.method, route.template))
}

/// What answers a known path with a method that it does not have.
pub(crate) static NO_METHOD: Route = route("*", "", Open, no_method);

fn no_method(_: &mut Store, _: &Call<'_>) -> Outcome {
    Err(Refusal::new(http::StatusCode::METHOD_NOT_ALLOWED, "method not allowed"))
}

/// Whether the server has the route at all.
pub(crate) fn exists(route: &Route, assumptions: &Assumptions) -> bool {
    match (route.method, route.template) {
        ("DELETE", "/api/service-accounts/{id}") => assumptions.account_delete_route,
        ("GET", "/api/service-accounts/{id}/keys") => assumptions.account_keys_route,
        ("GET", "/api/me") => assumptions.me_route,
        _ => true,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a route of the table")]
fn health(_: &mut Store, _: &Call<'_>) -> Outcome {
    Ok(Answer::ok(&serde_json::json!({ "status": "ok" })))
}
