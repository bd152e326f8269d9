//! The proposed new state: configuration over prior state, as the core works it out.
//!
//! Computed attributes without a configuration keep their prior value, nested objects are matched
//! by index, key or, in sets, by what was configured.

use std::collections::BTreeMap;

use super::schema::{Attribute, Block, Nesting, Schema, Shape};
use super::value::Value;

/// Merges a configuration into a prior state.
pub fn proposed_new(schema: &Schema, prior: &Value, config: &Value) -> Value {
    if config.is_null() && prior.is_null() {
        return Value::Null;
    }
    block(&schema.block, prior, config)
}

fn block(schema: &Block, prior: &Value, config: &Value) -> Value {
    if config.is_null() || !config.is_known() {
        return prior.clone();
    }
    let mut values = attributes(&schema.attributes, prior, config);
    for (name, (nesting, inner)) in &schema.blocks {
        let merge = |prior: &Value, config: &Value| block(inner, prior, config);
        let matches =
            |prior: &Value, config: &Value| may_stem_from(&inner.attributes, prior, config);
        let value = nested(*nesting, &prior.get(name), &config.get(name), &merge, &matches);
        values.insert(name.clone(), value);
    }
    Value::Keyed(values)
}

fn attributes(
    schema: &BTreeMap<String, Attribute>,
    prior: &Value,
    config: &Value,
) -> BTreeMap<String, Value> {
    let value = |(name, attribute): (&String, &Attribute)| {
        (name.clone(), attribute_value(attribute, &prior.get(name), &config.get(name)))
    };
    schema.iter().map(value).collect()
}

fn attribute_value(attribute: &Attribute, prior: &Value, config: &Value) -> Value {
    if attribute.computed && config.is_null() {
        let configured = attribute.optional && holds_configured(attribute, prior);
        return if configured { Value::Null } else { prior.clone() };
    }
    match &attribute.shape {
        Shape::Plain(_) => config.clone(),
        Shape::Nested(nesting, inner) => {
            let merge = |prior: &Value, config: &Value| object(inner, prior, config);
            let matches = |prior: &Value, config: &Value| may_stem_from(inner, prior, config);
            nested(*nesting, prior, config, &merge, &matches)
        }
    }
}

fn object(schema: &BTreeMap<String, Attribute>, prior: &Value, config: &Value) -> Value {
    if config.is_null() || !config.is_known() {
        return config.clone();
    }
    Value::Keyed(attributes(schema, prior, config))
}

fn nested(
    nesting: Nesting,
    prior: &Value,
    config: &Value,
    merge: &dyn Fn(&Value, &Value) -> Value,
    matches: &dyn Fn(&Value, &Value) -> bool,
) -> Value {
    match (nesting, config) {
        (_, Value::Unknown(_)) => config.clone(),
        (Nesting::Group, _) => merge(prior, config),
        (_, Value::Null) => Value::Null,
        (Nesting::Single, _) => merge(prior, config),
        (Nesting::List, _) => list(prior, config, merge),
        (Nesting::Map, _) => map(prior, config, merge),
        (Nesting::Set, _) => set(prior, config, merge, matches),
    }
}

fn list(prior: &Value, config: &Value, merge: &dyn Fn(&Value, &Value) -> Value) -> Value {
    let prior = prior.elements();
    let element = |(index, config): (usize, &Value)| match prior.get(index) {
        Some(prior) => merge(prior, config),
        None => config.clone(),
    };
    Value::Seq(config.elements().iter().enumerate().map(element).collect())
}

fn map(prior: &Value, config: &Value, merge: &dyn Fn(&Value, &Value) -> Value) -> Value {
    let entry = |(key, config): (&String, &Value)| {
        let prior = prior.get(key);
        let value = if prior.is_null() { config.clone() } else { merge(&prior, config) };
        (key.clone(), value)
    };
    Value::Keyed(config.entries().into_iter().map(entry).collect())
}

fn set(
    prior: &Value,
    config: &Value,
    merge: &dyn Fn(&Value, &Value) -> Value,
    matches: &dyn Fn(&Value, &Value) -> bool,
) -> Value {
    let mut free: Vec<&Value> = prior.elements().iter().collect();
    let mut element = |config: &Value| {
        let found = free.iter().position(|prior| matches(prior, config));
        let prior = found.map_or(&Value::Null, |index| free.remove(index));
        merge(prior, config)
    };
    Value::set(config.elements().iter().map(&mut element).collect())
}

/// Whether a prior object holds something that only a configuration can have set.
fn holds_configured(attribute: &Attribute, value: &Value) -> bool {
    let Shape::Nested(nesting, inner) = &attribute.shape else {
        return false;
    };
    let in_object = |object: &Value| {
        inner.iter().any(|(name, attribute)| {
            let value = object.get(name);
            !value.is_null() && (!attribute.computed || holds_configured(attribute, &value))
        })
    };
    match nesting {
        Nesting::Single | Nesting::Group => in_object(value),
        Nesting::List | Nesting::Set => value.elements().iter().any(in_object),
        Nesting::Map => value.entries().into_iter().any(|(_, entry)| in_object(entry)),
    }
}

/// Whether a prior set element differs from a configured one only where the provider chooses.
fn may_stem_from(schema: &BTreeMap<String, Attribute>, prior: &Value, config: &Value) -> bool {
    schema.iter().all(|(name, attribute)| {
        let (prior, config) = (prior.get(name), config.get(name));
        prior.unrefined() == config.unrefined() || (attribute.computed && config.is_null())
    })
}

#[cfg(test)]
mod tests;
