//! What of an answer goes into the state.

use super::super::settle::{after_apply, after_read};
use crate::prelude::*;

fn lower_case(one: &Value, other: &Value) -> bool {
    let lower = |value: &Value| value.as_str().map(str::to_lowercase);
    lower(one) == lower(other)
}

fn schema() -> Schema {
    Schema::new("")
        .attribute(Attribute::string("name").required().equal_by(lower_case))
        .attribute(Attribute::string("topic").optional().empty_is_null())
        .attribute(Attribute::string("level").default_value("high").empty_is_null())
        .attribute(
            Attribute::single("groups", [Attribute::string("member").optional().empty_is_null()])
                .optional()
                .empty_is_null(),
        )
        .attribute(Attribute::string("secret").optional().write_only())
        .attribute(Attribute::string("id").computed())
}

fn object(name: &str, topic: Value, groups: Value) -> Value {
    Value::object([
        ("name", name.into()),
        ("topic", topic),
        ("level", "high".into()),
        ("groups", groups),
        ("secret", Value::Null),
        ("id", "7".into()),
    ])
}

fn groups(member: Value) -> Value {
    Value::object([("member", member)])
}

#[test]
fn a_read_keeps_the_prior_form_of_nothing_and_the_prior_spelling() {
    let forms = [Value::Null, groups(Value::Null), groups("".into())];
    for topic in [Value::Null, "".into()] {
        for prior_groups in &forms {
            let prior = object("Ada", topic.clone(), prior_groups.clone());
            for actual_groups in &forms {
                let actual = object("ada", Value::Null, actual_groups.clone());
                assert_eq!(after_read(schema().all(), &prior, actual), prior);
            }
        }
    }
}

#[test]
fn an_empty_text_is_the_default_where_there_is_one() {
    let level = |text: &str| {
        let mut object = object("Ada", Value::Null, Value::Null);
        let members = object.members_mut().expect("an object");
        members.insert("level".to_owned(), text.into());
        object
    };
    assert_eq!(after_read(schema().all(), &level(""), level("high")), level(""));
    let mut told = Diagnostics::new();
    let applied = after_apply(schema().all(), &level(""), level("high"), &mut told);
    assert_eq!((applied, told.is_empty()), (level(""), true));
    assert_eq!(after_read(schema().all(), &level(""), level("low")), level("low"));
    let imported = object("Ada", Value::Null, Value::Null);
    assert_eq!(after_read(schema().all(), &Value::Null, imported.clone()), imported);
}

#[test]
fn a_read_shows_drift() {
    let prior = object("Ada", "t".into(), groups("g".into()));
    let actual = object("Bob", Value::Null, groups("h".into()));
    assert_eq!(after_read(schema().all(), &prior, actual.clone()), actual);
}

#[test]
fn an_apply_returns_the_planned_spelling() {
    let planned = object("Ada", "".into(), groups("".into()));
    let mut said = Diagnostics::new();
    let actual = object("ADA", Value::Null, Value::Null);
    assert_eq!(after_apply(schema().all(), &planned, actual, &mut said), planned);
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn what_did_not_come_about_is_a_warning_at_its_path_and_stays_as_promised() {
    let planned = object("Ada", Value::Null, groups("g".into()));
    let actual = object("Ada", Value::Null, groups("h".into()));
    let mut said = Diagnostics::new();
    assert_eq!(after_apply(schema().all(), &planned, actual, &mut said), planned);
    let paths: Vec<String> =
        said.iter().filter_map(|it| it.path.as_ref().map(ToString::to_string)).collect();
    assert_eq!(paths, ["groups.member"]);
    assert!(!said.has_errors());
}

#[test]
fn a_left_over_unknown_is_null_and_an_error() {
    let mut planned = object("Ada", Value::Null, Value::Null);
    *planned.attribute_mut("id").unwrap() = Value::UNKNOWN;
    let mut said = Diagnostics::new();
    let settled = after_apply(schema().all(), &planned, planned.clone(), &mut said);
    assert_eq!(settled.attribute("id"), Some(&Value::Null));
    assert!(said.has_errors());
}

#[test]
fn nothing_write_only_reaches_a_state() {
    let planned = object("Ada", Value::Null, Value::Null);
    let mut actual = planned.clone();
    *actual.attribute_mut("secret").unwrap() = "canary".into();
    let read = after_read(schema().all(), &planned, actual.clone());
    assert_eq!(read.attribute("secret"), Some(&Value::Null));
    let applied = after_apply(schema().all(), &planned, actual, &mut Diagnostics::new());
    assert_eq!(applied.attribute("secret"), Some(&Value::Null));
}
