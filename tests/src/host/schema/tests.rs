//! One good declaration, and one mutation for each rule that must be noticed.

use proto::schema::{Attribute as Raw, NestedBlock, Object, nested_block, object};

use super::*;

fn optional(name: &str, ty: &str) -> Raw {
    Raw {
        name: name.into(),
        r#type: ty.as_bytes().to_vec().into(),
        optional: true,
        ..Raw::default()
    }
}

fn nested(name: &str, nesting: object::NestingMode, attributes: Vec<Raw>) -> Raw {
    Raw {
        nested_type: Some(Object { attributes, nesting: nesting.into(), ..Object::default() }),
        r#type: Vec::new().into(),
        ..optional(name, "")
    }
}

fn read(attributes: Vec<Raw>, block_types: Vec<NestedBlock>) -> (Schema, Violations) {
    let block = proto::schema::Block { attributes, block_types, ..proto::schema::Block::default() };
    let mut violations = Violations::default();
    let raw = proto::Schema { version: 1, block: Some(block) };
    (Schema::read("thing", &raw, &mut violations), violations)
}

#[track_caller]
fn refused(rule: Rule, attributes: Vec<Raw>) {
    let (_, violations) = read(attributes, Vec::new());
    violations.expect_only(rule);
}

#[test]
fn a_good_schema_passes_and_gives_its_type() {
    let inner = vec![optional("kind", "\"string\"")];
    let attributes =
        vec![optional("name", "\"string\""), nested("levels", object::NestingMode::List, inner)];
    let (schema, violations) = read(attributes, Vec::new());
    violations.expect_none("the schema");
    let text = r#"["object",{"levels":["list",["object",{"kind":"string"}]],"name":"string"}]"#;
    assert_eq!(schema.ty().to_json().to_string(), text);
}

#[test]
fn bad_names_are_refused() {
    refused(Rule::SchemaName, vec![optional("Name", "\"string\"")]);
    refused(Rule::SchemaName, vec![optional("", "\"string\"")]);
    refused(Rule::SchemaName, vec![optional("count", "\"string\"")]);
    refused(Rule::SchemaName, vec![optional("a", "\"string\""), optional("a", "\"string\"")]);
}

#[test]
fn a_missing_block_is_refused() {
    let mut violations = Violations::default();
    Schema::read("thing", &proto::Schema::default(), &mut violations);
    violations.expect_only(Rule::SchemaBlock);
}

#[test]
fn impossible_modes_are_refused() {
    refused(Rule::SchemaMode, vec![Raw { optional: false, ..optional("a", "\"string\"") }]);
    refused(Rule::SchemaMode, vec![Raw { required: true, ..optional("a", "\"string\"") }]);
    let both = Raw { required: true, computed: true, optional: false, ..optional("a", "\"bool\"") };
    refused(Rule::SchemaMode, vec![both]);
    let message = Raw { deprecation_message: "old".into(), ..optional("a", "\"string\"") };
    refused(Rule::SchemaMode, vec![message]);
}

#[test]
fn a_type_and_a_nested_type_exclude_each_other() {
    let both = Raw {
        r#type: b"\"string\"".to_vec().into(),
        ..nested("a", object::NestingMode::Single, Vec::new())
    };
    refused(Rule::SchemaType, vec![both]);
    refused(Rule::SchemaType, vec![optional("a", "")]);
    refused(Rule::SchemaType, vec![optional("a", "\"text\"")]);
}

#[test]
fn a_set_holds_neither_write_only_nor_dynamic() {
    let write_only = Raw { write_only: true, ..optional("w", "\"string\"") };
    refused(
        Rule::SchemaWriteOnly,
        vec![nested("a", object::NestingMode::Set, vec![write_only.clone()])],
    );
    refused(Rule::SchemaWriteOnly, vec![Raw { computed: true, ..write_only }]);
    refused(Rule::SchemaSet, vec![optional("a", r#"["set","dynamic"]"#)]);
}

#[test]
fn a_nesting_mode_must_be_given_and_fit_its_count() {
    refused(Rule::SchemaNesting, vec![nested("a", object::NestingMode::Invalid, Vec::new())]);
    let single = NestedBlock {
        type_name: "b".into(),
        nesting: nested_block::NestingMode::Single.into(),
        min_items: 0,
        max_items: 1,
        block: Some(proto::schema::Block::default()),
    };
    read(Vec::new(), vec![single]).1.expect_only(Rule::SchemaNesting);
}
