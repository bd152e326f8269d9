//! Who plays in a life: the objects of a configuration, and what becomes of each.

use serde_json::{Value as Json, json};

/// What a configuration is applied for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Everything is made.
    Make,
    /// Everything is changed, in place or by a replacement.
    Change,
    /// Everything is destroyed.
    Destroy,
}

impl Step {
    pub(super) const ALL: [Self; 3] = [Self::Make, Self::Change, Self::Destroy];
}

/// What a configuration refers to.
#[derive(Debug, Default, Clone)]
pub(super) struct Known {
    pub(super) url: String,
    /// Ids of a team and a service account of the same configuration.
    pub(super) team: String,
    pub(super) account: String,
    /// The key of an administrator, where one is handed in.
    pub(super) admin: String,
    /// Whether the server is set up with that key, since its bootstrap is lost.
    pub(super) handed_in: bool,
}

/// One object of the configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Role {
    pub(super) address: &'static str,
    pub(super) config: fn(&Known, Step) -> Json,
    pub(super) create_before_destroy: bool,
}

impl Role {
    const fn new(address: &'static str, config: fn(&Known, Step) -> Json) -> Self {
        Self { address, config, create_before_destroy: false }
    }

    pub(super) fn type_name(&self) -> &'static str {
        self.address.split('.').next().expect("an address begins with the type")
    }
}

/// The address of the server.
pub(super) const SERVER: &str = "terdut_server.main";

/// All kinds, in the order in which they depend on each other.
pub(super) const EVERYTHING: [Role; 10] = [
    Role::new(SERVER, |known, step| server(known, step, true)),
    Role::new("terdut_team.main", |_, step| team(step)),
    Role::new("terdut_user.main", |_, step| user(step)),
    Role::new("terdut_escalation_rule.main", rule),
    Role::new("terdut_deadman_switch.main", switch),
    Role::new(
        "terdut_alert_source.renamed",
        |known, step| json!({ "team_id": known.team, "name": either(step, "prod", "prod-2") }),
    ),
    Role::new(
        "terdut_alert_source.rotated",
        |known, step| json!({ "team_id": known.team, "name": "test", "rotate_when_changed": turn(step) }),
    ),
    Role::new(
        "terdut_service_account.main",
        |known, _| json!({ "name": "ci", "scope": "team", "team_id": known.team }),
    ),
    Role::new(
        "terdut_service_account.replaced",
        |_, step| json!({ "name": either(step, "robot", "robot-2"), "scope": "instance" }),
    ),
    Role { create_before_destroy: true, ..Role::new("terdut_service_account_key.main", key) },
];

/// A server that keeps no admin key, and changes its account.
pub(super) const SERVER_ALONE: [Role; 1] =
    [Role::new(SERVER, |known, step| server(known, step, false))];

/// One value before the change, another with it.
fn either(step: Step, before: &'static str, after: &'static str) -> &'static str {
    if step == Step::Change { after } else { before }
}

fn turn(step: Step) -> Json {
    json!({ "quarter": either(step, "q1", "q2") })
}

fn server(known: &Known, step: Step, keeps_admin: bool) -> Json {
    let mut config = json!({ "url": known.url, "rotate_when_changed": turn(step) });
    let changes_account = !keeps_admin && step == Step::Change;
    if known.handed_in || changes_account {
        // A token comes from one source.
        config["admin_token"] = json!(known.admin);
    } else {
        config["bootstrap"] = json!({
            "username": "root", "email": "root@example.org", "password": "s3cret-password"
        });
        config["keep_bootstrap_token"] = json!(keeps_admin);
    }
    if changes_account {
        config["service_account_name"] = json!("second");
    }
    config
}

fn team(step: Step) -> Json {
    let owner = either(step, "owners", "owners-2");
    json!({
        "name": either(step, "Platform", "Platform 2"),
        "oidc": { "member_group": "members", "owner_group": owner }
    })
}

fn user(step: Step) -> Json {
    let email = either(step, "eve@example.org", "eva@example.org");
    json!({ "username": "eve", "email": email, "ntfy_topic": "eve-pages" })
}

fn rule(known: &Known, step: Step) -> Json {
    let timeout = either(step, "5m", "6m");
    json!({ "team_id": known.team, "fallback_topic": "last", "levels": [
        { "timeout": timeout, "targets": [{ "kind": "oncall" }] },
        { "timeout": "10m", "targets": [{ "kind": "user", "username": "root" }] }
    ] })
}

fn switch(known: &Known, step: Step) -> Json {
    json!({
        "team_id": known.team, "name": "watchdog", "matcher": "alertname=Watchdog",
        "timeout": either(step, "15m", "20m")
    })
}

fn key(known: &Known, step: Step) -> Json {
    json!({
        "service_account_id": known.account, "name": "deploy", "rotate_when_changed": turn(step)
    })
}
