//! Identity schemas: what tells one remote object from all others, for hosts that store it.

use serde_json::{Map, Value as Json, json};
use terdut_proto::tfplugin6 as proto;

use crate::ty::Type;

/// What an identity consists of.
#[derive(Clone, Debug, Default)]
pub struct IdentitySchema {
    version: i64,
    attributes: Vec<IdentityAttribute>,
}

/// One attribute of an identity.
#[derive(Clone, Debug)]
pub struct IdentityAttribute {
    name: &'static str,
    ty: Type,
    description: &'static str,
    optional: bool,
    mutable: bool,
}

impl IdentityAttribute {
    /// A string that an import must give.
    pub fn string(name: &'static str, description: &'static str) -> Self {
        Self { name, ty: Type::String, description, optional: false, mutable: false }
    }

    /// An import may leave it out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// It may change during the object's life. Of the others a change is refused.
    #[must_use]
    pub fn mutable(mut self) -> Self {
        self.mutable = true;
        self
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn is_mutable(&self) -> bool {
        self.mutable
    }
}

impl IdentitySchema {
    /// An identity of version 0 with these attributes.
    pub fn new(attributes: impl IntoIterator<Item = IdentityAttribute>) -> Self {
        Self { version: 0, attributes: attributes.into_iter().collect() }
    }

    /// The object type of an identity.
    pub fn ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (attribute.name, attribute.ty.clone())))
    }

    pub(crate) fn attributes(&self) -> &[IdentityAttribute] {
        &self.attributes
    }

    pub(crate) fn version(&self) -> i64 {
        self.version
    }

    /// As `terraform providers schema -json` writes it.
    pub(crate) fn to_json(&self) -> Json {
        let attributes = self.attributes.iter().map(|attribute| {
            let needed =
                if attribute.optional { "optional_for_import" } else { "required_for_import" };
            let shape = json!({
                "type": attribute.ty.to_json(),
                "description": attribute.description,
                needed: true,
            });
            (attribute.name.to_owned(), shape)
        });
        json!({ "version": self.version, "attributes": attributes.collect::<Map<_, _>>() })
    }

    pub(crate) fn to_proto(&self) -> proto::ResourceIdentitySchema {
        let attributes = self.attributes.iter().map(|attribute| {
            proto::resource_identity_schema::IdentityAttribute {
                name: attribute.name.to_owned(),
                r#type: attribute.ty.to_json_bytes().into(),
                required_for_import: !attribute.optional,
                optional_for_import: attribute.optional,
                description: attribute.description.to_owned(),
            }
        });
        proto::ResourceIdentitySchema {
            version: self.version,
            identity_attributes: attributes.collect(),
        }
    }
}
