//! Schemas as the provider declares them, and the core's own checks of a declaration.
//!
//! [`Schema::read`] reports every broken rule of a schema; values are judged elsewhere.

use std::collections::BTreeMap;

use terdut_proto::tfplugin6 as proto;

use super::rules::{Rule, Violations};
use super::types::Type;
use super::value::Path;

/// Names the language itself uses at the root of a resource or provider block.
const RESERVED: [&str; 8] = [
    "count",
    "for_each",
    "provider",
    "depends_on",
    "lifecycle",
    "connection",
    "provisioner",
    "version",
];

/// How nested objects are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// One object or null.
    Single,
    /// One object, never null (blocks only).
    Group,
    /// Objects in order.
    List,
    /// Objects without order.
    Set,
    /// Objects by key.
    Map,
}

/// What an attribute holds.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A value of a type.
    Plain(Type),
    /// Further attributes.
    Nested(Nesting, BTreeMap<String, Attribute>),
}

/// One attribute.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "the protocol's own flags")]
pub struct Attribute {
    /// What it holds.
    pub shape: Shape,
    /// It must be configured.
    pub required: bool,
    /// It may be configured.
    pub optional: bool,
    /// The provider may choose a value.
    pub computed: bool,
    /// It is masked in output.
    pub sensitive: bool,
    /// It is never stored.
    pub write_only: bool,
    /// Its description.
    pub description: String,
}

/// Attributes and nested blocks of one level.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// The attributes by name.
    pub attributes: BTreeMap<String, Attribute>,
    /// The nested blocks by name.
    pub blocks: BTreeMap<String, (Nesting, Block)>,
}

/// The shape of a resource, data source or provider configuration.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// The version of the stored state.
    pub version: i64,
    /// The root.
    pub block: Block,
}

impl Schema {
    /// Reads a declaration and checks it as the core does at start.
    pub fn read(name: &str, schema: &proto::Schema, violations: &mut Violations) -> Self {
        let root = Path::root().attribute(name);
        let Some(block) = &schema.block else {
            violations.add(Rule::SchemaBlock, &root, "has no block");
            return Self::default();
        };
        if schema.version < 0 {
            violations.add(Rule::SchemaBlock, &root, "has a negative version");
        }
        for attribute in &block.attributes {
            if RESERVED.contains(&attribute.name.as_str()) {
                violations.add(Rule::SchemaName, &root.attribute(&attribute.name), "is reserved");
            }
        }
        Self { version: schema.version, block: Block::read(block, &root, false, violations) }
    }

    /// The type of a value of this shape.
    pub fn ty(&self) -> Type {
        self.block.ty()
    }
}

impl Block {
    fn read(
        block: &proto::schema::Block,
        path: &Path,
        in_set: bool,
        violations: &mut Violations,
    ) -> Self {
        deprecation(path, block.deprecated, &block.deprecation_message, violations);
        let attributes = read_attributes(&block.attributes, path, in_set, violations);
        let mut blocks = BTreeMap::new();
        for nested in &block.block_types {
            let at = path.attribute(&nested.type_name);
            check_name(&nested.type_name, &at, violations);
            if attributes.contains_key(&nested.type_name) || blocks.contains_key(&nested.type_name)
            {
                violations.add(Rule::SchemaName, &at, "is declared twice");
            }
            let nesting = block_nesting(nested, &at, violations);
            let inner = nested
                .block
                .as_ref()
                .map(|inner| Self::read(inner, &at, in_set || nesting == Nesting::Set, violations));
            blocks.insert(nested.type_name.clone(), (nesting, inner.unwrap_or_default()));
        }
        Self { attributes, blocks }
    }

    /// The type of a value of this shape.
    pub fn ty(&self) -> Type {
        let mut types = attribute_types(&self.attributes);
        for (name, (nesting, block)) in &self.blocks {
            types.insert(name.clone(), wrap(*nesting, block.ty()));
        }
        Type::Object(types)
    }
}

impl Attribute {
    fn read(
        attribute: &proto::schema::Attribute,
        path: &Path,
        in_set: bool,
        violations: &mut Violations,
    ) -> Self {
        check_modes(attribute, path, in_set, violations);
        deprecation(path, attribute.deprecated, &attribute.deprecation_message, violations);
        Self {
            shape: Shape::read(attribute, path, in_set, violations),
            required: attribute.required,
            optional: attribute.optional,
            computed: attribute.computed,
            sensitive: attribute.sensitive,
            write_only: attribute.write_only,
            description: attribute.description.clone(),
        }
    }

    /// The type of a value of this attribute.
    pub fn ty(&self) -> Type {
        match &self.shape {
            Shape::Plain(ty) => ty.clone(),
            Shape::Nested(nesting, attributes) => {
                wrap(*nesting, Type::Object(attribute_types(attributes)))
            }
        }
    }
}

