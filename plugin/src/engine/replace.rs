//! Which changes of a plan cannot be made in place.

use crate::path::AttributePath;
use crate::schema::{Attribute, Kind};
use crate::value::Value;

/// The paths of attributes that force a replacement and differ, in meaning, from the prior state.
pub(super) fn replacements(
    attributes: &[Attribute],
    planned: &Value,
    prior: &Value,
) -> Vec<AttributePath> {
    let mut found = Vec::new();
    objects(attributes, Some(planned), Some(prior), &AttributePath::root(), &mut found);
    found
}

fn objects(
    attributes: &[Attribute],
    planned: Option<&Value>,
    prior: Option<&Value>,
    path: &AttributePath,
    found: &mut Vec<AttributePath>,
) {
    for attribute in attributes {
        let member = |object: Option<&'_ Value>| {
            object.and_then(|object| object.attribute(attribute.name())).cloned()
        };
        let (planned, prior) =
            (member(planned).unwrap_or_default(), member(prior).unwrap_or_default());
        let path = path.clone().attribute(attribute.name().to_owned());
        one(attribute, &planned, &prior, path, found);
    }
}

fn one(
    attribute: &Attribute,
    planned: &Value,
    prior: &Value,
    path: AttributePath,
    found: &mut Vec<AttributePath>,
) {
    if planned == prior {
        return;
    }
    if attribute.replace && !attribute.means_the_same(planned, prior) {
        found.push(path);
        return;
    }
    let nested = attribute.nested().unwrap_or_default();
    if planned.is_unknown() {
        // What is in it is not known; the safe promise is that it has to be replaced.
        if nested.iter().any(|nested| nested.replace) {
            found.push(path);
        }
        return;
    }
    match attribute.kind() {
        Kind::Value(_) => {}
        Kind::Single(_) => objects(nested, Some(planned), Some(prior), &path, found),
        Kind::List(_) => lists(nested, planned, prior, &path, found),
        Kind::Map(_) => maps(nested, planned, prior, &path, found),
    }
}

fn lists(
    nested: &[Attribute],
    planned: &Value,
    prior: &Value,
    path: &AttributePath,
    found: &mut Vec<AttributePath>,
) {
    let [planned, prior] = [planned, prior].map(|list| list.elements().unwrap_or_default());
    for index in 0..planned.len().max(prior.len()) {
        let path = path.clone().index(index);
        objects(nested, planned.get(index), prior.get(index), &path, found);
    }
}

fn maps(
    nested: &[Attribute],
    planned: &Value,
    prior: &Value,
    path: &AttributePath,
    found: &mut Vec<AttributePath>,
) {
    let keys = [planned, prior].into_iter().filter_map(Value::members).flat_map(|map| map.keys());
    let keys: std::collections::BTreeSet<&String> = keys.collect();
    for key in keys {
        let [planned, prior] =
            [planned, prior].map(|map| map.members().and_then(|map| map.get(key)));
        objects(nested, planned, prior, &path.clone().key(key.clone()), found);
    }
}
