//! Managed resources: what an author writes for one.
//!
//! A resource is a schema, a model and four functions ([`Resource`]). What else it can do is a
//! trait of its own: [`Import`], [`HasIdentity`], [`UpgradeState`], [`MoveState`]. [`ResourceEntry`]
//! joins them for the provider. The engine does the rest: planning by the schema's behaviours, the user's
//! spelling, private data, identity, panics.

mod context;
mod entry;
mod erased;
mod outcome;
mod private;
mod request;

use std::future::Future;

use serde_json::Value as Json;

use crate::diagnostics::Diagnostics;
use crate::model::Model;
use crate::schema::{IdentitySchema, Schema};
use crate::value::Value;

pub use context::Context;
pub use entry::ResourceEntry;
pub(crate) use erased::{AnyResource, ErasedOutcome, Planned};
pub use outcome::Outcome;
pub use private::Private;
pub use request::{Create, Delete, ImportBy, MoveSource, Plan, Read, Update};

/// A kind of remote object that a configuration manages.
pub trait Resource: Send + Sync + 'static {
    /// The attributes as a struct, made by [`model!`](crate::model!).
    type Model: Model;
    /// What configuring the provider made.
    type Data: Send + Sync + 'static;

    /// The name in configurations, the provider's prefix included.
    fn type_name(&self) -> &'static str;

    /// The attributes and how they behave.
    fn schema(&self) -> Schema;

    /// Checks what one attribute alone cannot tell. Values may be unknown; nothing may be said of
    /// those. It calls no API.
    fn validate(&self, _config: &Self::Model, _diagnostics: &mut Diagnostics) {}

    /// Changes a plan that the schema's behaviours made: marks replacements, makes values unknown,
    /// warns. The same input must give the same plan, so it reads neither clock nor server.
    fn plan(&self, _context: &Context<Self::Data>, _plan: &mut Plan<Self::Model>) {}

    /// Says something about an object that is about to be deleted. An error keeps it. What it asks
    /// a server has to be cheap: a host calls it for every object that goes.
    fn plan_delete(
        &self,
        _context: &Context<Self::Data>,
        _prior: &Self::Model,
        _diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Makes the object. Once it has an id, the outcome holds a state, whatever failed later.
    fn create(
        &self,
        context: &Context<Self::Data>,
        request: Create<Self::Model>,
    ) -> impl Future<Output = Outcome<Self::Model>> + Send;

    /// Reads the object. An outcome without a state and without an error says that it is gone.
    fn read(
        &self,
        context: &Context<Self::Data>,
        request: Read<Self::Model>,
    ) -> impl Future<Output = Outcome<Self::Model>> + Send;

    /// Changes the object in place. After an error without a state the prior state stays.
    fn update(
        &self,
        context: &Context<Self::Data>,
        request: Update<Self::Model>,
    ) -> impl Future<Output = Outcome<Self::Model>> + Send;

    /// Deletes the object. An outcome without an error says that it is gone.
    fn delete(
        &self,
        context: &Context<Self::Data>,
        request: Delete<Self::Model>,
    ) -> impl Future<Output = Outcome<Self::Model>> + Send;
}

/// A resource whose objects can be taken into a state.
pub trait Import: Resource {
    /// The stub that a following read completes: whatever the id or identity says, the rest null.
    fn import(
        &self,
        context: &Context<Self::Data>,
        by: ImportBy,
    ) -> impl Future<Output = Result<Self::Model, Diagnostics>> + Send;
}

/// A resource that tells hosts which remote object a state stands for.
pub trait HasIdentity: Resource {
    /// What the identity consists of.
    fn identity_schema(&self) -> IdentitySchema;

    /// The identity of an object, if enough is known of it.
    fn identity(&self, data: &Self::Data, state: &Self::Model) -> Option<Value>;
}

/// A resource whose schema had earlier versions.
pub trait UpgradeState: Resource {
    /// A state of an earlier version in the shape of the current one. It changes the shape only:
    /// no remote call.
    fn upgrade_state(&self, version: i64, state: Json) -> Result<Json, Diagnostics>;
}

/// A resource that takes over states of other resource types, by a `moved` block. States of its own
/// type need no help, whichever of the registries the provider came from.
pub trait MoveState: Resource {
    /// The state in this resource's shape; `None` if this source cannot be taken over. It makes no
    /// remote call.
    fn move_state(&self, source: MoveSource) -> Result<Option<Json>, Diagnostics>;
}