impl Shape {
    fn read(
        attribute: &proto::schema::Attribute,
        path: &Path,
        in_set: bool,
        violations: &mut Violations,
    ) -> Self {
        match (&attribute.nested_type, attribute.r#type.is_empty()) {
            (None, false) => Self::Plain(read_type(&attribute.r#type, path, in_set, violations)),
            (Some(nested), true) => {
                let nesting = object_nesting(nested, path, violations);
                let in_set = in_set || nesting == Nesting::Set;
                let attributes = read_attributes(&nested.attributes, path, in_set, violations);
                Self::Nested(nesting, attributes)
            }
            _ => {
                violations.add(Rule::SchemaType, path, "needs exactly one of type and nested type");
                Self::Plain(Type::String)
            }
        }
    }
}

fn read_attributes(
    attributes: &[proto::schema::Attribute],
    path: &Path,
    in_set: bool,
    violations: &mut Violations,
) -> BTreeMap<String, Attribute> {
    let mut read = BTreeMap::new();
    for attribute in attributes {
        let at = path.attribute(&attribute.name);
        check_name(&attribute.name, &at, violations);
        let value = Attribute::read(attribute, &at, in_set, violations);
        if read.insert(attribute.name.clone(), value).is_some() {
            violations.add(Rule::SchemaName, &at, "is declared twice");
        }
    }
    read
}

fn read_type(bytes: &[u8], path: &Path, in_set: bool, violations: &mut Violations) -> Type {
    let ty = Type::from_json_bytes(bytes).unwrap_or_else(|error| {
        violations.add(Rule::SchemaType, path, &error);
        Type::String
    });
    let dynamic_in_set = matches!(&ty, Type::Set(inner) if inner.has_dynamic());
    if dynamic_in_set || (in_set && ty.has_dynamic()) {
        violations.add(Rule::SchemaSet, path, "is dynamic inside a set");
    }
    ty
}

fn check_name(name: &str, path: &Path, violations: &mut Violations) {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(good) {
        violations.add(Rule::SchemaName, path, "is not made of a-z, 0-9 and _");
    }
}

fn check_modes(
    attribute: &proto::schema::Attribute,
    path: &Path,
    in_set: bool,
    violations: &mut Violations,
) {
    let (required, optional, computed) =
        (attribute.required, attribute.optional, attribute.computed);
    if !(required || optional || computed) || (required && (optional || computed)) {
        violations.add(Rule::SchemaMode, path, "must be required, optional or computed");
    }
    if attribute.write_only && (in_set || !(required || optional)) {
        violations.add(Rule::SchemaWriteOnly, path, "cannot be write-only here");
    }
    if attribute.write_only && computed {
        violations.add(Rule::SchemaWriteOnly, path, "is write-only and computed");
    }
}

fn deprecation(path: &Path, deprecated: bool, message: &str, violations: &mut Violations) {
    if !deprecated && !message.is_empty() {
        violations.add(Rule::SchemaMode, path, "has a deprecation message and is not deprecated");
    }
}

fn object_nesting(
    object: &proto::schema::Object,
    path: &Path,
    violations: &mut Violations,
) -> Nesting {
    use proto::schema::object::NestingMode;
    match object.nesting() {
        NestingMode::Single => Nesting::Single,
        NestingMode::List => Nesting::List,
        NestingMode::Set => Nesting::Set,
        NestingMode::Map => Nesting::Map,
        NestingMode::Invalid => {
            violations.add(Rule::SchemaNesting, path, "has no nesting mode");
            Nesting::Single
        }
    }
}

fn block_nesting(
    block: &proto::schema::NestedBlock,
    path: &Path,
    violations: &mut Violations,
) -> Nesting {
    use proto::schema::nested_block::NestingMode;
    let (least, most) = (block.min_items, block.max_items);
    let bad_count = match block.nesting() {
        NestingMode::Single => least != most || !(0..=1).contains(&least),
        NestingMode::Group | NestingMode::Map => least != 0 || most != 0,
        NestingMode::List | NestingMode::Set => least < 0 || (most != 0 && least > most),
        NestingMode::Invalid => true,
    };
    if bad_count {
        violations.add(Rule::SchemaNesting, path, "has a count its nesting mode does not allow");
    }
    match block.nesting() {
        NestingMode::Single | NestingMode::Invalid => Nesting::Single,
        NestingMode::Group => Nesting::Group,
        NestingMode::List => Nesting::List,
        NestingMode::Set => Nesting::Set,
        NestingMode::Map => Nesting::Map,
    }
}

fn attribute_types(attributes: &BTreeMap<String, Attribute>) -> BTreeMap<String, Type> {
    attributes.iter().map(|(name, attribute)| (name.clone(), attribute.ty())).collect()
}

fn wrap(nesting: Nesting, inner: Type) -> Type {
    match nesting {
        Nesting::Single | Nesting::Group => inner,
        Nesting::List => Type::List(Box::new(inner)),
        Nesting::Set => Type::Set(Box::new(inner)),
        Nesting::Map => Type::Map(Box::new(inner)),
    }
}

#[cfg(test)]
mod tests;
