//! Identities: their declaration, and that one never gets lost or changes.
//!
//! Which attributes may change is no part of the protocol, so the caller names them.

use std::collections::BTreeMap;

use terdut_proto::tfplugin6 as proto;

use super::{Rule, Violations};
use crate::host::types::Type;
use crate::host::value::{Path, Value};

/// A declared identity.
#[derive(Debug, Clone)]
pub struct IdentitySchema {
    /// Its version.
    pub version: i64,
    /// Its type.
    pub ty: Type,
    /// The attributes an import needs.
    pub required: Vec<String>,
}

impl IdentitySchema {
    /// Reads and checks a declaration.
    pub fn read(
        name: &str,
        schema: &proto::ResourceIdentitySchema,
        violations: &mut Violations,
    ) -> Self {
        let root = Path::root().attribute(name);
        let mut types = BTreeMap::new();
        let mut required = Vec::new();
        for attribute in &schema.identity_attributes {
            let path = root.attribute(&attribute.name);
            let ty = Type::from_json_bytes(&attribute.r#type).unwrap_or(Type::Dynamic);
            if !is_flat(&ty) {
                violations.add(Rule::IdentitySchema, &path, "is no primitive and no list of such");
            }
            if attribute.required_for_import == attribute.optional_for_import {
                violations.add(Rule::IdentitySchema, &path, "is not one of required and optional");
            }
            if attribute.required_for_import {
                required.push(attribute.name.clone());
            }
            types.insert(attribute.name.clone(), ty);
        }
        if types.is_empty() {
            violations.add(Rule::IdentitySchema, &root, "has no attribute");
        }
        Self { version: schema.version, ty: Type::Object(types), required }
    }
}

fn is_flat(ty: &Type) -> bool {
    match ty {
        Type::String | Type::Number | Type::Bool => true,
        Type::List(inner) => matches!(**inner, Type::String | Type::Number | Type::Bool),
        _ => false,
    }
}

/// What an identity in an answer is held against.
#[derive(Debug, Clone, Copy)]
pub(in crate::host) struct Expected<'a> {
    /// The identity that was handed over, null for none.
    pub prior: &'a Value,
    /// Attributes that may change.
    pub mutable: &'a [String],
    /// Whether this is a plan of a create or replace.
    pub may_be_unknown: bool,
}

/// Checks an identity in an answer; null stands for none.
pub(in crate::host) fn check_identity(
    expected: Expected<'_>,
    answer: &Value,
    violations: &mut Violations,
) {
    if answer.is_null() {
        if !expected.prior.is_null() {
            violations.add_root(Rule::IdentityEcho, "lost its identity");
        }
        return;
    }
    if !expected.may_be_unknown {
        for path in answer.unknown_paths() {
            violations.add(Rule::IdentityKnown, &path, "is unknown in the identity");
        }
    }
    for (name, before) in expected.prior.entries() {
        let after = answer.get(name);
        let open = before.is_null() || expected.mutable.contains(name);
        if !open && after.is_known() && after != *before {
            let found = format!("changed in the identity from {before:?} to {after:?}");
            violations.add(Rule::IdentityStable, &Path::root().attribute(name), &found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(ty: &str, required: bool, optional: bool) -> Violations {
        let attribute = proto::resource_identity_schema::IdentityAttribute {
            name: "id".into(),
            r#type: ty.as_bytes().to_vec().into(),
            required_for_import: required,
            optional_for_import: optional,
            ..Default::default()
        };
        let schema =
            proto::ResourceIdentitySchema { version: 1, identity_attributes: vec![attribute] };
        let mut violations = Violations::default();
        IdentitySchema::read("thing", &schema, &mut violations);
        violations
    }

    #[test]
    fn an_identity_is_flat_and_says_how_it_imports() {
        declared("\"string\"", true, false).expect_none("the identity");
        declared(r#"["list","string"]"#, false, true).expect_none("the identity");
        declared(r#"["map","string"]"#, true, false).expect_only(Rule::IdentitySchema);
        declared(r#"["list",["list","string"]]"#, true, false).expect_only(Rule::IdentitySchema);
        declared("\"string\"", true, true).expect_only(Rule::IdentitySchema);
    }

    fn identity(id: Value, url: &str) -> Value {
        let entries = [("id".to_owned(), id), ("url".to_owned(), Value::String(url.into()))];
        Value::Keyed(entries.into())
    }

    fn judged(prior: &Value, answer: &Value) -> Violations {
        let mutable = ["url".to_owned()];
        let expected = Expected { prior, mutable: &mutable, may_be_unknown: false };
        let mut violations = Violations::default();
        check_identity(expected, answer, &mut violations);
        violations
    }

    #[test]
    fn an_identity_is_echoed_and_keeps_what_is_not_mutable() {
        let text = |text: &str| Value::String(text.into());
        let prior = identity(text("7"), "http://a");
        judged(&prior, &identity(text("7"), "http://b")).expect_none("the identity");
        judged(&prior, &Value::Null).expect_only(Rule::IdentityEcho);
        judged(&prior, &identity(text("8"), "http://a")).expect_only(Rule::IdentityStable);
        judged(&Value::Null, &identity(Value::unknown(), "u")).expect_only(Rule::IdentityKnown);
        judged(&identity(Value::Null, "u"), &identity(text("8"), "u")).expect_none("the identity");
    }
}
