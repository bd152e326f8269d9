//! Tests of what a spec may hold, what it means, and how its schema looks.

use schemars::schema_for;
use serde_json::{Value, json};

use super::*;
use crate::consent::{Adoption, From};
use crate::problem::Findings;

/// The least that is valid.
fn least() -> Value {
    json!({
        "image": {"tag": "v1"},
        "database": {"dsn": "postgres://t@h/t", "passwordSecretRef": {"name": "db"}},
    })
}

/// The least that is valid, with further fields.
fn with(patch: &Value) -> InstallSpec {
    let mut spec = least();
    merge(&mut spec, patch);
    serde_json::from_value(spec).unwrap()
}

fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (name, value) in patch {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch.clone(),
    }
}

fn valid(patch: &Value) -> Install {
    let mut findings = Findings::default();
    let install = with(patch).validate(&mut findings);
    assert!(findings.is_valid(), "{:?}", findings.errors);
    install.unwrap()
}

/// The paths of the faults, as a custom resource writes them.
fn faults(patch: &Value) -> Vec<String> {
    let mut findings = Findings::default();
    let install = with(patch).validate(&mut findings);
    assert_eq!(install.is_some(), findings.is_valid());
    findings.errors.iter().map(|problem| problem.path.camel_case()).collect()
}

#[test]
fn what_is_left_out_gets_its_default() {
    let install = valid(&json!({}));
    assert_eq!(install.image.reference(), "git.ryuvia.com/niklas/terdut-server:v1");
    assert_eq!(install.replicas, None);
    assert_eq!(install.networking.service_port, 8080);
    assert_eq!(install.sweeper.stale_after.short(), "6h");
    assert_eq!(install.sweeper.archive_after.short(), "168h");
    assert_eq!(install.deadman, None);
    assert_eq!(install.notify.repeat_every.short(), "15m");
    assert_eq!(install.oidc, None);
    assert!(install.password_login);
    assert_eq!(install.credentials, None);
    assert_eq!(install.bootstrap.username.as_str(), "terdut-operator");
    assert_eq!(install.bootstrap.email.as_str(), "terdut-operator@localhost");
    assert_eq!(install.allowed_teams, crate::consent::AllowedTeams::default());
    let DatabaseChoice::Dsn { password, .. } = &install.database else {
        panic!("{:?}", install.database)
    };
    assert_eq!((password.name.as_str(), password.key.as_str()), ("db", "password"));
}

#[test]
fn empty_means_the_same_as_absent() {
    let written_out = json!({
        "image": {"repository": ""},
        "networking": {"hostname": "", "gatewayListener": ""},
        "database": {"postgresClusterRef": {"name": "", "database": "", "user": ""}},
        "sweeper": {"staleAfter": "", "archiveAfter": ""},
        "deadman": {"matchers": "", "timeout": "", "severity": ""},
        "notify": {"ntfyURL": "", "fallbackTopic": "", "repeatEvery": "",
                   "tokenSecretRef": {"name": "", "key": "token"}},
        "oidc": {"issuer": "", "clientID": "", "clientSecretRef": {"name": "", "key": ""},
                 "name": "", "scopes": "", "allowedGroups": [], "adminGroup": "",
                 "sessionMaxAge": ""},
        "credentialsSecretRef": {"name": ""},
        "bootstrap": {"username": "", "email": "", "passwordSecretRef": {"name": ""}},
        "allowedTeams": {"namespaces": {"from": "", "selector": {}}, "adoption": ""},
        "env": [],
    });
    assert_eq!(valid(&written_out), valid(&json!({})));
}

