//! List resources: what there is of a kind, for people who look for what to take over.
//!
//! A host lists a managed kind by its name (`terraform query`), and asks for each object's identity
//! and, if the person wants it, for the whole object. An author hands over states in the shape of
//! the managed resource; identities are made of them by the resource itself, so that what is
//! listed and what is managed are told apart by the same rule.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use tokio::sync::mpsc::Sender;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{FromValue, Model};
use crate::offered::{Boxed, Offered, offered};
use crate::resource::Context;
use crate::schema::Schema;
use crate::ty::Type;
use crate::value::Value;

/// A managed kind whose objects can be listed. The managed resource has an identity.
pub trait ListResource: Send + Sync + 'static {
    /// What the list is narrowed by, made by [`model!`](crate::model!).
    type Config: Model;
    /// The managed resource's model.
    type Object: Model;
    /// What configuring the provider made.
    type Data: Send + Sync + 'static;

    /// The name in configurations: the managed resource's.
    fn type_name(&self) -> &'static str;

    /// What the list can be narrowed by: attributes that are required or optional.
    fn schema(&self) -> Schema;

    /// Checks what one attribute alone cannot tell. Values may be unknown.
    fn validate(&self, _config: &Self::Config, _diagnostics: &mut Diagnostics) {}

    /// Hands over each object, until there is none left or nobody wants more. What was handed over
    /// before an error stays.
    fn list(
        &self,
        context: &Context<Self::Data>,
        config: Self::Config,
        listing: &mut Listing<Self::Object>,
    ) -> impl Future<Output = Result<(), Diagnostics>> + Send;
}

/// Where an author hands objects over.
#[derive(Debug)]
pub struct Listing<M> {
    sink: Sink,
    object: PhantomData<fn(M)>,
}

impl<M: Model> Listing<M> {
    fn new(sink: Sink) -> Self {
        Self { sink, object: PhantomData }
    }

    /// Hands an object over, with a name for people. It waits while the host is slower; a break
    /// says that the host has as many as it asked for, or is gone.
    pub async fn add(&mut self, name: impl Into<String>, object: M) -> ControlFlow<()> {
        self.sink.add(Found { name: name.into(), object: object.into_value() }).await
    }

    /// Says something beside the objects.
    pub async fn warn(&mut self, warning: Diagnostic) {
        // Nobody hears it once the host is gone.
        let _ = self.sink.sender.send(Item::Told(warning.into())).await;
    }
}

/// An object that was handed over.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) object: Value,
}

/// What goes to the host next.
#[derive(Debug)]
pub(crate) enum Item {
    Found(Found),
    Told(Diagnostics),
}

/// The way to the host, and how many it still wants.
#[derive(Debug)]
pub(crate) struct Sink {
    sender: Sender<Item>,
    left: Option<i64>,
}

impl Sink {
    /// A limit that is not positive is none.
    pub(crate) fn new(sender: Sender<Item>, limit: i64) -> Self {
        Self { sender, left: (limit > 0).then_some(limit) }
    }

    async fn add(&mut self, found: Found) -> ControlFlow<()> {
        if self.left == Some(0) || self.sender.send(Item::Found(found)).await.is_err() {
            return ControlFlow::Break(());
        }
        self.left = self.left.map(|left| left - 1);
        if self.left == Some(0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A list resource without its models' types.
pub(crate) trait AnyList<D>: Offered {
    fn list<'a>(
        &'a self,
        context: &'a Context<D>,
        config: Value,
        sink: Sink,
    ) -> Boxed<'a, Result<(), Diagnostics>>;
}

pub(crate) struct ListEntry<L> {
    list: L,
    schema: Schema,
    ty: Type,
}

impl<L: ListResource> ListEntry<L> {
    pub(crate) fn new(list: L) -> Self {
        let schema = list.schema();
        let ty = schema.ty();
        Self { list, schema, ty }
    }
}

offered!(ListEntry<L: ListResource>, list, Config);

impl<L: ListResource> AnyList<L::Data> for ListEntry<L> {
    fn list<'a>(
        &'a self,
        context: &'a Context<L::Data>,
        config: Value,
        sink: Sink,
    ) -> Boxed<'a, Result<(), Diagnostics>> {
        Box::pin(async move {
            let config = L::Config::from_value(config)?;
            self.list.list(context, config, &mut Listing::new(sink)).await
        })
    }
}
