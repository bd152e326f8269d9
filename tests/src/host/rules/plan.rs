//! Whether a planned state is a legal answer to a configuration and a prior state.
//!
//! A provider may choose values only for computed attributes that are not configured. The one
//! exception is equality by meaning: the prior value may stay where prior and configuration are
//! both set.

use std::collections::BTreeMap;

use super::{Rule, Violations};
use crate::host::schema::{Attribute, Block, Nesting, Schema, Shape};
use crate::host::value::{Path, Value};

/// What an answer is judged by: the prior value, the configured one and the planned one.
struct Triple<'a> {
    prior: &'a Value,
    config: &'a Value,
    planned: &'a Value,
}

/// Checks a planned state.
pub(in crate::host) fn check_plan(
    schema: &Schema,
    prior: &Value,
    config: &Value,
    planned: &Value,
    violations: &mut Violations,
) {
    let triple = Triple { prior, config, planned };
    in_block(&schema.block, &triple, &Path::root(), violations);
}

fn in_block(block: &Block, triple: &Triple<'_>, path: &Path, violations: &mut Violations) {
    if triple.planned.is_null() != triple.config.is_null() {
        let planned = if triple.planned.is_null() { "absence" } else { "existence" };
        return violations.add(
            Rule::PlanExistence,
            path,
            &format!("is planned for {planned} against the configuration"),
        );
    }
    if triple.planned.is_null() {
        return;
    }
    if !triple.planned.is_known() {
        return violations.add(Rule::PlanObject, path, "is planned wholly unknown");
    }
    in_attributes(&block.attributes, triple, path, violations);
    for (name, (nesting, inner)) in &block.blocks {
        let (prior, config, planned) =
            (triple.prior.get(name), triple.config.get(name), triple.planned.get(name));
        let triple = Triple { prior: &prior, config: &config, planned: &planned };
        in_blocks(inner, *nesting, &triple, &path.attribute(name), violations);
    }
}

fn in_blocks(
    block: &Block,
    nesting: Nesting,
    triple: &Triple<'_>,
    path: &Path,
    violations: &mut Violations,
) {
    if triple.planned == triple.config {
        return;
    }
    if !triple.config.is_known() || !triple.planned.is_known() {
        return violations.add(Rule::PlanBlock, path, "is planned or configured unknown, not both");
    }
    match nesting {
        Nesting::Single | Nesting::Group => in_block(block, triple, path, violations),
        _ if triple.planned.is_null() => {
            violations.add(Rule::PlanBlock, path, "is null instead of empty");
        }
        Nesting::Set => {
            if triple.planned.elements().iter().any(|element| !element.is_known()) {
                violations.add(Rule::PlanBlock, path, "has a wholly unknown element");
            }
        }
        Nesting::List | Nesting::Map => {
            for_each(nesting, triple, path, violations, &mut |triple, path, violations| {
                in_block(block, triple, path, violations);
            });
        }
    }
}

fn in_attributes(
    attributes: &BTreeMap<String, Attribute>,
    triple: &Triple<'_>,
    path: &Path,
    violations: &mut Violations,
) {
    for (name, attribute) in attributes {
        let (prior, config, planned) =
            (triple.prior.get(name), triple.config.get(name), triple.planned.get(name));
        let triple = Triple { prior: &prior, config: &config, planned: &planned };
        in_attribute(attribute, &triple, &path.attribute(name), violations);
    }
}

fn in_attribute(
    attribute: &Attribute,
    triple: &Triple<'_>,
    path: &Path,
    violations: &mut Violations,
) {
    let (prior, config, planned) = (triple.prior, triple.config, triple.planned);
    let as_configured = planned.unrefined() == config.unrefined();
    let as_before = planned.unrefined() == prior.unrefined();
    if as_configured || (as_before && !prior.is_null() && !config.is_null()) {
        return;
    }
    if attribute.computed && (!attribute.optional || config.is_null()) {
        return;
    }
    if attribute.write_only && planned.is_null() {
        return;
    }
    if config.is_null() {
        return violations.add(Rule::PlanNotComputed, path, &format!("is planned {planned:?}"));
    }
    match &attribute.shape {
        Shape::Nested(nesting, inner) => in_objects(inner, *nesting, triple, path, violations),
        Shape::Plain(_) => violations.add(
            Rule::PlanConfigured,
            path,
            &format!("is planned {planned:?}, configured {config:?}, was {prior:?}"),
        ),
    }
}

fn in_objects(
    attributes: &BTreeMap<String, Attribute>,
    nesting: Nesting,
    triple: &Triple<'_>,
    path: &Path,
    violations: &mut Violations,
) {
    if triple.planned.is_null() {
        return violations.add(Rule::PlanObject, path, "is configured and planned null");
    }
    if !triple.planned.is_known() {
        return violations.add(Rule::PlanObject, path, "is configured and planned wholly unknown");
    }
    if !triple.config.is_known() {
        return violations.add(
            Rule::PlanObject,
            path,
            "is known in the plan, unknown in the config",
        );
    }
    match nesting {
        Nesting::Single | Nesting::Group => in_attributes(attributes, triple, path, violations),
        Nesting::Set => {
            if triple.planned.elements().len() != triple.config.elements().len() {
                violations.add(Rule::PlanCount, path, "has another number of elements");
            }
        }
        Nesting::List | Nesting::Map => {
            for_each(nesting, triple, path, violations, &mut |triple, path, violations| {
                in_attributes(attributes, triple, path, violations);
            });
        }
    }
}

/// Visits the elements or entries that the plan and the configuration share, once both have the
/// same number and keys.
fn for_each(
    nesting: Nesting,
    triple: &Triple<'_>,
    path: &Path,
    violations: &mut Violations,
    visit: &mut dyn FnMut(&Triple<'_>, &Path, &mut Violations),
) {
    if nesting == Nesting::Map {
        let keys = |value: &Value| {
            value.entries().into_iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()
        };
        if keys(triple.planned) != keys(triple.config) {
            return violations.add(Rule::PlanCount, path, "has other keys than configured");
        }
        for (key, planned) in triple.planned.entries() {
            let (prior, config) = (triple.prior.get(key), triple.config.get(key));
            let triple = Triple { prior: &prior, config: &config, planned };
            visit(&triple, &path.attribute(key), violations);
        }
        return;
    }
    let (planned, config) = (triple.planned.elements(), triple.config.elements());
    if planned.len() != config.len() {
        let found = format!("has {} elements, {} are configured", planned.len(), config.len());
        return violations.add(Rule::PlanCount, path, &found);
    }
    for (index, (planned, config)) in planned.iter().zip(config).enumerate() {
        let prior = triple.prior.elements().get(index).unwrap_or(&Value::Null);
        visit(&Triple { prior, config, planned }, &path.index(index), violations);
    }
}

#[cfg(test)]
mod tests;
