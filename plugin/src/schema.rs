//! Schemas: what a block's attributes are, and how each one behaves in a plan.
//!
//! Resource authors build one with [`Schema::new`] and [`Attribute`]; the engine reads it for every
//! call, the host gets it once. There are no blocks: nested attributes do all that blocks do, and
//! tools that wrap providers can read them.

mod attribute;
mod check;
mod describe;
mod identity;
mod wire;

use std::collections::BTreeMap;

use crate::ty::Type;

pub use attribute::{Attribute, Equality, Kind, Mode};
pub use check::Check;
pub use identity::{IdentityAttribute, IdentitySchema};

/// What a resource, data source or provider block consists of.
#[derive(Clone, Debug)]
pub struct Schema {
    version: i64,
    description: String,
    attributes: Vec<Attribute>,
}

impl Schema {
    /// A schema of version 0, described in Markdown.
    pub fn new(description: impl Into<String>) -> Self {
        Self { version: 0, description: description.into(), attributes: Vec::new() }
    }

    /// Adds a paragraph to the description.
    #[must_use]
    pub fn paragraph(mut self, text: &str) -> Self {
        self.description.push_str("\n\n");
        self.description.push_str(text);
        self
    }

    /// The version that states are written with. It only ever grows, and each step needs an
    /// upgrade ([`crate::resource::UpgradeState`]).
    #[must_use]
    pub fn version(mut self, version: i64) -> Self {
        self.version = version;
        self
    }

    /// Adds an attribute.
    #[must_use]
    pub fn attribute(mut self, attribute: Attribute) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Adds several attributes.
    #[must_use]
    pub fn attributes(mut self, attributes: impl IntoIterator<Item = Attribute>) -> Self {
        self.attributes.extend(attributes);
        self
    }

    /// The attributes, in the order in which they were added.
    pub fn all(&self) -> &[Attribute] {
        &self.attributes
    }

    /// One attribute.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name() == name)
    }

    /// The version that states are written with.
    pub fn state_version(&self) -> i64 {
        self.version
    }

    /// The description, in Markdown.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The object type of a whole block.
    pub fn ty(&self) -> Type {
        object_type(&self.attributes)
    }

    /// What is wrong with the schema itself: a mistake of its author, found by a test.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for attribute in &self.attributes {
            if RESERVED.contains(&attribute.name()) {
                faults.push(format!("{} is a name that the language reserves", attribute.name()));
            }
            attribute.collect_faults(attribute.name(), &mut faults);
        }
        faults.extend(repeated(&self.attributes));
        faults
    }
}

/// Names that have a meaning of their own at the top of a block.
const RESERVED: [&str; 9] = [
    "connection",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "locals",
    "provider",
    "provisioner",
    "version",
];

fn repeated(attributes: &[Attribute]) -> Vec<String> {
    let mut seen = BTreeMap::new();
    for attribute in attributes {
        *seen.entry(attribute.name()).or_insert(0) += 1;
    }
    let repeated = seen.into_iter().filter(|(_, times)| *times > 1);
    repeated.map(|(name, _)| format!("{name} is there more than once")).collect()
}

pub(crate) fn object_type(attributes: &[Attribute]) -> Type {
    Type::object(attributes.iter().map(|attribute| (attribute.name(), attribute.ty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_is_told_of_reserved_names_and_of_names_used_twice() {
        let schema = Schema::new("")
            .attribute(Attribute::string("count").optional())
            .attribute(Attribute::string("id").computed())
            .attribute(Attribute::string("id").computed());
        let faults = schema.faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn an_author_is_told_of_what_hosts_refuse_or_ignore() {
        let schema = Schema::new("")
            .attribute(Attribute::of("any", Type::set(Type::Dynamic)).optional())
            .attribute(Attribute::string("level").default_value("low").optional())
            .attribute(Attribute::string("kept").optional().keep());
        let faults = schema.faults();
        assert_eq!(faults.len(), 3, "{faults:?}");
    }

    #[test]
    fn a_secret_that_is_not_stored_cannot_be_computed() {
        let schema = Schema::new("").attribute(Attribute::string("key").computed().write_only());
        assert_eq!(schema.faults(), ["key is write-only and computed"]);
    }

    #[test]
    fn what_a_data_source_shows_is_computed_at_every_depth() {
        let note = Attribute::string("note").describe("Note.");
        let levels = [Attribute::string("timeout").required(), note];
        let list = Attribute::list("levels", levels).required().describe("Levels.");
        let shown = list.read_only(&str::to_uppercase);
        let nested = shown.nested().unwrap_or_default();
        assert!(shown.is_computed() && nested.iter().all(Attribute::is_computed));
        let texts: Vec<_> = nested.iter().map(Attribute::description).collect();
        assert_eq!((shown.description(), texts), ("LEVELS.", vec!["", "NOTE."]));
    }
}
