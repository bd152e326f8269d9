//! The planned state, row by row.

use super::super::propose::propose;
use crate::prelude::*;

fn lower_case(one: &Value, other: &Value) -> bool {
    let lower = |value: &Value| value.as_str().map(str::to_lowercase);
    lower(one) == lower(other)
}

fn schema() -> Schema {
    Schema::new("")
        .attribute(Attribute::string("id").computed().keep())
        .attribute(Attribute::string("name").required().equal_by(lower_case))
        .attribute(Attribute::string("level").default_value("low"))
        .attribute(Attribute::string("noise").computed())
        .attribute(Attribute::string("secret").optional().write_only())
        .attribute(Attribute::list(
            "parts",
            [
                Attribute::string("kind").required().equal_by(lower_case),
                Attribute::string("serial").computed().keep(),
            ],
        ))
}

/// An object of the schema; what is not named is null.
fn object(members: &[(&'static str, Value)]) -> Value {
    let mut object = Value::empty_object(&schema().ty());
    for (name, value) in members {
        *object.attribute_mut(name).unwrap() = value.clone();
    }
    object
}

fn part(kind: Value, serial: Value) -> Value {
    Value::object([("kind", kind), ("serial", serial)])
}

fn check(name: &str, config: &Value, prior: Option<&Value>, wanted: &Value) {
    assert_eq!(propose(schema().all(), config, prior), *wanted, "{name}");
}

fn settled() -> Value {
    object(&[
        ("id", "7".into()),
        ("name", "Ada".into()),
        ("level", "low".into()),
        ("noise", "n1".into()),
        ("parts", Value::List(vec![part("a".into(), "s1".into())])),
    ])
}

#[test]
fn a_new_object_has_defaults_and_unknowns() {
    let config = object(&[("name", "Ada".into()), ("secret", "canary".into())]);
    let wanted = object(&[
        ("id", Value::UNKNOWN),
        ("name", "Ada".into()),
        ("level", "low".into()),
        ("noise", Value::UNKNOWN),
    ]);
    check("new", &config, None, &wanted);
}

#[test]
fn the_same_again_is_no_change_and_keeps_the_spelling() {
    let parts = Value::List(vec![part("A".into(), Value::Null)]);
    let config = object(&[("name", "ADA".into()), ("parts", parts)]);
    check("same", &config, Some(&settled()), &settled());
}

#[test]
fn a_change_makes_unknown_only_what_does_not_stay() {
    let parts = Value::List(vec![part("a".into(), Value::Null)]);
    let config = object(&[("name", "Bob".into()), ("parts", parts)]);
    let mut wanted = settled();
    *wanted.attribute_mut("name").unwrap() = "Bob".into();
    *wanted.attribute_mut("noise").unwrap() = Value::UNKNOWN;
    check("changed", &config, Some(&settled()), &wanted);
}

#[test]
fn a_new_element_never_keeps_a_null() {
    let parts = vec![part("a".into(), Value::Null), part("b".into(), Value::Null)];
    let config = object(&[("name", "Ada".into()), ("parts", Value::List(parts))]);
    let planned = propose(schema().all(), &config, Some(&settled()));
    let parts = planned.attribute("parts").and_then(Value::elements).unwrap();
    assert_eq!(parts[0], part("a".into(), "s1".into()));
    assert_eq!(parts[1], part("b".into(), Value::UNKNOWN));
}

#[test]
fn an_unknown_in_the_configuration_stays_unknown() {
    let config = object(&[("name", Value::UNKNOWN), ("parts", Value::UNKNOWN)]);
    let planned = propose(schema().all(), &config, Some(&settled()));
    assert_eq!(planned.attribute("name"), Some(&Value::UNKNOWN));
    assert_eq!(planned.attribute("parts"), Some(&Value::UNKNOWN));
    assert_eq!(planned.attribute("id"), Some(&"7".into()));
}

#[test]
fn a_value_kept_may_be_null() {
    let mut prior = settled();
    *prior.attribute_mut("id").unwrap() = Value::Null;
    let config = object(&[("name", "Bob".into())]);
    let planned = propose(schema().all(), &config, Some(&prior));
    assert_eq!(planned.attribute("id"), Some(&Value::Null));
}

#[test]
fn a_second_plan_with_what_became_known_is_the_same() {
    let config = object(&[("name", "Bob".into())]);
    let first = propose(schema().all(), &config, Some(&settled()));
    assert_eq!(propose(schema().all(), &config, Some(&settled())), first);
}

#[test]
fn a_kept_value_goes_before_a_default_only_where_there_was_an_object() {
    let both = [Attribute::string("level").default_value("low").keep()];
    let level = |value: Value| Value::object([("level", value)]);
    let unset = level(Value::Null);
    for (prior, wanted) in [
        (None, "low".into()),
        (Some(level("high".into())), "high".into()),
        (Some(level(Value::Null)), Value::Null),
    ] {
        assert_eq!(propose(&both, &unset, prior.as_ref()), level(wanted));
    }
}

#[test]
fn a_change_reaches_what_is_computed_in_a_nested_object() {
    let attributes = [Attribute::single(
        "part",
        [Attribute::string("kind").optional(), Attribute::string("noise").computed()],
    )];
    let part = |kind: &str, noise: Value| {
        Value::object([("part", Value::object([("kind", kind.into()), ("noise", noise)]))])
    };
    let prior = part("a", "n".into());
    assert_eq!(propose(&attributes, &part("a", Value::Null), Some(&prior)), prior);
    let changed = propose(&attributes, &part("b", Value::Null), Some(&prior));
    assert_eq!(changed, part("b", Value::UNKNOWN));
}

#[test]
fn an_element_that_is_partly_unknown_still_keeps_what_it_has() {
    let parts = Value::List(vec![part(Value::UNKNOWN, Value::Null)]);
    let config = object(&[("name", "Ada".into()), ("parts", parts)]);
    let planned = propose(schema().all(), &config, Some(&settled()));
    let parts = planned.attribute("parts").and_then(Value::elements).unwrap();
    assert_eq!(parts[0], part(Value::UNKNOWN, "s1".into()));
}