#[test]
fn all_faults_are_found_at_once() {
    let wrong = json!({
        "image": {"repository": "a b", "tag": ""},
        "replicas": 11,
        "networking": {"hostname": "Upper", "servicePort": 0, "gatewayListener": "a/b/c/d"},
        "database": {"dsn": "postgres://t:secret@h/t", "passwordSecretRef": {"name": "A"}},
        "sweeper": {"staleAfter": "x", "archiveAfter": "8761h"},
        "deadman": {"matchers": "x", "timeout": "999ms", "severity": "Bad"},
        "notify": {"ntfyURL": "ftp://h", "fallbackTopic": "a\nb", "repeatEvery": "0s",
                   "tokenSecretRef": {"name": "n", "key": "a b"}},
        "oidc": {"enabled": true, "allowedGroups": ["a", "b,c", ""]},
        "bootstrap": {"username": " ", "email": "x"},
        "allowedTeams": {"namespaces": {"from": "Some"}, "adoption": "Maybe"},
        "env": [{"name": "A"}, {"name": "A"}, {"name": "1"}],
    });
    let expected = [
        "image.repository",
        "image.tag",
        "networking.hostname",
        "networking.gatewayListener",
        "networking.servicePort",
        "database.dsn",
        "database.passwordSecretRef.name",
        "sweeper.staleAfter",
        "sweeper.archiveAfter",
        "deadman.matchers",
        "deadman.timeout",
        "deadman.severity",
        "notify.ntfyURL",
        "notify.fallbackTopic",
        "notify.repeatEvery",
        "notify.tokenSecretRef.key",
        "oidc.allowedGroups[1]",
        "oidc.allowedGroups[2]",
        "oidc.issuer",
        "oidc.clientID",
        "oidc.clientSecretRef",
        "bootstrap.username",
        "bootstrap.email",
        "allowedTeams.adoption",
        "allowedTeams.namespaces.from",
        "replicas",
        "env[1].name",
        "env[2].name",
    ];
    assert_eq!(faults(&wrong), expected);
}

#[test]
fn no_fault_repeats_a_password() {
    let mut findings = Findings::default();
    with(&json!({"database": {"dsn": "postgres://t:canary@h/t"}})).validate(&mut findings);
    assert!(!format!("{findings:?}").contains("canary"));
}

#[test]
fn exactly_one_database_is_named() {
    let cluster = json!({"name": "pg"});
    for (database, expected) in [
        (json!({"dsn": null}), vec!["database.dsn"]),
        (json!({"postgresClusterRef": cluster}), vec!["database.dsn"]),
        (json!({"dsn": "", "postgresClusterRef": cluster}), vec!["database.passwordSecretRef"]),
        (json!({"passwordSecretRef": null}), vec!["database.passwordSecretRef"]),
        (json!({"dsn": "", "passwordSecretRef": null, "postgresClusterRef": cluster}), vec![]),
    ] {
        assert_eq!(faults(&json!({"database": database})), expected, "{database}");
    }
}

#[test]
fn an_alert_is_archived_after_it_is_stale() {
    for (stale, archive, ok) in
        [("1h", "61m", true), ("1h", "60m", false), ("", "6h", false), ("200h", "", false)]
    {
        let patch = json!({"sweeper": {"staleAfter": stale, "archiveAfter": archive}});
        assert_eq!(faults(&patch).is_empty(), ok, "{stale:?} {archive:?}");
    }
}

#[test]
fn somebody_must_be_able_to_log_in() {
    assert_eq!(faults(&json!({"passwordLogin": false})), ["passwordLogin"]);
    let unfinished = json!({"enabled": true, "clientID": "c", "clientSecretRef": {"name": "o"}});
    assert_eq!(faults(&json!({"oidc": unfinished})), ["oidc.issuer"]);
    let oidc = json!({"enabled": true, "issuer": "https://i.example.org/", "clientID": "c",
                      "clientSecretRef": {"name": "oidc"}});
    let install = valid(&json!({"passwordLogin": false, "oidc": oidc}));
    assert!(install.lets_somebody_in());
    let oidc = install.oidc.unwrap();
    assert_eq!(oidc.issuer, "https://i.example.org/", "letter by letter");
    assert_eq!(oidc.client_secret.key, "client-secret");
    assert!(!valid(&json!({})).lets_somebody_in());
    let person = json!({"bootstrap": {"passwordSecretRef": {"name": "first"}}});
    assert!(valid(&person).lets_somebody_in());
}

