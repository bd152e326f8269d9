//! Models against the values they come from and go to.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::model;

model! {
    /// A nested object.
    struct Oidc {
        issuer: Attr<String>,
        groups: Attr<Vec<String>>,
    }

    struct Team {
        id: Attr<String>,
        r#type: Attr<i64>,
        secret: Attr<Sensitive>,
        oidc: Attr<Oidc>,
        steps: Attr<Vec<Oidc>>,
        labels: Attr<BTreeMap<String, String>>,
        words: Attr<BTreeSet<String>>,
        on: Attr<bool>,
        ratio: Attr<Number>,
    }
}

fn oidc(issuer: Value, groups: Value) -> Value {
    Value::object([("issuer", issuer), ("groups", groups)])
}

fn team() -> Value {
    Value::object([
        ("id", "1".into()),
        ("type", 7.into()),
        ("secret", "canary".into()),
        ("oidc", oidc("x".into(), vec!["a", "b"].into())),
        ("steps", vec![oidc(Value::UNKNOWN, Value::Null)].into()),
        ("labels", Value::map([("k", "v".into())])),
        ("words", Value::set(["q".into(), "p".into()])),
        ("on", true.into()),
        ("ratio", Value::Number("0.25".parse().unwrap())),
    ])
}

#[test]
fn a_model_keeps_everything_of_its_value() {
    let model = Team::from_value(team()).unwrap();
    assert_eq!(model.r#type, Attr::Known(7));
    assert_eq!(model.steps.known().unwrap()[0].issuer, Attr::Unknown);
    assert_eq!(model.to_value(), team());
}

#[test]
fn the_default_model_is_all_null() {
    let value = Team::default().into_value();
    assert_eq!(value, Value::empty_object(&Team::ty()));
    assert_eq!(Team::attribute_names()[1], "type");
}

#[test]
fn a_list_with_an_unknown_part_is_unknown_where_parts_are_plain() {
    let value = oidc(Value::Null, Value::List(vec!["a".into(), Value::UNKNOWN]));
    assert_eq!(Oidc::from_value(value).unwrap().groups, Attr::Unknown);
}

#[test]
fn an_error_names_the_place_and_no_value() {
    let mut value = team();
    *value.attribute_mut("steps").unwrap() =
        vec![oidc("canary".into(), Value::List(vec!["canary".into(), true.into()]))].into();
    let error = Team::from_value(value).unwrap_err();
    assert_eq!(error.to_string(), "steps[0].groups[1] is a bool instead of a string");
}

#[test]
fn an_attribute_that_the_model_lacks_is_an_error() {
    let mut value = team();
    value.members_mut().unwrap().insert("more".into(), Value::Null);
    assert_eq!(Team::from_value(value).unwrap_err().why(), Mismatch::Extra);
}

#[test]
fn a_fraction_does_not_become_an_integer() {
    let value = Value::Number("1.5".parse().unwrap());
    assert_eq!(i64::from_value(value).unwrap_err().why(), Mismatch::Range);
    assert_eq!(u16::from_value((-1).into()).unwrap_err().why(), Mismatch::Range);
}

#[test]
fn secrets_do_not_show_in_debug() {
    let model = Team::from_value(team()).unwrap();
    assert!(!format!("{model:?}").contains("canary"));
}
