//! Request → method, path, body.
//!
//! Called by the client for each request. A path holds ids only; a route is its template and is
//! what logs and errors show.

use http::Method;
use serde_json::{Value, json};
use terdut_core::api::{AccountScope, Level, Policy, Request, Target};

/// A request as it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct WireRequest {
    pub(crate) method: Method,
    /// The template of the path.
    pub(crate) route: &'static str,
    /// The path below the server's URL, starting with a slash.
    pub(crate) path: String,
    /// The exact name asked for, where the route takes one.
    pub(crate) name: Option<String>,
    /// What is always asked with it.
    pub(crate) query: Option<&'static str>,
    /// JSON.
    pub(crate) body: Option<String>,
    /// Whether the route takes requests without a key.
    pub(crate) keyless: bool,
    /// Whether the answer is a list, which may continue on further pages.
    pub(crate) list: bool,
}

/// A method, a route and the ids that fill it.
type Head<'a> = (Method, &'static str, &'a [i64]);

/// The wire form of a request.
pub(crate) fn encode(request: &Request) -> WireRequest {
    let mut wire = address(request);
    wire.body = body(request).map(|body| body.to_string());
    match request {
        Request::Health | Request::Bootstrap { .. } => wire.keyless = true,
        Request::ListAccounts { name } => wire.name.clone_from(name),
        Request::ListFiring => wire.query = Some("status=firing&limit=1000"),
        _ => {}
    }
    wire.list = matches!(
        request,
        Request::ListUsers
            | Request::ListAccounts { .. }
            | Request::ListKeys { .. }
            | Request::ListTeams
            | Request::ListSwitches { .. }
            | Request::ListIntegrations { .. }
            | Request::ListFiring
    );
    wire
}

fn address(request: &Request) -> WireRequest {
    use Method as M;
    use Request as R;
    match request {
        R::Health => wire((M::GET, "/healthz", &[])),
        R::Bootstrap { .. } => wire((M::POST, "/api/bootstrap", &[])),
        R::ListFiring => wire((M::GET, "/api/alerts", &[])),
        R::Me => wire((M::GET, "/api/me", &[])),
        R::ListUsers => wire((M::GET, "/api/users", &[])),
        R::CreateUser { .. } => wire((M::POST, "/api/users", &[])),
        R::DeleteUser { user } => wire((M::DELETE, "/api/users/{id}", &[user.0])),
        R::SetPassword { user, .. } => wire((M::PUT, "/api/users/{id}/password", &[user.0])),
        R::SetTopic { user, .. } => wire((M::PUT, "/api/users/{id}/notify", &[user.0])),
        R::MintUserKey { user, .. } => wire((M::POST, "/api/users/{id}/api-keys", &[user.0])),
        R::RevokeUserKey { user, key } => {
            wire((M::DELETE, "/api/users/{id}/api-keys/{key_id}", &[user.0, key.0]))
        }
        R::ListAccounts { .. }
        | R::CreateAccount { .. }
        | R::DeleteAccount { .. }
        | R::ListKeys { .. }
        | R::MintKey { .. }
        | R::RevokeKey { .. } => account_address(request),
        _ => team_address(request),
    }
}

fn account_address(request: &Request) -> WireRequest {
    use Method as M;
    match request {
        Request::ListAccounts { .. } => wire((M::GET, "/api/service-accounts", &[])),
        Request::DeleteAccount { account } => {
            wire((M::DELETE, "/api/service-accounts/{id}", &[account.0]))
        }
        Request::ListKeys { account } => {
            wire((M::GET, "/api/service-accounts/{id}/keys", &[account.0]))
        }
        Request::MintKey { account, .. } => {
            wire((M::POST, "/api/service-accounts/{id}/keys", &[account.0]))
        }
        Request::RevokeKey { account, key } => {
            wire((M::DELETE, "/api/service-accounts/{id}/keys/{key_id}", &[account.0, key.0]))
        }
        _ => wire((M::POST, "/api/service-accounts", &[])),
    }
}

