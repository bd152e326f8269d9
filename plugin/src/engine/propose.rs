//! The planned state, from configuration, prior state and the schema's behaviours.
//!
//! What the user set is planned as it is written, or as it was written before where both mean the
//! same: the only two things that a host lets pass. What the user did not set is kept, has its
//! default, or is unknown. It is pure, so that a second plan of the same input is the same.

use crate::schema::{Attribute, Kind};
use crate::value::Value;

/// The plan of a whole object. Without a prior object everything is new.
pub(super) fn propose(attributes: &[Attribute], config: &Value, prior: Option<&Value>) -> Value {
    let mut planned = object(attributes, config, prior);
    if prior.is_some_and(|prior| *prior != planned) {
        forget_computed(attributes, config, &mut planned);
    }
    planned
}

fn object(attributes: &[Attribute], config: &Value, prior: Option<&Value>) -> Value {
    Value::object(attributes.iter().map(|attribute| {
        let config = config.attribute(&attribute.name).unwrap_or(&Value::Null);
        let prior = prior.map(|prior| prior.attribute(&attribute.name).unwrap_or(&Value::Null));
        (attribute.name.clone(), value(attribute, config, prior))
    }))
}

fn value(attribute: &Attribute, config: &Value, prior: Option<&Value>) -> Value {
    if attribute.write_only {
        return Value::Null;
    }
    if config.is_null() {
        return unset(attribute, prior);
    }
    if config.is_unknown() {
        return config.clone();
    }
    if let Some(prior) = prior.filter(|prior| prior.is_known())
        && attribute.equality.is_some_and(|equality| equality(config, prior))
    {
        return prior.clone();
    }
    nested(attribute, config, prior)
}

fn unset(attribute: &Attribute, prior: Option<&Value>) -> Value {
    if !attribute.is_computed() {
        return Value::Null;
    }
    if let Some(default) = &attribute.default {
        return (**default).clone();
    }
    prior.cloned().unwrap_or(Value::UNKNOWN)
}

fn nested(attribute: &Attribute, config: &Value, prior: Option<&Value>) -> Value {
    match (attribute.kind(), config) {
        (Kind::Single(nested), Value::Object(_)) => {
            object(nested, config, prior.filter(|prior| prior.is_known()))
        }
        (Kind::List(nested), Value::List(elements)) => {
            let before = prior.and_then(Value::elements).unwrap_or_default();
            let elements = elements.iter().enumerate();
            Value::List(elements.map(|(i, it)| element(nested, it, before.get(i))).collect())
        }
        (Kind::Map(nested), Value::Map(members)) => {
            let before = prior.and_then(Value::members);
            let prior = |key: &String| before.and_then(|before| before.get(key));
            let members = members.iter();
            Value::map(members.map(|(key, it)| (key.clone(), element(nested, it, prior(key)))))
        }
        _ => config.clone(),
    }
}

/// An element that is new has nothing to keep: a null there would be a promise.
fn element(nested: &[Attribute], config: &Value, prior: Option<&Value>) -> Value {
    match config {
        Value::Object(_) => object(nested, config, prior.filter(|prior| prior.is_known())),
        _ => config.clone(),
    }
}

/// A change may change what is computed, where the schema does not say that it stays.
fn forget_computed(attributes: &[Attribute], config: &Value, planned: &mut Value) {
    for attribute in attributes {
        let set = config.attribute(&attribute.name).is_some_and(|config| !config.is_null());
        let stays = set || attribute.keep || attribute.default.is_some() || attribute.write_only;
        if attribute.is_computed()
            && !stays
            && let Some(value) = planned.attribute_mut(&attribute.name)
        {
            *value = Value::UNKNOWN;
        }
    }
}
