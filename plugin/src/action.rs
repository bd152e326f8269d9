//! Actions: deeds that change no resource's state, run when a person or a life cycle asks.
//!
//! A host plans an action with its configuration, and invokes it once all of it is known. What the
//! work tells on its way is shown to the person at once.

use std::future::Future;

use tokio::sync::mpsc::Sender;

use crate::diagnostics::Diagnostics;
use crate::model::{FromValue, Model};
use crate::offered::{Boxed, Offered, offered, told};
use crate::resource::Context;
use crate::schema::Schema;
use crate::ty::Type;
use crate::value::Value;

/// A deed.
pub trait Action: Send + Sync + 'static {
    /// The configuration as a struct, made by [`model!`](crate::model!).
    type Model: Model;
    /// What configuring the provider made.
    type Data: Send + Sync + 'static;

    /// The name in configurations, the provider's prefix included.
    fn type_name(&self) -> &'static str;

    /// The attributes: required or optional ones.
    fn schema(&self) -> Schema;

    /// Checks what one attribute alone cannot tell. Values may be unknown.
    fn validate(&self, _config: &Self::Model, _diagnostics: &mut Diagnostics) {}

    /// Says before anything happens what cannot work, or what a person should know. Values may be
    /// unknown. It calls no API.
    fn plan(
        &self,
        _context: &Context<Self::Data>,
        _config: &Self::Model,
        _diagnostics: &mut Diagnostics,
    ) {
    }

    /// Does it. An error fails the run; it undoes nothing.
    fn invoke(
        &self,
        context: &Context<Self::Data>,
        config: Self::Model,
        progress: &Progress,
        diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = ()> + Send;
}

/// Where an action tells how far it is. People see each message: no secret may be in one.
#[derive(Clone, Debug)]
pub struct Progress(Sender<String>);

impl Progress {
    pub(crate) fn new(sender: Sender<String>) -> Self {
        Self(sender)
    }

    /// Says one thing. That nobody listens any more is no reason to stop.
    pub async fn say(&self, message: impl Into<String>) {
        let _ = self.0.send(message.into()).await;
    }
}

/// An action without its model's type.
pub(crate) trait AnyAction<D>: Offered {
    fn plan(&self, context: &Context<D>, config: Value) -> Diagnostics;
    fn invoke<'a>(
        &'a self,
        context: &'a Context<D>,
        config: Value,
        progress: &'a Progress,
    ) -> Boxed<'a, Diagnostics>;
}

pub(crate) struct ActionEntry<A> {
    action: A,
    schema: Schema,
    ty: Type,
}

impl<A: Action> ActionEntry<A> {
    pub(crate) fn new(action: A) -> Self {
        let schema = action.schema();
        let ty = schema.ty();
        Self { action, schema, ty }
    }
}

offered!(ActionEntry<A: Action>, action, Model);

impl<A: Action> AnyAction<A::Data> for ActionEntry<A> {
    fn plan(&self, context: &Context<A::Data>, config: Value) -> Diagnostics {
        told(config, |config: A::Model, diagnostics| {
            self.action.plan(context, &config, diagnostics);
        })
    }

    fn invoke<'a>(
        &'a self,
        context: &'a Context<A::Data>,
        config: Value,
        progress: &'a Progress,
    ) -> Boxed<'a, Diagnostics> {
        Box::pin(async move {
            let mut diagnostics = Diagnostics::new();
            if let Some(config) = diagnostics.take(A::Model::from_value(config)) {
                self.action.invoke(context, config, progress, &mut diagnostics).await;
            }
            diagnostics
        })
    }
}
