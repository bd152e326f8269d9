//! Ephemeral resources: what exists while a run needs it, and is in no plan and no state.
//!
//! A host opens one in each plan and each apply, and closes it at the end. What has to be known for
//! closing goes into the private data: a host keeps it in memory only.

use std::future::Future;

use crate::diagnostics::Diagnostics;
use crate::model::{FromValue, Model, ToValue};
use crate::offered::{Boxed, Offered, offered};
use crate::resource::{Context, Private};
use crate::schema::Schema;
use crate::ty::Type;
use crate::value::Value;

/// Something that is opened for a run and closed after it.
pub trait EphemeralResource: Send + Sync + 'static {
    /// The attributes as a struct, made by [`model!`](crate::model!).
    type Model: Model;
    /// What configuring the provider made.
    type Data: Send + Sync + 'static;

    /// The name in configurations, the provider's prefix included.
    fn type_name(&self) -> &'static str;

    /// The attributes.
    fn schema(&self) -> Schema;

    /// Checks what one attribute alone cannot tell. Values may be unknown.
    fn validate(&self, _config: &Self::Model, _diagnostics: &mut Diagnostics) {}

    /// Opens it: the configuration with everything else filled in. One that fails is not closed: it
    /// must leave nothing behind.
    fn open(
        &self,
        context: &Context<Self::Data>,
        config: Self::Model,
        private: &mut Private,
        diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = Option<Self::Model>> + Send;

    /// Closes what was opened with that private data. The host goes on whatever comes of it.
    fn close(
        &self,
        context: &Context<Self::Data>,
        private: &Private,
        diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = ()> + Send;
}

/// What opening came to.
pub(crate) struct Opened {
    pub(crate) result: Option<Value>,
    pub(crate) private: Private,
    pub(crate) diagnostics: Diagnostics,
}

/// An ephemeral resource without its model's type.
pub(crate) trait AnyEphemeral<D>: Offered {
    fn open<'a>(&'a self, context: &'a Context<D>, config: Value) -> Boxed<'a, Opened>;
    fn close<'a>(&'a self, context: &'a Context<D>, private: Private) -> Boxed<'a, Diagnostics>;
}

pub(crate) struct EphemeralEntry<E> {
    resource: E,
    schema: Schema,
    ty: Type,
}

impl<E: EphemeralResource> EphemeralEntry<E> {
    pub(crate) fn new(resource: E) -> Self {
        let schema = resource.schema();
        let ty = schema.ty();
        Self { resource, schema, ty }
    }
}

offered!(EphemeralEntry<E: EphemeralResource>, resource, Model);

impl<E: EphemeralResource> AnyEphemeral<E::Data> for EphemeralEntry<E> {
    fn open<'a>(&'a self, context: &'a Context<E::Data>, config: Value) -> Boxed<'a, Opened> {
        Box::pin(async move {
            let (mut private, mut diagnostics) = (Private::default(), Diagnostics::new());
            let result = match diagnostics.take(E::Model::from_value(config)) {
                Some(config) => {
                    self.resource.open(context, config, &mut private, &mut diagnostics).await
                }
                None => None,
            };
            Opened { result: result.map(ToValue::into_value), private, diagnostics }
        })
    }

    fn close<'a>(
        &'a self,
        context: &'a Context<E::Data>,
        private: Private,
    ) -> Boxed<'a, Diagnostics> {
        Box::pin(async move {
            let mut diagnostics = Diagnostics::new();
            self.resource.close(context, &private, &mut diagnostics).await;
            diagnostics
        })
    }
}
