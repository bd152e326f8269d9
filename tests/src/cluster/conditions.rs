//! Reading conditions of an object, and showing them to a person.

use serde_json::Value as Json;

/// The condition of a type.
pub fn find<'a>(object: &'a Json, kind: &str) -> Option<&'a Json> {
    object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// The status of a condition: `True`, `False`, `Unknown`.
pub fn status<'a>(object: &'a Json, kind: &str) -> Option<&'a str> {
    find(object, kind)?["status"].as_str()
}

/// The reason of a condition.
pub fn reason<'a>(object: &'a Json, kind: &str) -> Option<&'a str> {
    find(object, kind)?["reason"].as_str()
}

/// Whether a condition was judged by the spec that the object has now.
pub fn is_current(object: &Json, kind: &str) -> bool {
    let generation = object["metadata"]["generation"].as_i64();
    find(object, kind).is_some_and(|condition| {
        generation.is_some() && condition["observedGeneration"].as_i64() == generation
    })
}

/// Whether a condition holds for the spec that the object has now.
pub fn holds(object: &Json, kind: &str) -> bool {
    is_current(object, kind) && status(object, kind) == Some("True")
}

/// All conditions, one a line.
pub fn show(object: &Json) -> String {
    let all = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |condition: &Json| {
        let text = |field: &str| condition[field].as_str().unwrap_or("-").to_owned();
        format!(
            "  {}={} {} (generation {}): {}",
            text("type"),
            text("status"),
            text("reason"),
            condition["observedGeneration"],
            text("message")
        )
    };
    let generation = &object["metadata"]["generation"];
    let deleted = &object["metadata"]["deletionTimestamp"];
    let lines: Vec<_> = all.iter().map(line).collect();
    format!("  generation {generation}, deletionTimestamp {deleted}\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_condition_of_an_older_spec_does_not_hold() {
        let object = |generation: i64| {
            json!({
                "metadata": { "generation": generation },
                "status": { "conditions": [
                    { "type": "Ready", "status": "True", "reason": "Applied", "observedGeneration": 2 },
                ]},
            })
        };
        assert!(holds(&object(2), "Ready"));
        assert!(!holds(&object(3), "Ready"));
        assert!(!holds(&object(2), "Synced"));
        assert!(!holds(&json!({}), "Ready"));
        assert_eq!(reason(&object(2), "Ready"), Some("Applied"));
    }
}