#[test]
fn a_selector_is_given_with_selector_and_only_then() {
    let labels = json!({"matchLabels": {"a": "b"}});
    for (namespaces, ok) in [
        (json!({"from": "Selector", "selector": labels}), true),
        (json!({"from": "Selector"}), false),
        (json!({"from": "Selector", "selector": {"matchLabels": {}}}), false),
        (json!({"from": "All", "selector": labels}), false),
        (json!({"selector": labels}), false),
        (json!({"from": "Same"}), true),
    ] {
        let found = faults(&json!({"allowedTeams": {"namespaces": namespaces}}));
        assert_eq!(found.is_empty(), ok, "{namespaces}");
    }
    let allowed = json!({"namespaces": {"from": "Selector", "selector": {"matchExpressions": [
        {"key": "team", "operator": "In", "values": ["a"]}]}}, "adoption": "Allow"});
    let install = valid(&json!({"allowedTeams": allowed}));
    assert_eq!(install.allowed_teams.from, From::Selector);
    assert_eq!(install.allowed_teams.adoption, Adoption::Allow);
    assert_eq!(install.allowed_teams.selector.match_expressions.len(), 1);
}

#[test]
fn a_demand_on_a_label_has_the_values_that_its_operator_takes() {
    for (operator, values, ok) in [
        ("In", json!(["a"]), true),
        ("NotIn", json!([]), false),
        ("Exists", json!([]), true),
        ("DoesNotExist", json!(["a"]), false),
        ("Like", json!(["a"]), false),
    ] {
        let demand = json!({"key": "team", "operator": operator, "values": values});
        let selector = json!({"matchExpressions": [demand]});
        let namespaces = json!({"from": "Selector", "selector": selector});
        let found = faults(&json!({"allowedTeams": {"namespaces": namespaces}}));
        assert_eq!(found.is_empty(), ok, "{operator}");
    }
}

#[test]
fn a_variable_has_a_value_or_one_source() {
    let secret = json!({"secretKeyRef": {"name": "s", "key": "k"}});
    let both = json!({"secretKeyRef": {"name": "s", "key": "k"}, "fieldRef": {"fieldPath": "x"}});
    let install = valid(&json!({"env": [
        {"name": "A", "value": ""},
        {"name": "B", "valueFrom": {}},
        {"name": "C", "value": "", "valueFrom": secret},
    ]}));
    assert_eq!(install.env[0].value.as_deref(), Some(""));
    assert_eq!(install.env[1].value_from, None);
    assert_eq!(install.env[2].value, None);
    let wrong = json!({"env": [
        {"name": "A", "value": "x", "valueFrom": secret},
        {"name": "B", "valueFrom": both},
    ]});
    assert_eq!(faults(&wrong), ["env[0].valueFrom", "env[1].valueFrom"]);
}

#[test]
fn a_variable_shows_no_more_of_a_password_than_a_dsn_does() {
    let with_dsn = |dsn: &str| json!({"env": [{"name": "TERDUT_DATABASE_DSN", "value": dsn}]});
    let wrong = with_dsn("postgres://t:canary@h/t");
    assert_eq!(faults(&wrong), ["env[0].value"]);
    let mut findings = Findings::default();
    with(&wrong).validate(&mut findings);
    assert!(!format!("{findings:?}").contains("canary"), "{findings:?}");
    valid(&with_dsn("postgres://t:$(PGPASSWORD)@h/t"));
}

#[test]
fn a_listener_without_a_host_name_is_warned_of() {
    let mut findings = Findings::default();
    with(&json!({"networking": {"gatewayListener": "web"}})).validate(&mut findings).unwrap();
    assert_eq!(findings.warnings[0].path.camel_case(), "networking.gatewayListener");
}

#[test]
fn the_schema_holds_defaults_bounds_and_what_is_required() {
    let schema = Value::from(schema_for!(InstallSpec));
    assert_eq!(schema["required"], json!(["image", "database"]));
    assert_eq!(schema["$defs"]["ImageSpec"]["required"], json!(["tag"]));
    assert_eq!(schema["properties"]["replicas"]["maximum"], json!(10));
    assert_eq!(schema["properties"]["env"]["maxItems"], json!(64));
    let notify = &schema["$defs"]["NotifySpec"]["properties"];
    assert_eq!(notify["repeatEvery"]["default"], json!("15m"));
    assert!(notify["ntfyURL"].is_object());
}

#[test]
fn a_spec_is_written_as_it_was_read() {
    let written = json!({
        "image": {"tag": "v1"},
        "database": {"dsn": "postgres://t@h/t", "passwordSecretRef": {"name": "db", "key": "p"}},
        "oidc": {"clientID": "c"},
        "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
    });
    let spec: InstallSpec = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(spec).unwrap(), written);
}
