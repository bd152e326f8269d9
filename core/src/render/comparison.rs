//! Whether an object that is there has all that is wanted of it.
//!
//! The bridge asks before it applies: what is already so needs no request. What the API server
//! filled in, and what others added where they may, is no difference.

use serde_json::{Map, Value};

/// Lists whose items have a name of their own, as server-side apply knows them: others may add
/// theirs.
const NAMED: [(&str, &str); 6] = [
    ("containers", "name"),
    ("env", "name"),
    ("ownerReferences", "uid"),
    ("ports", "name"),
    ("volumeMounts", "mountPath"),
    ("volumes", "name"),
];

/// Whether the object has all that is wanted. Its kind, which a list leaves out, is not compared.
pub fn holds(existing: &Value, wanted: &Value) -> bool {
    let Some(wanted) = wanted.as_object() else { return existing == wanted };
    let told = wanted.iter().filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind"));
    told.into_iter().all(|(name, wanted)| field_holds(existing, name, wanted))
}

fn field_holds(existing: &Value, name: &str, wanted: &Value) -> bool {
    existing.get(name).map_or_else(|| is_nothing(wanted), |found| value_holds(name, found, wanted))
}

fn value_holds(field: &str, existing: &Value, wanted: &Value) -> bool {
    match (existing, wanted) {
        (Value::Object(_), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| field_holds(existing, name, wanted))
        }
        (Value::Array(existing), Value::Array(wanted)) => list_holds(field, existing, wanted),
        (existing, wanted) => existing == wanted,
    }
}

fn list_holds(field: &str, existing: &[Value], wanted: &[Value]) -> bool {
    let named = NAMED.iter().find(|(list, _)| *list == field);
    if let Some((_, key)) = named {
        let same = |wanted: &Value| existing.iter().find(|found| found[*key] == wanted[*key]);
        return wanted
            .iter()
            .all(|wanted| same(wanted).is_some_and(|it| value_holds("", it, wanted)));
    }
    let pairs = existing.iter().zip(wanted);
    existing.len() == wanted.len()
        && pairs.into_iter().all(|(it, wanted)| value_holds("", it, wanted))
}

/// What the API server leaves out of an answer.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => Map::is_empty(fields),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_filled_in_or_added_beside_is_no_difference() {
        let wanted = json!({"kind": "Deployment", "spec": {"containers": [{
            "name": "a", "image": "v1", "env": [{"name": "A", "value": ""}, {"name": "B", "value": "1"}],
        }], "empty": {}}});
        let existing = json!({"spec": {"dnsPolicy": "ClusterFirst", "containers": [
            {"name": "sidecar"},
            {"name": "a", "image": "v1", "imagePullPolicy": "Always",
             "env": [{"name": "X", "value": "9"}, {"name": "B", "value": "1"}, {"name": "A"}]},
        ]}});
        assert!(holds(&existing, &wanted));
    }

    #[test]
    fn what_is_missing_or_other_is_a_difference() {
        let wanted =
            json!({"spec": {"env": [{"name": "A", "value": "1"}], "hosts": ["a"], "on": false}});
        let other = |spec: Value| !holds(&json!({ "spec": spec }), &wanted);
        assert!(other(json!({"env": [{"name": "A", "value": "2"}], "hosts": ["a"], "on": false})));
        assert!(other(json!({"env": [{"name": "A"}], "hosts": ["a"], "on": false})));
        assert!(other(json!({"env": [], "hosts": ["a"], "on": false})));
        assert!(other(
            json!({"env": [{"name": "A", "value": "1"}], "hosts": ["a", "b"], "on": false})
        ));
        assert!(other(json!({"env": [{"name": "A", "value": "1"}], "hosts": ["a"]})));
    }
}
