//! The fields of the contract's objects, and how an answer departs from them.
//!
//! The walk holds every answer against them. They are written down here once more, apart from the
//! wire types, which read far more than the contract allows.

use serde_json::Value;

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Holds {
    /// A whole number of 64 bits.
    Id,
    Text,
    Bool,
    /// A text or null.
    TextOrNull,
    /// Objects of a shape.
    List(Shape),
}

/// A field: its name, what it holds, whether it is always there.
pub(super) type Field = (&'static str, Holds, bool);

/// The fields of an object.
pub(super) type Shape = &'static [Field];

const ALWAYS: bool = true;
const MAYBE: bool = false;

pub(super) const USER: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("username", Holds::Text, ALWAYS),
    ("email", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
    ("ntfy_topic", Holds::Text, MAYBE),
];

pub(super) const PASSWORD: Shape = &[("has_password", Holds::Bool, ALWAYS)];

pub(super) const LISTED_KEY: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("user_id", Holds::Id, MAYBE),
    ("name", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
    ("last_used_at", Holds::TextOrNull, MAYBE),
];

pub(super) const NEW_KEY: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("user_id", Holds::Id, MAYBE),
    ("name", Holds::Text, ALWAYS),
    ("key", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
    ("last_used_at", Holds::TextOrNull, MAYBE),
];

pub(super) const ACCOUNT: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("name", Holds::Text, ALWAYS),
    ("scope", Holds::Text, ALWAYS),
    ("team_id", Holds::Id, MAYBE),
    ("created_at", Holds::Text, ALWAYS),
];

pub(super) const TEAM: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("name", Holds::Text, ALWAYS),
    ("oidc_member_group", Holds::Text, MAYBE),
    ("oidc_owner_group", Holds::Text, MAYBE),
    ("created_at", Holds::Text, ALWAYS),
];

pub(super) const POLICY: Shape = &[
    ("team_id", Holds::Id, ALWAYS),
    ("repeat_count", Holds::Id, ALWAYS),
    ("fallback_topic", Holds::Text, MAYBE),
    ("levels", Holds::List(LEVEL), ALWAYS),
];

const LEVEL: Shape = &[("timeout", Holds::Text, ALWAYS), ("targets", Holds::List(TARGET), ALWAYS)];

const TARGET: Shape = &[("kind", Holds::Text, ALWAYS), ("user_id", Holds::Id, MAYBE)];

pub(super) const SWITCH: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("team_id", Holds::Id, ALWAYS),
    ("name", Holds::Text, ALWAYS),
    ("matcher", Holds::Text, ALWAYS),
    ("timeout", Holds::Text, ALWAYS),
    ("severity", Holds::Text, ALWAYS),
    ("last_seen_at", Holds::Text, MAYBE),
];

pub(super) const SOURCE: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("team_id", Holds::Id, ALWAYS),
    ("kind", Holds::Text, ALWAYS),
    ("name", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
];

pub(super) const NEW_SOURCE: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("team_id", Holds::Id, ALWAYS),
    ("kind", Holds::Text, ALWAYS),
    ("name", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
    ("key", Holds::Text, ALWAYS),
    ("url", Holds::Text, ALWAYS),
];

pub(super) const ENTRY: Shape = &[
    ("id", Holds::Id, ALWAYS),
    ("user_id", Holds::Id, ALWAYS),
    ("username", Holds::Text, ALWAYS),
    ("date", Holds::Text, ALWAYS),
    ("created_at", Holds::Text, ALWAYS),
];

/// How an answer departs from its shape.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Departures {
    /// Fields that are missing or hold something else.
    pub(super) faults: Vec<String>,
    /// Fields that the contract does not know.
    pub(super) unknown: Vec<String>,
}

/// Holds one object against its shape.
pub(super) fn object(value: &Value, shape: Shape) -> Departures {
    let mut departures = Departures::default();
    departures.object("", value, shape);
    departures
}

/// Holds every object of a list against their shape.
pub(super) fn list(value: &Value, shape: Shape) -> Departures {
    let mut departures = Departures::default();
    departures.list("", value, shape);
    departures
}

impl Departures {
    fn object(&mut self, path: &str, value: &Value, shape: Shape) {
        let Some(fields) = value.as_object() else {
            return self.faults.push(format!("{path}is not an object"));
        };
        for (name, holds, always) in shape {
            let here = format!("{path}{name}");
            match fields.get(*name) {
                Some(value) => self.field(&here, value, *holds),
                None if *always => self.faults.push(format!("{here} is missing")),
                None => {}
            }
        }
        let known = |name: &String| shape.iter().any(|(known, ..)| known == name);
        let unknown = fields.keys().filter(|name| !known(name));
        self.unknown.extend(unknown.map(|name| format!("{path}{name}")));
    }

    fn field(&mut self, path: &str, value: &Value, holds: Holds) {
        let fits = match holds {
            Holds::Id => value.as_i64().is_some(),
            Holds::Text => value.is_string(),
            Holds::Bool => value.is_boolean(),
            Holds::TextOrNull => value.is_string() || value.is_null(),
            Holds::List(shape) => return self.list(&format!("{path}."), value, shape),
        };
        if !fits {
            let what = match holds {
                Holds::Id => "a whole number",
                Holds::Bool => "true or false",
                Holds::Text | Holds::TextOrNull | Holds::List(_) => "a text",
            };
            self.faults.push(format!("{path} is not {what}"));
        }
    }

    fn list(&mut self, path: &str, value: &Value, shape: Shape) {
        match value.as_array() {
            Some(rows) => rows.iter().for_each(|row| self.object(path, row, shape)),
            None => self.faults.push(format!("{path}is not a list")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_wrong_and_unknown_fields_are_named_with_their_place() {
        let level = json!({ "timeout": 5, "targets": [{ "kind": "oncall", "since": 1 }] });
        let policy = json!({ "team_id": 1, "repeat_count": "2", "levels": [level] });
        let found = object(&policy, POLICY);
        assert_eq!(
            found.faults,
            ["repeat_count is not a whole number", "levels.timeout is not a text"]
        );
        assert_eq!(found.unknown, ["levels.targets.since"]);
        assert_eq!(list(&json!({}), TEAM).faults, ["is not a list"]);
        assert_eq!(
            object(&json!({ "id": 1, "name": "a" }), TEAM).faults,
            ["created_at is missing"]
        );
    }
}
