//! What the calls of a resource are given.

use serde_json::Value as Json;

use super::Private;
use crate::diagnostics::Diagnostics;
use crate::path::AttributePath;
use crate::value::Value;

/// A plan that the schema's behaviours made, to be changed.
#[derive(Debug)]
pub struct Plan<M> {
    /// The configuration; values may be unknown.
    pub config: M,
    /// The state before; `None` for an object that is to be made.
    pub prior: Option<M>,
    /// The state after. What the user set must stay as it is.
    pub planned: M,
    /// What is remembered; what the plan leaves in it reaches the apply.
    pub private: Private,
    /// What to tell the user. An error ends the plan.
    pub diagnostics: Diagnostics,
    pub(crate) replace: Vec<AttributePath>,
}

impl<M> Plan<M> {
    /// The object has to be replaced because of this attribute.
    pub fn replace(&mut self, path: impl Into<AttributePath>) {
        let path = path.into();
        if !self.replace.contains(&path) {
            self.replace.push(path);
        }
    }
}

/// What an object is to be made of.
#[derive(Debug)]
pub struct Create<M> {
    /// The configuration, the only place of write-only values.
    pub config: M,
    /// What was planned; unknown where the object's making tells.
    pub planned: M,
    /// What the plan remembered.
    pub private: Private,
}

/// What an object was last known as.
#[derive(Debug)]
pub struct Read<M> {
    /// The state; after an import most of it is null.
    pub state: M,
    /// What is remembered.
    pub private: Private,
}

/// What an object is to become.
#[derive(Debug)]
pub struct Update<M> {
    /// The configuration, the only place of write-only values.
    pub config: M,
    /// The state before.
    pub prior: M,
    /// What was planned.
    pub planned: M,
    /// What the plan remembered.
    pub private: Private,
}

/// What is to be deleted.
#[derive(Debug)]
pub struct Delete<M> {
    /// The state before.
    pub prior: M,
    /// What is remembered.
    pub private: Private,
}

/// How an import names its object.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportBy {
    /// By a text.
    Id(String),
    /// By an identity: an object of the identity schema's type.
    Identity(Value),
}

impl ImportBy {
    /// One text of the identity; `None` where there is none or the import is by id.
    pub fn identity_text(&self, name: &str) -> Option<&str> {
        match self {
            Self::Id(_) => None,
            Self::Identity(identity) => identity.attribute(name)?.as_str(),
        }
    }
}

/// The state of another resource type that is to be taken over.
#[derive(Clone)]
pub struct MoveSource {
    /// The provider's address, with the registry.
    pub provider_address: String,
    /// Whether it is this provider, under whatever registry's address.
    pub same_provider: bool,
    /// The resource type.
    pub type_name: String,
    /// The version of its schema.
    pub schema_version: i64,
    /// The state as it is stored.
    pub state: Json,
}

/// Without the state: it may hold secrets.
impl std::fmt::Debug for MoveSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { provider_address, type_name, schema_version, .. } = self;
        write!(formatter, "MoveSource({provider_address} {type_name} {schema_version})")
    }
}
