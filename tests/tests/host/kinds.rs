//! What the matrices know of each kind: configurations, changes, spellings, drift.
//!
//! A new attribute is one line here and is then met by every matrix.

use serde_json::{Value as Json, json};
use terdut_simulator::{Policy, Simulator, Switch, Team};
use terdut_tests::host::Action;

/// Things on the server that configurations refer to.
#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    pub(crate) team: String,
    pub(crate) other_team: String,
    pub(crate) account: String,
    pub(crate) other_account: String,
}

/// A change of one attribute and what it must lead to.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) attribute: &'static str,
    pub(crate) value: Json,
    pub(crate) action: Action,
    /// Whether the server hears of it.
    pub(crate) calls: bool,
}

/// A change that somebody else makes, and what the plan makes of it.
#[derive(Debug, Clone)]
pub(crate) struct Drift {
    pub(crate) attribute: &'static str,
    pub(crate) action: Action,
    /// Makes the change to the object of that state.
    pub(crate) change: fn(&Simulator, &Json),
}

/// One kind of object.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) type_name: &'static str,
    /// Only what is required.
    pub(crate) small: Json,
    /// Every attribute that can be set together.
    pub(crate) full: Json,
    /// Changes of `full`.
    pub(crate) changes: Vec<Change>,
    /// Values of an attribute that all mean that nothing is set.
    pub(crate) empties: Vec<(&'static str, Vec<Json>)>,
    /// Values of an attribute that all mean the same.
    pub(crate) spellings: Vec<(&'static str, Vec<Json>)>,
    pub(crate) drift: Vec<Drift>,
    /// Where the object is listed, and where it is deleted.
    pub(crate) list: &'static str,
    pub(crate) object: &'static str,
    /// Method and route of its making and of its end.
    pub(crate) create: (&'static str, &'static str),
    pub(crate) delete: (&'static str, &'static str),
    /// Import ids, with attributes of the state in braces.
    pub(crate) imports: Vec<&'static str>,
    /// Attributes that an import cannot fill in.
    pub(crate) unreadable: Vec<&'static str>,
}

fn update(attribute: &'static str, value: Json) -> Change {
    Change { attribute, value, action: Action::Update, calls: true }
}

fn quiet(attribute: &'static str, value: Json) -> Change {
    Change { calls: false, ..update(attribute, value) }
}

fn replace(attribute: &'static str, value: Json) -> Change {
    Change { action: Action::Replace, ..update(attribute, value) }
}

fn drift(attribute: &'static str, change: fn(&Simulator, &Json)) -> Drift {
    Drift { attribute, action: Action::Update, change }
}

fn drift_replaced(attribute: &'static str, change: fn(&Simulator, &Json)) -> Drift {
    Drift { attribute, action: Action::Replace, change }
}

/// A number in a state.
pub(crate) fn number(state: &Json, attribute: &str) -> i64 {
    let text = state[attribute].as_str().expect("ids are strings");
    text.parse().expect("ids are numbers")
}

fn edit_switch(simulator: &Simulator, state: &Json, edit: impl FnOnce(&mut Switch)) {
    let (team, id) = (number(state, "team_id"), number(state, "id"));
    simulator.state().edit_switch(team, id, edit).expect("the switch is there");
}

fn edit_policy(simulator: &Simulator, state: &Json, edit: impl FnOnce(&mut Policy)) {
    let team = number(state, "team_id");
    let mut policy = simulator.state().team(team).and_then(|team| team.policy).expect("a policy");
    edit(&mut policy);
    simulator.state().set_policy(team, Some(policy)).expect("the team is there");
}

fn timeouts() -> Change {
    quiet("timeouts", json!({ "create": "1m", "update": "2m", "delete": "90s" }))
}

fn no_timeouts() -> (&'static str, Vec<Json>) {
    ("timeouts", vec![json!(null), json!({})])
}

/// Every kind below a server.
pub(crate) fn all(fixture: &Fixture) -> Vec<Kind> {
    vec![
        team(),
        escalation_rule(fixture),
        deadman_switch(fixture),
        alert_source(fixture),
        user(),
        service_account(fixture),
        service_account_key(fixture),
    ]
}

fn team() -> Kind {
    let groups = json!({ "member_group": "m", "owner_group": "o" });
    Kind {
        type_name: "terdut_team",
        small: json!({ "name": "Platform" }),
        full: json!({ "name": "Platform", "oidc": groups }),
        changes: vec![
            update("name", json!("Platform 2")),
            update("oidc", json!({ "member_group": "m2", "owner_group": "o" })),
            update("oidc", json!({ "owner_group": "o2" })),
            update("oidc", json!(null)),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![
            (
                "oidc",
                vec![
                    json!(null),
                    json!({}),
                    json!({ "member_group": "" }),
                    json!({ "member_group": "", "owner_group": "" }),
                ],
            ),
            no_timeouts(),
        ],
        spellings: vec![("name", vec![json!("Platform"), json!(" Platform ")])],
        drift: vec![
            drift("name", |simulator, state| {
                simulator.state().rename_team(number(state, "id"), "Drifted").expect("a team");
            }),
            drift("oidc", |simulator, state| {
                let edit = |team: &mut Team| team.oidc_member_group = Some("drifted".to_owned());
                simulator.state().edit_team(number(state, "id"), edit).expect("a team");
            }),
            drift("oidc", |simulator, state| {
                let edit = |team: &mut Team| team.oidc_owner_group = None;
                simulator.state().edit_team(number(state, "id"), edit).expect("a team");
            }),
        ],
        list: "/api/teams",
        object: "/api/teams/{id}",
        create: ("POST", "/api/teams"),
        delete: ("DELETE", "/api/teams/{id}"),
        imports: vec!["{id}", "name={name}"],
        unreadable: Vec::new(),
    }
}

fn escalation_rule(fixture: &Fixture) -> Kind {
    let level = |timeout: &str, kind: &str, username: Json| json!({ "timeout": timeout, "targets": [{ "kind": kind, "username": username }] });
    let oncall = |timeout: &str| level(timeout, "oncall", json!(null));
    let levels = json!([oncall("5m"), level("10m", "user", json!("ada"))]);
    Kind {
        type_name: "terdut_escalation_rule",
        small: json!({ "team_id": fixture.team, "levels": [oncall("5m")] }),
        full: json!({
            "team_id": fixture.team, "repeat_count": 2, "fallback_topic": "last", "levels": levels
        }),
        changes: vec![
            replace("team_id", json!(fixture.other_team)),
            update("repeat_count", json!(3)),
            update("repeat_count", json!(0)),
            update("fallback_topic", json!("other")),
            update("fallback_topic", json!(null)),
            update("levels", json!([oncall("7m"), level("10m", "user", json!("ada"))])),
            update("levels", json!([level("10m", "user", json!("ada")), oncall("5m")])),
            update("levels", json!([oncall("5m"), level("10m", "user", json!("bob"))])),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![("fallback_topic", vec![json!(null), json!("")]), no_timeouts()],
        spellings: vec![(
            "levels",
            vec![json!([oncall("60m")]), json!([oncall("1h")]), json!([oncall("1h0m0s")])],
        )],
        drift: vec![
            drift("repeat_count", |simulator, state| {
                edit_policy(simulator, state, |policy| policy.repeat_count = 9);
            }),
            drift("fallback_topic", |simulator, state| {
                edit_policy(simulator, state, |policy| policy.fallback_topic = None);
            }),
            drift("levels", |simulator, state| {
                edit_policy(simulator, state, |policy| policy.levels.reverse());
            }),
            drift("levels", |simulator, state| {
                edit_policy(simulator, state, |policy| policy.levels.truncate(1));
            }),
            drift("levels", |simulator, state| {
                edit_policy(simulator, state, |policy| {
                    policy.levels[0].timeout = "6m0s".into();
                });
            }),
        ],
        list: "/api/teams/{team_id}/escalation",
        object: "/api/teams/{team_id}/escalation",
        create: ("PUT", "/api/teams/{id}/escalation"),
        delete: ("PUT", "/api/teams/{id}/escalation"),
        imports: vec!["{team_id}", "name=Fixture"],
        unreadable: Vec::new(),
    }
}

fn deadman_switch(fixture: &Fixture) -> Kind {
    let small = json!({
        "team_id": fixture.team, "name": "watchdog", "matcher": "alertname=Watchdog,env=prod",
        "timeout": "15m"
    });
    let mut full = small.clone();
    full["severity"] = json!("high");
    Kind {
        type_name: "terdut_deadman_switch",
        small,
        full,
        changes: vec![
            replace("team_id", json!(fixture.other_team)),
            replace("name", json!("watchdog-2")),
            replace("matcher", json!("alertname=Other")),
            replace("timeout", json!("20m")),
            replace("severity", json!("info")),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![no_timeouts()],
        spellings: vec![
            ("name", vec![json!("watchdog"), json!(" watchdog")]),
            ("severity", vec![json!(null), json!(""), json!("critical")]),
            (
                "matcher",
                vec![
                    json!("alertname=Watchdog,env=prod"),
                    json!("env=prod,alertname=Watchdog"),
                    json!(" env=prod , alertname=Watchdog "),
                ],
            ),
            ("timeout", vec![json!("15m"), json!("900s"), json!("0h15m0s")]),
        ],
        drift: vec![
            drift_replaced("matcher", |simulator, state| {
                edit_switch(simulator, state, |switch| switch.matcher = "a=b".into());
            }),
            drift_replaced("timeout", |simulator, state| {
                edit_switch(simulator, state, |switch| switch.timeout = "6m0s".into());
            }),
            drift_replaced("severity", |simulator, state| {
                edit_switch(simulator, state, |switch| switch.severity = "info".into());
            }),
        ],
        list: "/api/teams/{team_id}/deadman-switches",
        object: "/api/teams/{team_id}/deadman-switches/{id}",
        create: ("POST", "/api/teams/{id}/deadman-switches"),
        delete: ("DELETE", "/api/teams/{id}/deadman-switches/{id}"),
        imports: vec!["{team_id}/{id}", "name=Fixture/name={name}"],
        unreadable: Vec::new(),
    }
}

fn alert_source(fixture: &Fixture) -> Kind {
    let rotation = |value: &str| json!({ "quarter": value });
    Kind {
        type_name: "terdut_alert_source",
        small: json!({ "team_id": fixture.team, "name": "prod" }),
        full: json!({
            "team_id": fixture.team, "name": "prod", "kind": "alertmanager",
            "rotate_when_changed": rotation("q1")
        }),
        changes: vec![
            replace("team_id", json!(fixture.other_team)),
            update("name", json!("prod-2")),
            replace("rotate_when_changed", rotation("q2")),
            quiet("rotate_when_changed", json!(null)),
            quiet("rotate_when_changed", json!({})),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![("rotate_when_changed", vec![json!(null), json!({})]), no_timeouts()],
        spellings: vec![
            ("name", vec![json!("prod"), json!("prod ")]),
            ("kind", vec![json!(null), json!(""), json!("alertmanager")]),
        ],
        drift: vec![
            drift("name", |simulator, state| {
                let (team, id) = (number(state, "team_id"), number(state, "id"));
                simulator.state().rename_integration(team, id, "drifted").expect("a source");
            }),
            drift_replaced("kind", |simulator, state| {
                let (team, id) = (number(state, "team_id"), number(state, "id"));
                simulator.state().set_kind(team, id, "webhook").expect("a source");
            }),
        ],
        list: "/api/teams/{team_id}/integrations",
        object: "/api/teams/{team_id}/integrations/{id}",
        create: ("POST", "/api/teams/{id}/integrations"),
        delete: ("DELETE", "/api/teams/{id}/integrations/{id}"),
        imports: vec!["{team_id}/{id}", "name=Fixture/name={name}"],
        unreadable: vec!["rotate_when_changed"],
    }
}

fn user() -> Kind {
    Kind {
        type_name: "terdut_user",
        small: json!({ "username": "eve", "email": "eve@example.org" }),
        full: json!({ "username": "eve", "email": "eve@example.org", "ntfy_topic": "eve-pages" }),
        changes: vec![
            replace("username", json!("eva")),
            replace("email", json!("eva@example.org")),
            update("ntfy_topic", json!("eve-2")),
            update("ntfy_topic", json!(null)),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![("ntfy_topic", vec![json!(null), json!("")]), no_timeouts()],
        spellings: vec![("email", vec![json!("eve@example.org"), json!("Eve@Example.org")])],
        drift: vec![
            drift_replaced("username", |simulator, state| {
                let id = number(state, "id");
                simulator.state().rename_user(id, "drifted", "eve@example.org").expect("a user");
            }),
            drift_replaced("email", |simulator, state| {
                let id = number(state, "id");
                simulator.state().rename_user(id, "eve", "drifted@example.org").expect("a user");
            }),
            drift("ntfy_topic", |simulator, state| {
                simulator.state().set_topic(number(state, "id"), Some("drifted")).expect("a user");
            }),
            drift("ntfy_topic", |simulator, state| {
                simulator.state().set_topic(number(state, "id"), None).expect("a user");
            }),
        ],
        list: "/api/users",
        object: "/api/users/{id}",
        create: ("POST", "/api/users"),
        delete: ("DELETE", "/api/users/{id}"),
        imports: vec!["{id}", "name={username}"],
        unreadable: Vec::new(),
    }
}

fn service_account(fixture: &Fixture) -> Kind {
    Kind {
        type_name: "terdut_service_account",
        small: json!({ "name": "ci", "scope": "instance" }),
        full: json!({ "name": "ci", "scope": "team", "team_id": fixture.team }),
        changes: vec![
            replace("name", json!("ci-2")),
            replace("team_id", json!(fixture.other_team)),
            quiet("adopt_existing", json!(true)),
            timeouts(),
        ],
        empties: vec![no_timeouts()],
        spellings: vec![("name", vec![json!("ci"), json!(" ci ")])],
        drift: vec![
            drift_replaced("name", |simulator, state| {
                simulator.state().rename_account(number(state, "id"), "drifted").expect("one");
            }),
            drift_replaced("scope", |simulator, state| {
                simulator.state().move_account(number(state, "id"), None).expect("an account");
            }),
            drift_replaced("team_id", |simulator, state| {
                let other = simulator.state().add_team("Drifted").id;
                simulator.state().move_account(number(state, "id"), Some(other)).expect("one");
            }),
        ],
        list: "/api/service-accounts",
        object: "/api/service-accounts/{id}",
        create: ("POST", "/api/service-accounts"),
        delete: ("DELETE", "/api/service-accounts/{id}"),
        imports: vec!["{id}", "name={name}"],
        unreadable: Vec::new(),
    }
}

fn service_account_key(fixture: &Fixture) -> Kind {
    let rotation = |value: &str| json!({ "quarter": value });
    Kind {
        type_name: "terdut_service_account_key",
        small: json!({ "service_account_id": fixture.account }),
        full: json!({
            "service_account_id": fixture.account, "name": "deploy",
            "rotate_when_changed": rotation("q1")
        }),
        changes: vec![
            replace("service_account_id", json!(fixture.other_account)),
            replace("name", json!("deploy-2")),
            replace("rotate_when_changed", rotation("q2")),
            quiet("rotate_when_changed", json!(null)),
            timeouts(),
        ],
        empties: vec![("rotate_when_changed", vec![json!(null), json!({})]), no_timeouts()],
        spellings: vec![
            ("name", vec![json!("deploy"), json!(" deploy")]),
            ("name", vec![json!(null), json!(""), json!("terraform")]),
        ],
        drift: Vec::new(),
        list: "/api/service-accounts/{service_account_id}/keys",
        object: "/api/service-accounts/{service_account_id}/keys/{id}",
        create: ("POST", "/api/service-accounts/{id}/keys"),
        delete: ("DELETE", "/api/service-accounts/{id}/keys/{id}"),
        imports: vec!["{service_account_id}/{id}"],
        unreadable: vec!["rotate_when_changed"],
    }
}

/// Fills `{attribute}` in a template from a state.
pub(crate) fn filled(template: &str, state: &Json) -> String {
    let mut text = template.to_owned();
    for (name, value) in state.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
        text = text.replace(&format!("{{{name}}}"), &value);
    }
    text
}

/// A configuration with one attribute set.
pub(crate) fn with(config: &Json, attribute: &str, value: &Json) -> Json {
    let mut config = config.clone();
    config[attribute] = value.clone();
    config
}
