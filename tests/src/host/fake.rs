//! Hand-made schemas for the host's own tests, and in [`provider`] a provider that can misbehave.
//!
//! A schema is written as `{"name": ["required", "string"]}`; a nested one as
//! `{"list": {…}}` in the type's place, a block as that object alone.

pub(super) mod provider;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::schema::{Attribute, Block, Nesting, Schema, Shape};
use super::types::Type;

/// Reads the short notation.
pub(in crate::host) fn schema_of(json: &Json) -> Schema {
    Schema { version: 0, block: block(json.as_object().unwrap()) }
}

fn block(fields: &Map<String, Json>) -> Block {
    let mut block = Block::default();
    for (name, field) in fields {
        if let Some(parts) = field.as_array() {
            block.attributes.insert(name.clone(), attribute(parts));
        } else {
            let (nesting, inner) = nested(field);
            block.blocks.insert(name.clone(), (nesting, self::block(inner)));
        }
    }
    block
}

fn attribute(parts: &[Json]) -> Attribute {
    let modes = parts[0].as_str().unwrap();
    let shape = if parts[1].is_object() {
        let (nesting, inner) = nested(&parts[1]);
        Shape::Nested(nesting, attributes(inner))
    } else {
        Shape::Plain(Type::from_json(&parts[1]).unwrap())
    };
    Attribute {
        shape,
        required: modes.contains("required"),
        optional: modes.contains("optional"),
        computed: modes.contains("computed"),
        sensitive: modes.contains("sensitive"),
        write_only: modes.contains("write_only"),
        description: String::new(),
    }
}

fn attributes(fields: &Map<String, Json>) -> BTreeMap<String, Attribute> {
    let read =
        |(name, field): (&String, &Json)| (name.clone(), attribute(field.as_array().unwrap()));
    fields.iter().map(read).collect()
}

fn nested(json: &Json) -> (Nesting, &Map<String, Json>) {
    let (word, inner) = json.as_object().unwrap().iter().next().unwrap();
    let nesting = match word.as_str() {
        "single" => Nesting::Single,
        "list" => Nesting::List,
        "set" => Nesting::Set,
        "map" => Nesting::Map,
        other => panic!("{other}"),
    };
    (nesting, inner.as_object().unwrap())
}
