//! Providers: what joins resources, data sources, ephemeral resources, lists, actions and functions
//! under one configuration.

use std::future::Future;

use crate::action::{Action, ActionEntry, AnyAction};
use crate::data_source::{AnyDataSource, DataSource, DataSourceEntry};
use crate::diagnostics::Diagnostics;
use crate::ephemeral::{AnyEphemeral, EphemeralEntry, EphemeralResource};
use crate::function::Function;
use crate::list::{AnyList, ListEntry, ListResource};
use crate::model::Model;
use crate::resource::{AnyResource, Resource, ResourceEntry};
use crate::schema::Schema;

/// A provider.
pub trait Provider: Send + Sync + 'static {
    /// The provider block as a struct, made by [`model!`](crate::model!).
    type Config: Model;
    /// What configuring makes: clients, settings. Every call gets it.
    type Data: Send + Sync + 'static;

    /// Namespace and type in a registry, as `ryuvia/terdut`. State is taken over from the same
    /// provider of any registry.
    fn source(&self) -> &'static str;

    /// The provider block's attributes.
    fn schema(&self) -> Schema;

    /// Checks the provider block. Values may be unknown or missing.
    fn validate(&self, _config: &Self::Config, _diagnostics: &mut Diagnostics) {}

    /// Takes the configuration. While planning, values may be unknown: fail at use, not here.
    fn configure(
        &self,
        config: Self::Config,
        diagnostics: &mut Diagnostics,
    ) -> impl Future<Output = Option<Self::Data>> + Send;

    /// Lists what the provider offers.
    fn register(&self, registry: &mut Registry<Self::Data>);
}

/// What a provider offers.
pub struct Registry<D> {
    pub(crate) resources: Vec<Box<dyn AnyResource<D>>>,
    pub(crate) data_sources: Vec<Box<dyn AnyDataSource<D>>>,
    pub(crate) ephemeral: Vec<Box<dyn AnyEphemeral<D>>>,
    pub(crate) lists: Vec<Box<dyn AnyList<D>>>,
    pub(crate) actions: Vec<Box<dyn AnyAction<D>>>,
    pub(crate) functions: Vec<Box<dyn Function>>,
}

impl<D: Send + Sync + 'static> Registry<D> {
    pub(crate) fn new() -> Self {
        Self {
            resources: Vec::new(),
            data_sources: Vec::new(),
            ephemeral: Vec::new(),
            lists: Vec::new(),
            actions: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Offers a resource.
    pub fn resource<R: Resource<Data = D>>(&mut self, entry: ResourceEntry<R>) -> &mut Self {
        self.resources.push(Box::new(entry));
        self
    }

    /// Offers a data source.
    pub fn data_source<S: DataSource<Data = D>>(&mut self, source: S) -> &mut Self {
        self.data_sources.push(Box::new(DataSourceEntry::new(source)));
        self
    }

    /// Offers an ephemeral resource.
    pub fn ephemeral<E: EphemeralResource<Data = D>>(&mut self, resource: E) -> &mut Self {
        self.ephemeral.push(Box::new(EphemeralEntry::new(resource)));
        self
    }

    /// Offers a list of a managed resource's objects.
    pub fn list_resource<L: ListResource<Data = D>>(&mut self, list: L) -> &mut Self {
        self.lists.push(Box::new(ListEntry::new(list)));
        self
    }

    /// Offers an action.
    pub fn action<A: Action<Data = D>>(&mut self, action: A) -> &mut Self {
        self.actions.push(Box::new(ActionEntry::new(action)));
        self
    }

    /// Offers a function.
    pub fn function(&mut self, function: impl Function) -> &mut Self {
        self.functions.push(Box::new(function));
        self
    }
}

impl<D> std::fmt::Debug for Registry<D> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.resources.iter().map(|resource| resource.name());
        formatter.debug_list().entries(names).finish()
    }
}
