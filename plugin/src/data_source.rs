//! Data sources: what a configuration reads without managing it.

use std::future::Future;

use crate::diagnostics::Diagnostics;
use crate::model::{FromValue, Model, ToValue};
use crate::offered::{Boxed, Offered, offered};
use crate::resource::Context;
use crate::schema::Schema;
use crate::ty::Type;
use crate::value::Value;

/// Something that can be looked up.
pub trait DataSource: Send + Sync + 'static {
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

    /// Looks it up: the configuration with everything else filled in.
    fn read(
        &self,
        context: &Context<Self::Data>,
        config: Self::Model,
        diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = Option<Self::Model>> + Send;
}

/// A data source without its model's type.
pub(crate) trait AnyDataSource<D>: Offered {
    fn read<'a>(
        &'a self,
        context: &'a Context<D>,
        config: Value,
    ) -> Boxed<'a, (Option<Value>, Diagnostics)>;
}

pub(crate) struct DataSourceEntry<S> {
    source: S,
    schema: Schema,
    ty: Type,
}

impl<S: DataSource> DataSourceEntry<S> {
    pub(crate) fn new(source: S) -> Self {
        let schema = source.schema();
        let ty = schema.ty();
        Self { source, schema, ty }
    }
}

offered!(DataSourceEntry<S: DataSource>, source, Model);

impl<S: DataSource> AnyDataSource<S::Data> for DataSourceEntry<S> {
    fn read<'a>(
        &'a self,
        context: &'a Context<S::Data>,
        config: Value,
    ) -> Boxed<'a, (Option<Value>, Diagnostics)> {
        Box::pin(async move {
            let mut diagnostics = Diagnostics::new();
            let Some(config) = diagnostics.take(S::Model::from_value(config)) else {
                return (None, diagnostics);
            };
            let state = self.source.read(context, config, &mut diagnostics).await;
            (state.map(ToValue::into_value), diagnostics)
        })
    }
}
