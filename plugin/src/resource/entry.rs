//! A resource with everything that it can do, as the provider lists it.

use serde_json::Value as Json;

use super::{
    Context, HasIdentity, Import, ImportBy, MoveSource, MoveState, Resource, UpgradeState,
};
use crate::diagnostics::Diagnostics;
use crate::offered::Boxed;
use crate::schema::{IdentitySchema, Schema};
use crate::ty::Type;
use crate::value::Value;

type ImportFn<R> = for<'a> fn(
    &'a R,
    &'a Context<<R as Resource>::Data>,
    ImportBy,
) -> Boxed<'a, Result<<R as Resource>::Model, Diagnostics>>;
type IdentityFn<R> = fn(&R, &<R as Resource>::Data, &<R as Resource>::Model) -> Option<Value>;
type UpgradeFn<R> = fn(&R, i64, Json) -> Result<Json, Diagnostics>;
type MoveFn<R> = fn(&R, MoveSource) -> Result<Option<Json>, Diagnostics>;

/// A resource, and the abilities that its author listed. What is not listed, hosts do not see.
pub struct ResourceEntry<R: Resource> {
    pub(super) resource: R,
    pub(super) schema: Schema,
    pub(super) ty: Type,
    pub(super) import: Option<ImportFn<R>>,
    pub(super) identity: Option<(IdentitySchema, IdentityFn<R>)>,
    pub(super) upgrade: Option<UpgradeFn<R>>,
    pub(super) move_state: Option<MoveFn<R>>,
}

impl<R: Resource> ResourceEntry<R> {
    /// A resource that can do what every resource can.
    pub fn new(resource: R) -> Self {
        let schema = resource.schema();
        let ty = schema.ty();
        Self { resource, schema, ty, import: None, identity: None, upgrade: None, move_state: None }
    }

    /// Its objects can be imported.
    #[must_use]
    pub fn importable(mut self) -> Self
    where
        R: Import,
    {
        self.import = Some(|resource, context, by| Box::pin(resource.import(context, by)));
        self
    }

    /// Its objects have an identity.
    #[must_use]
    pub fn identified(mut self) -> Self
    where
        R: HasIdentity,
    {
        self.identity = Some((self.resource.identity_schema(), R::identity));
        self
    }

    /// States of its earlier versions can be read.
    #[must_use]
    pub fn upgradable(mut self) -> Self
    where
        R: UpgradeState,
    {
        self.upgrade = Some(R::upgrade_state);
        self
    }

    /// It takes over states of other resource types.
    #[must_use]
    pub fn movable(mut self) -> Self
    where
        R: MoveState,
    {
        self.move_state = Some(R::move_state);
        self
    }
}

impl<R: Resource> std::fmt::Debug for ResourceEntry<R> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("ResourceEntry").field(&self.resource.type_name()).finish()
    }
}
