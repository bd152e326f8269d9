//! The plan that the schema's behaviours make of a configuration and a prior state.
//!
//! Pure, and the same input gives the same plan: the host plans twice and compares. What the user
//! set is planned as set, or as it was spelled before if that means the same; the host allows
//! nothing else.

use std::collections::BTreeMap;

use crate::schema::{Attribute, Kind};
use crate::value::Value;

/// What becomes of a computed value that no behaviour decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// It stays: nothing else changes.
    Stays,
    /// It may change with the rest.
    Unknown,
}

/// The planned value of a whole object.
pub(super) fn propose(attributes: &[Attribute], config: &Value, prior: Option<&Value>) -> Value {
    let propose = |rest| object(attributes, config, prior, rest);
    let calm = propose(Rest::Stays);
    if prior.is_some_and(|prior| *prior == calm) { calm } else { propose(Rest::Unknown) }
}

fn object(attributes: &[Attribute], config: &Value, prior: Option<&Value>, rest: Rest) -> Value {
    Value::object(attributes.iter().map(|attribute| {
        let name = attribute.name();
        let config = config.attribute(name).unwrap_or(&Value::Null);
        let prior = prior.and_then(|prior| prior.attribute(name));
        (name, one(attribute, config, prior, rest))
    }))
}

fn one(attribute: &Attribute, config: &Value, prior: Option<&Value>, rest: Rest) -> Value {
    if attribute.write_only {
        return Value::Null;
    }
    if config.is_null() {
        return unset(attribute, config, prior, rest);
    }
    if config.is_unknown() {
        return config.clone();
    }
    match prior.filter(|prior| prior.is_known()) {
        Some(prior) if keeps_spelling(attribute, config, prior) => prior.clone(),
        prior => set(attribute, config, prior, rest),
    }
}

/// Both are there and mean the same. Of a nested object only its own equality can say so: its
/// attributes have behaviours of their own.
fn keeps_spelling(attribute: &Attribute, config: &Value, prior: &Value) -> bool {
    let decides = attribute.nested().is_none() || attribute.equality.is_some();
    decides && config.is_wholly_known() && attribute.means_the_same(config, prior)
}

fn unset(attribute: &Attribute, config: &Value, prior: Option<&Value>, rest: Rest) -> Value {
    if !attribute.is_computed() {
        return config.clone();
    }
    let decided = match (prior, &attribute.default) {
        (Some(prior), _) if attribute.keep => Some(prior),
        (Some(prior), Some(default)) if attribute.means_the_same(prior, default) => Some(prior),
        (_, Some(default)) => Some(default.as_ref()),
        (prior, None) => prior.filter(|_| rest == Rest::Stays),
    };
    decided.cloned().unwrap_or(Value::UNKNOWN)
}

fn set(attribute: &Attribute, config: &Value, prior: Option<&Value>, rest: Rest) -> Value {
    match (attribute.kind(), config) {
        (Kind::Single(nested), Value::Object(_)) => object(nested, config, prior, rest),
        (Kind::List(nested), Value::List(elements)) => {
            let before = prior.and_then(Value::elements).unwrap_or_default();
            let pairs = elements.iter().enumerate();
            let plan = |(index, element)| nested_one(nested, element, before.get(index), rest);
            Value::List(pairs.map(plan).collect())
        }
        (Kind::Map(nested), Value::Map(members)) => {
            let none = BTreeMap::new();
            let before = prior.and_then(Value::members).unwrap_or(&none);
            Value::map(members.iter().map(|(key, member)| {
                (key.as_str(), nested_one(nested, member, before.get(key), rest))
            }))
        }
        _ => config.clone(),
    }
}

/// An element: it may itself be null or unknown.
fn nested_one(nested: &[Attribute], config: &Value, prior: Option<&Value>, rest: Rest) -> Value {
    if config.is_known() {
        object(nested, config, prior.filter(|prior| prior.is_known()), rest)
    } else {
        config.clone()
    }
}
