//! Which changes force a replacement, row by row.

use super::super::replace::replacements;
use crate::prelude::*;

fn lower_case(one: &Value, other: &Value) -> bool {
    let lower = |value: &Value| value.as_str().map(str::to_lowercase);
    lower(one) == lower(other)
}

fn schema() -> Schema {
    let part = || {
        [
            Attribute::string("kind").optional().replace().equal_by(lower_case),
            Attribute::string("size").optional(),
        ]
    };
    Schema::new("")
        .attribute(Attribute::string("name").optional().replace().empty_is_null())
        .attribute(Attribute::single("main", part()).optional())
        .attribute(Attribute::list("parts", part()))
        .attribute(Attribute::map("named", part()))
}

fn part(kind: &str, size: &str) -> Value {
    Value::object([("kind", kind.into()), ("size", size.into())])
}

fn object(members: [Value; 4]) -> Value {
    Value::object(["name", "main", "parts", "named"].into_iter().zip(members))
}

fn prior() -> Value {
    let named = Value::map([("k", part("a", "1"))]);
    object([Value::Null, part("a", "1"), vec![part("a", "1")].into(), named])
}

/// The prior object with one attribute changed.
#[track_caller]
fn check(attribute: &str, value: Value, wanted: &[&str]) {
    let mut planned = prior();
    *planned.attribute_mut(attribute).unwrap() = value;
    let found = replacements(schema().all(), &planned, &prior());
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, wanted, "{attribute}");
}

#[test]
fn only_a_change_in_meaning_replaces() {
    check("name", Value::Null, &[]);
    check("name", "".into(), &[]);
    check("name", "x".into(), &["name"]);
    check("name", Value::UNKNOWN, &["name"]);
    check("main", part("A", "2"), &[]);
    check("main", part("b", "1"), &["main.kind"]);
}

#[test]
fn what_is_nested_is_named_where_it_is() {
    check("main", Value::Null, &["main.kind"]);
    check("main", Value::UNKNOWN, &["main"]);
    check("parts", vec![part("a", "1"), part("b", "1")].into(), &["parts[1].kind"]);
    check("parts", Value::List(Vec::new()), &["parts[0].kind"]);
    check("named", Value::map([("k", part("b", "1"))]), &["named[\"k\"].kind"]);
    check("named", Value::map([("k", part("a", "2"))]), &[]);
}
