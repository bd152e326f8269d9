//! All that is on the server, seen past the API: each object at a path of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value as Json;
use terdut_simulator::{Owner, Simulator, TeamState};

/// Every object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Truth(BTreeMap<String, Json>);

fn json(object: &impl Serialize) -> Json {
    serde_json::to_value(object).expect("an object of the simulator")
}

impl Truth {
    pub(crate) fn look(simulator: &Simulator) -> Self {
        let state = simulator.state();
        let mut all = BTreeMap::new();
        for user in state.users() {
            all.insert(format!("user/{}", user.id), json(&user));
        }
        for account in state.accounts() {
            all.insert(format!("account/{}", account.id), json(&account));
        }
        for mut key in state.keys() {
            key.last_used_at = None;
            let owner = match key.owner {
                Owner::User(id) => format!("user/{id}"),
                Owner::Account(id) => format!("account/{id}"),
            };
            all.insert(format!("{owner}/key/{}", key.id), json(&key));
        }
        for team in state.teams() {
            below_team(&mut all, &team);
        }
        Self(all)
    }

    /// What is at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The paths whose objects are others than before, are new, or are gone.
    pub(crate) fn changed_since(&self, before: &Self) -> BTreeSet<String> {
        let paths = self.0.keys().chain(before.0.keys());
        paths.filter(|path| self.0.get(*path) != before.0.get(*path)).cloned().collect()
    }

    /// The paths that another look did not have.
    pub(crate) fn new_since(&self, before: &Self) -> Vec<String> {
        self.0.keys().filter(|path| !before.0.contains_key(*path)).cloned().collect()
    }
}

fn below_team(all: &mut BTreeMap<String, Json>, state: &TeamState) {
    let at = format!("team/{}", state.team.id);
    all.insert(at.clone(), json(&state.team));
    // A policy without levels is none.
    if let Some(policy) = state.policy.as_ref().filter(|policy| !policy.levels.is_empty()) {
        all.insert(format!("{at}/policy"), json(policy));
    }
    for switch in &state.switches {
        all.insert(format!("{at}/switch/{}", switch.id), json(switch));
    }
    for source in &state.integrations {
        all.insert(format!("{at}/source/{}", source.id), json(source));
    }
}

/// Where the object of a state is.
pub(crate) fn path_of(type_name: &str, state: &Json) -> String {
    let text = |name: &str| state[name].as_str().unwrap_or_default().to_owned();
    let (id, team) = (text("id"), text("team_id"));
    match type_name {
        "terdut_team" => format!("team/{id}"),
        "terdut_escalation_rule" => format!("team/{team}/policy"),
        "terdut_deadman_switch" => format!("team/{team}/switch/{id}"),
        "terdut_alert_source" => format!("team/{team}/source/{id}"),
        "terdut_user" => format!("user/{id}"),
        "terdut_service_account" => format!("account/{id}"),
        _ => format!("account/{}/key/{id}", text("service_account_id")),
    }
}

/// Whether an object of the kind can be at a path.
pub(crate) fn is_of(type_name: &str, path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    matches!(
        (type_name, parts.as_slice()),
        ("terdut_team", ["team", _])
            | ("terdut_escalation_rule", ["team", _, "policy"])
            | ("terdut_deadman_switch", ["team", _, "switch", _])
            | ("terdut_alert_source", ["team", _, "source", _])
            | ("terdut_user", ["user", _])
            | ("terdut_service_account", ["account", _])
            | ("terdut_service_account_key", ["account", _, "key", _])
    )
}

/// Whether a path is that of an object or below it.
pub(crate) fn is_at(path: &str, object: &str) -> bool {
    path == object || path.strip_prefix(object).is_some_and(|rest| rest.starts_with('/'))
}
