//! What is asked of a provider beside its resources' lives: lists, actions, ephemeral resources.

use std::collections::BTreeSet;

use terdut_proto::tfplugin6::invoke_action::event::Type as What;

use super::identity::IdentitySchema;
use super::{Rule, Violations};
use crate::host::schema::Schema;
use crate::host::value::{Path, Value};

/// A list or an action has no state, so that nothing in its settings is computed.
pub(in crate::host) fn check_settings(name: &str, schema: &Schema, violations: &mut Violations) {
    for (attribute, shape) in &schema.block.attributes {
        if shape.computed || shape.write_only {
            let path = Path::root().attribute(name).attribute(attribute);
            violations.add(Rule::AskingSchema, &path, "is computed or write-only");
        }
    }
}

/// One event of a list, taken apart; null stands for none.
#[derive(Debug, Clone)]
pub(in crate::host) struct Event {
    pub(in crate::host) name: String,
    pub(in crate::host) identity: Value,
    pub(in crate::host) object: Value,
    pub(in crate::host) errors: usize,
    pub(in crate::host) warnings: usize,
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::host) struct Asked<'a> {
    pub(in crate::host) identity: &'a IdentitySchema,
    pub(in crate::host) whole: bool,
    pub(in crate::host) limit: usize,
}

/// All events of a list, to its end.
pub(in crate::host) fn check_list(asked: Asked<'_>, events: &[Event], violations: &mut Violations) {
    let mut seen = BTreeSet::new();
    for (index, event) in events.iter().enumerate() {
        let path = Path::root().index(index);
        if event.errors > 0 && index + 1 < events.len() {
            violations.add(Rule::ListEnd, &path, "is an error and not the last event");
        }
        if event.identity.is_null() {
            if event.errors + event.warnings == 0 {
                violations.add(Rule::ListIdentity, &path, "has neither an identity nor a message");
            }
            continue;
        }
        check_found(asked, event, &path, violations);
        if !seen.insert(format!("{:?}", event.identity)) {
            violations.add(Rule::ListOnce, &path, "was listed before");
        }
    }
    if seen.len() > asked.limit {
        violations.add_root(Rule::ListLimit, &format!("has {} objects", seen.len()));
    }
}

fn check_found(asked: Asked<'_>, event: &Event, path: &Path, violations: &mut Violations) {
    if event.name.trim().is_empty() {
        violations.add(Rule::ListIdentity, path, "has no name for people");
    }
    for name in &asked.identity.required {
        if !event.identity.get(name).is_known() || event.identity.get(name).is_null() {
            violations.add(Rule::ListIdentity, &path.attribute(name), "is missing");
        }
    }
    if !event.identity.is_wholly_known() {
        violations.add(Rule::IdentityKnown, path, "is unknown in the identity");
    }
    if event.object.is_null() == asked.whole {
        let found = if asked.whole { "comes without its object" } else { "comes with an object" };
        violations.add(Rule::ListObject, path, found);
    }
}

/// All events of an action, to its end: the messages, and where it is completed.
pub(in crate::host) fn check_action(events: &[Option<What>], violations: &mut Violations) {
    let ends = events.iter().filter(|event| matches!(event, Some(What::Completed(_)))).count();
    if ends != 1 || !matches!(events.last(), Some(Some(What::Completed(_)))) {
        violations.add_root(Rule::ActionEnd, &format!("is completed {ends} times"));
    }
    for (index, event) in events.iter().enumerate() {
        let silent = match event {
            Some(What::Progress(progress)) => progress.message.trim().is_empty(),
            Some(What::Completed(_)) => false,
            None => true,
        };
        if silent {
            violations.add(Rule::ActionProgress, &Path::root().index(index), "says nothing");
        }
    }
}

/// Shows no secret to people.
pub(in crate::host) fn check_shown(
    text: &str,
    secrets: &BTreeSet<String>,
    violations: &mut Violations,
) {
    if secrets.iter().any(|secret| text.contains(secret.as_str())) {
        violations.add_root(Rule::SecretLeak, &format!("a message shows it: {text}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use terdut_proto::tfplugin6::invoke_action::event::{Completed, Progress};

    use super::*;
    use crate::host::fake::schema_of;
    use crate::host::types::Type;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn found(id: &str) -> Event {
        let identity = Value::Keyed([("id".to_owned(), text(id))].into());
        Event { name: "a".into(), identity, object: Value::Null, errors: 0, warnings: 0 }
    }

    fn told(errors: usize, warnings: usize) -> Event {
        Event { name: String::new(), identity: Value::Null, errors, warnings, ..found("") }
    }

    fn judged(whole: bool, events: &[Event]) -> Violations {
        let ty = Type::from_json(&json!(["object", { "id": "string" }])).unwrap();
        let identity = IdentitySchema { version: 0, ty, required: vec!["id".to_owned()] };
        let mut violations = Violations::default();
        check_list(Asked { identity: &identity, whole, limit: 2 }, events, &mut violations);
        violations
    }

    #[test]
    fn a_list_of_named_objects_and_messages_passes() {
        judged(false, &[]).expect_none("a list");
        judged(false, &[found("1"), told(0, 1), found("2"), told(1, 0)]).expect_none("a list");
        judged(true, &[Event { object: text("o"), ..found("1") }]).expect_none("a list");
    }

    #[test]
    fn a_spoilt_event_of_a_list_is_refused() {
        for (rule, whole, events) in [
            (Rule::ListEnd, false, vec![told(1, 0), found("1")]),
            (Rule::ListIdentity, false, vec![told(0, 0)]),
            (Rule::ListIdentity, false, vec![Event { name: " ".into(), ..found("1") }]),
            (
                Rule::ListIdentity,
                false,
                vec![Event {
                    identity: Value::Keyed([("id".to_owned(), Value::Null)].into()),
                    ..found("1")
                }],
            ),
            (Rule::ListOnce, false, vec![found("1"), found("1")]),
            (Rule::ListLimit, false, vec![found("1"), found("2"), found("3")]),
            (Rule::ListObject, true, vec![found("1")]),
            (Rule::ListObject, false, vec![Event { object: text("o"), ..found("1") }]),
        ] {
            judged(whole, &events).expect_only(rule);
        }
    }

    #[test]
    fn an_action_is_completed_once_and_last() {
        let said = |message: &str| Some(What::Progress(Progress { message: message.to_owned() }));
        let end = || Some(What::Completed(Completed { diagnostics: Vec::new() }));
        let judged = |events: &[Option<What>]| {
            let mut violations = Violations::default();
            check_action(events, &mut violations);
            violations
        };
        judged(&[said("a"), end()]).expect_none("an action");
        judged(&[said("a")]).expect_only(Rule::ActionEnd);
        judged(&[end(), end()]).expect_only(Rule::ActionEnd);
        judged(&[end(), said("a")]).expect_only(Rule::ActionEnd);
        judged(&[said(" "), end()]).expect_only(Rule::ActionProgress);
        judged(&[None, end()]).expect_only(Rule::ActionProgress);
    }

    #[test]
    fn what_people_see_and_what_has_no_state_is_looked_at() {
        let mut violations = Violations::default();
        check_shown(
            "sent to hunter2-hunter2",
            &["hunter2-hunter2".to_owned()].into(),
            &mut violations,
        );
        violations.expect_only(Rule::SecretLeak);
        for mode in ["computed", "optional write_only"] {
            let mut violations = Violations::default();
            let schema = schema_of(&json!({ "a": [mode, "string"] }));
            check_settings("thing", &schema, &mut violations);
            violations.expect_only(Rule::AskingSchema);
        }
    }
}
