//! What a provider of a few files needs, in one import.

pub use crate::action::{Action, Progress};
pub use crate::attr::Attr;
pub use crate::data_source::DataSource;
pub use crate::diagnostics::{Diagnostic, Diagnostics};
pub use crate::engine::Engine;
pub use crate::ephemeral::EphemeralResource;
pub use crate::function::Function;
pub use crate::list::{ListResource, Listing};
pub use crate::model::{Model, Sensitive};
pub use crate::path::AttributePath;
pub use crate::provider::{Provider, Registry};
pub use crate::resource::{
    Context, Create, Delete, HasIdentity, Import, ImportBy, MoveSource, MoveState, Outcome, Plan,
    Private, Read, Resource, ResourceEntry, Update, UpgradeState,
};
pub use crate::schema::{Attribute, IdentityAttribute, IdentitySchema, Schema};
pub use crate::serve::{ServeOptions, serve};
pub use crate::value::Value;