fn team_address(request: &Request) -> WireRequest {
    use Method as M;
    use Request as R;
    match request {
        R::ListTeams => wire((M::GET, "/api/teams", &[])),
        R::CreateTeam { .. } => wire((M::POST, "/api/teams", &[])),
        R::RenameTeam { team, .. } => wire((M::PUT, "/api/teams/{id}", &[team.0])),
        R::DeleteTeam { team } => wire((M::DELETE, "/api/teams/{id}", &[team.0])),
        R::SetGroups { team, .. } => wire((M::PUT, "/api/teams/{id}/oidc-groups", &[team.0])),
        R::GetPolicy { team } => wire((M::GET, "/api/teams/{id}/escalation", &[team.0])),
        R::PutPolicy { team, .. } => wire((M::PUT, "/api/teams/{id}/escalation", &[team.0])),
        R::ListSwitches { team } => wire((M::GET, SWITCHES, &[team.0])),
        R::CreateSwitch { team, .. } => wire((M::POST, SWITCHES, &[team.0])),
        R::DeleteSwitch { team, switch } => wire((M::DELETE, SWITCH, &[team.0, switch.0])),
        R::ListIntegrations { team } => wire((M::GET, INTEGRATIONS, &[team.0])),
        R::CreateIntegration { team, .. } => wire((M::POST, INTEGRATIONS, &[team.0])),
        R::RenameIntegration { team, integration, .. } => {
            wire((M::PATCH, INTEGRATION, &[team.0, integration.0]))
        }
        R::DeleteIntegration { team, integration } => {
            wire((M::DELETE, INTEGRATION, &[team.0, integration.0]))
        }
        _ => wire((M::GET, "/api/schedule/current", &[])),
    }
}

const SWITCHES: &str = "/api/teams/{id}/deadman-switches";
const SWITCH: &str = "/api/teams/{id}/deadman-switches/{switch_id}";
const INTEGRATIONS: &str = "/api/teams/{id}/integrations";
const INTEGRATION: &str = "/api/teams/{id}/integrations/{integration_id}";

fn wire((method, route, ids): Head<'_>) -> WireRequest {
    let (path, name, body) = (fill(route, ids), None, None);
    WireRequest { method, route, path, name, query: None, body, keyless: false, list: false }
}

/// Puts the ids in place of the template's `{…}`, in order.
fn fill(route: &str, ids: &[i64]) -> String {
    let mut ids = ids.iter();
    let segments: Vec<String> = route
        .split('/')
        .map(|segment| match segment.strip_prefix('{').and_then(|_| ids.next()) {
            Some(id) => id.to_string(),
            None => segment.to_owned(),
        })
        .collect();
    segments.join("/")
}

fn body(request: &Request) -> Option<Value> {
    use Request as R;
    Some(match request {
        R::Bootstrap { username, email } | R::CreateUser { username, email } => {
            json!({"username": username, "email": email})
        }
        R::SetPassword { password, .. } => json!({"password": password.expose()}),
        R::SetTopic { topic, .. } => json!({"ntfy_topic": topic}),
        R::CreateAccount { name, scope } => account(name, scope),
        R::CreateTeam { name }
        | R::RenameTeam { name, .. }
        | R::MintUserKey { name, .. }
        | R::MintKey { name, .. }
        | R::RenameIntegration { name, .. } => json!({"name": name}),
        R::SetGroups { member, owner, .. } => json!({"member_group": member, "owner_group": owner}),
        R::PutPolicy { policy, .. } => policy_body(policy),
        R::CreateSwitch { switch, .. } => json!({
            "name": switch.name,
            "matcher": switch.matcher,
            "timeout": switch.timeout,
            "severity": switch.severity,
        }),
        R::CreateIntegration { kind, name, .. } => json!({"kind": kind, "name": name}),
        _ => return None,
    })
}

fn account(name: &str, scope: &AccountScope) -> Value {
    match scope {
        AccountScope::Instance => json!({"name": name, "scope": "instance"}),
        AccountScope::Team(team) => json!({"name": name, "scope": "team", "team_id": team.0}),
        AccountScope::Other(other) => json!({"name": name, "scope": other}),
    }
}

fn policy_body(policy: &Policy) -> Value {
    let levels: Vec<Value> = policy.levels.iter().map(level).collect();
    let mut body = json!({"repeat_count": policy.repeat_count, "levels": levels});
    if let Some(topic) = &policy.fallback_topic {
        body["fallback_topic"] = json!(topic);
    }
    body
}

fn level(level: &Level) -> Value {
    let targets: Vec<Value> = level.targets.iter().map(target).collect();
    json!({"timeout": level.timeout, "targets": targets})
}

fn target(target: &Target) -> Value {
    match target {
        Target::OnCall => json!({"kind": "oncall"}),
        Target::User(user) => json!({"kind": "user", "user_id": user.0}),
        Target::Other { kind, user: Some(user) } => json!({"kind": kind, "user_id": user.0}),
        Target::Other { kind, user: None } => json!({"kind": kind}),
    }
}
