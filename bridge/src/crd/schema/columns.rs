//! What `kubectl get` shows of each kind.
//!
//! Whether it is ready and why stands in every table; `-o wide` adds what one asks for less often.

use serde_json::{Value, json};

pub(super) fn server() -> Value {
    table(&[
        shown("Version", ".spec.image.tag"),
        condition("Database", "DatabaseReady", "status"),
        condition("Bootstrapped", "Bootstrapped", "status"),
        wide("URL", ".status.url"),
    ])
}

pub(super) fn team() -> Value {
    table(&[
        shown("DisplayName", ".spec.displayName"),
        shown("Server", ".spec.serverRef.name"),
        wide("ID", ".status.teamID"),
    ])
}

pub(super) fn escalation_rule() -> Value {
    table(&[shown("Team", ".spec.teamRef.name")])
}

pub(super) fn deadman_switch() -> Value {
    table(&[
        shown("Team", ".spec.teamRef.name"),
        shown("Timeout", ".spec.timeout"),
        wide("Matcher", ".spec.matcher"),
        wide("ID", ".status.switchID"),
    ])
}

pub(super) fn alert_source() -> Value {
    table(&[
        shown("Team", ".spec.teamRef.name"),
        shown("Secret", ".status.webhookURLSecretRef.name"),
        wide("ID", ".status.integrationID"),
    ])
}

fn table(own: &[Value]) -> Value {
    let mut columns = vec![condition("Ready", "Ready", "status")];
    columns.push(condition("Reason", "Ready", "reason"));
    columns.extend_from_slice(own);
    columns.push(json!({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}));
    columns.push(at_priority(condition("Message", "Ready", "message"), 1));
    columns.into()
}

fn shown(name: &str, path: &str) -> Value {
    json!({"name": name, "type": "string", "jsonPath": path})
}

fn wide(name: &str, path: &str) -> Value {
    at_priority(shown(name, path), 1)
}

fn condition(name: &str, kind: &str, field: &str) -> Value {
    shown(name, &format!(".status.conditions[?(@.type==\"{kind}\")].{field}"))
}

fn at_priority(mut column: Value, priority: i64) -> Value {
    column["priority"] = priority.into();
    column
}
