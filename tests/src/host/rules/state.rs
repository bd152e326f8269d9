//! What holds for every stored value: nothing unknown, nothing write-only.
//!
//! Used on answers of read, apply, import, move and upgrade, and in part on plans.

use std::collections::BTreeMap;

use super::{Rule, Violations};
use crate::host::schema::{Attribute, Block, Nesting, Schema, Shape};
use crate::host::value::{Path, Value};

/// Checks a value that is about to be stored.
pub(in crate::host) fn check_stored(schema: &Schema, value: &Value, violations: &mut Violations) {
    for path in value.unknown_paths() {
        violations.add(Rule::ResultKnown, &path, "is unknown");
    }
    check_write_only(schema, value, violations);
}

/// Checks that no write-only attribute holds anything.
pub(in crate::host) fn check_write_only(
    schema: &Schema,
    value: &Value,
    violations: &mut Violations,
) {
    for path in write_only_set(schema, value) {
        violations.add(Rule::WriteOnly, &path, "is set");
    }
}

/// The paths of the write-only attributes that hold something.
pub(in crate::host) fn write_only_set(schema: &Schema, value: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    visit_block(&schema.block, value, &Path::root(), &mut |attribute, value, path| {
        if attribute.write_only && !value.is_null() {
            found.push(path.clone());
        }
    });
    found
}

/// The sensitive texts of a value that are long enough to be told from chance.
pub(in crate::host) fn sensitive_texts(schema: &Schema, value: &Value) -> Vec<String> {
    let mut values = Vec::new();
    visit_block(&schema.block, value, &Path::root(), &mut |attribute, value, _| {
        if attribute.sensitive || attribute.write_only {
            values.push(value.clone());
        }
    });
    let mut texts = Vec::new();
    for value in values {
        value.walk(&Path::root(), &mut |_, part| match part {
            Value::String(text) if text.len() >= 8 => texts.push(text.clone()),
            _ => {}
        });
    }
    texts
}

type Visit<'a> = &'a mut dyn FnMut(&Attribute, &Value, &Path);

fn visit_block(block: &Block, value: &Value, path: &Path, visit: Visit<'_>) {
    visit_attributes(&block.attributes, value, path, visit);
    for (name, (nesting, inner)) in &block.blocks {
        for (path, value) in objects(*nesting, &value.get(name), &path.attribute(name)) {
            visit_block(inner, &value, &path, visit);
        }
    }
}

fn visit_attributes(
    attributes: &BTreeMap<String, Attribute>,
    value: &Value,
    path: &Path,
    visit: Visit<'_>,
) {
    if value.is_null() || !value.is_known() {
        return;
    }
    for (name, attribute) in attributes {
        let (value, path) = (value.get(name), path.attribute(name));
        visit(attribute, &value, &path);
        if let Shape::Nested(nesting, inner) = &attribute.shape {
            for (path, value) in objects(*nesting, &value, &path) {
                visit_attributes(inner, &value, &path, visit);
            }
        }
    }
}

/// The objects that a nested value is made of, with their paths.
fn objects(nesting: Nesting, value: &Value, path: &Path) -> Vec<(Path, Value)> {
    match nesting {
        Nesting::Single | Nesting::Group => vec![(path.clone(), value.clone())],
        Nesting::List | Nesting::Set => {
            let element = |(index, value): (usize, &Value)| (path.index(index), value.clone());
            value.elements().iter().enumerate().map(element).collect()
        }
        Nesting::Map => {
            let entry = |(key, value): (&String, &Value)| (path.attribute(key), value.clone());
            value.entries().into_iter().map(entry).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::host::fake::schema_of;
    use crate::host::json::config_from_json;

    fn judged(value: &Json) -> Violations {
        let schema = schema_of(&json!({
            "name": ["required", "string"],
            "secret": ["optional write_only", "string"],
            "people": ["optional", { "list": { "password": ["optional write_only", "string"] } }],
        }));
        let mut violations = Violations::default();
        let value = config_from_json(value, &schema.ty()).unwrap();
        check_stored(&schema, &value, &mut violations);
        violations
    }

    #[test]
    fn a_known_value_without_secrets_passes() {
        judged(&json!({ "name": "a", "people": [{}] })).expect_none("the check");
    }

    #[test]
    fn an_unknown_part_is_refused() {
        judged(&json!({ "name": { "$unknown": true } })).expect_only(Rule::ResultKnown);
    }

    #[test]
    fn a_write_only_value_is_refused_at_any_depth() {
        judged(&json!({ "secret": "x" })).expect_only(Rule::WriteOnly);
        judged(&json!({ "people": [{}, { "password": "x" }] })).expect_only(Rule::WriteOnly);
    }
}
