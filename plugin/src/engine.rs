//! The machine between the host's calls and the author's resources.
//!
//! [`Engine`] is the gRPC service that `serve` serves. One file an RPC: each decodes values by the
//! schema, calls the author, holds the answer to the host's rules, and encodes it. No rule of a
//! resource stands here, no error crosses as a gRPC failure, and an author's panic ends as a
//! diagnostic.

mod action;
mod apply;
mod configure;
mod data_source;
mod describe;
mod ephemeral;
mod functions;
mod guard;
mod identity;
mod import;
mod list;
mod migrate;
mod plan;
mod propose;
mod read;
mod replace;
mod schemas;
mod service;
mod settle;
#[cfg(test)]
mod tests;
mod validate;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use terdut_proto::tfplugin6 as proto;
use tokio_util::sync::CancellationToken;

use crate::action::AnyAction;
use crate::data_source::AnyDataSource;
use crate::diagnostics::Diagnostic;
use crate::ephemeral::AnyEphemeral;
use crate::function::Function;
use crate::list::AnyList;
use crate::offered::Offered;
use crate::provider::{Provider, Registry};
use crate::resource::{AnyResource, Context};
use crate::schema::Schema;
use crate::ty::Type;

/// A provider, ready to be served.
pub struct Engine<P: Provider> {
    provider: P,
    schema: Schema,
    ty: Type,
    resources: BTreeMap<&'static str, Arc<dyn AnyResource<P::Data>>>,
    data_sources: BTreeMap<&'static str, Box<dyn AnyDataSource<P::Data>>>,
    ephemeral: BTreeMap<&'static str, Box<dyn AnyEphemeral<P::Data>>>,
    lists: BTreeMap<&'static str, Arc<dyn AnyList<P::Data>>>,
    actions: BTreeMap<&'static str, Arc<dyn AnyAction<P::Data>>>,
    functions: BTreeMap<&'static str, Box<dyn Function>>,
    schemas: proto::get_provider_schema::Response,
    data: RwLock<Option<Arc<P::Data>>>,
    stop: Mutex<CancellationToken>,
    /// Whether a validation showed that the host never stores write-only values.
    write_only: AtomicBool,
}

impl<P: Provider> Engine<P> {
    /// Builds all schemas once; a host asks for them at every start.
    pub fn new(provider: P) -> Self {
        let mut registry = Registry::new();
        provider.register(&mut registry);
        let schema = provider.schema();
        let mut engine = Self {
            ty: schema.ty(),
            schema,
            resources: shared(registry.resources, Offered::name),
            data_sources: by_name(registry.data_sources, Offered::name),
            ephemeral: by_name(registry.ephemeral, Offered::name),
            lists: shared(registry.lists, Offered::name),
            actions: shared(registry.actions, Offered::name),
            functions: by_name(registry.functions, Function::name),
            provider,
            schemas: proto::get_provider_schema::Response::default(),
            data: RwLock::new(None),
            stop: Mutex::new(CancellationToken::new()),
            write_only: AtomicBool::new(false),
        };
        engine.schemas = engine.all_schemas();
        engine
    }

    /// Mistakes in the schemas, for a test of the provider's author.
    pub fn schema_faults(&self) -> Vec<String> {
        let named = |name: &str, schema: &Schema| -> Vec<String> {
            schema.faults().into_iter().map(|fault| format!("{name}: {fault}")).collect()
        };
        let resources = self.resources.iter().flat_map(|(name, it)| named(name, it.schema()));
        let sources = self.data_sources.iter().flat_map(|(name, it)| named(name, it.schema()));
        let ephemeral = self.ephemeral.iter().flat_map(|(name, it)| named(name, it.schema()));
        let all = resources.chain(sources).chain(ephemeral).chain(self.faults_of_asking());
        named("provider", &self.schema).into_iter().chain(all).collect()
    }

    /// Of lists and actions. Nothing in those is computed: they have no state.
    fn faults_of_asking(&self) -> Vec<String> {
        let lists = self.lists.iter().map(|(name, it)| (format!("list {name}"), it.schema()));
        let actions = self.actions.iter().map(|(name, it)| (format!("action {name}"), it.schema()));
        let faults = lists.chain(actions).flat_map(|(name, schema)| {
            let computed = schema.all().iter().filter(|attribute| attribute.is_computed());
            let computed = computed.map(|attribute| format!("{} is computed", attribute.name()));
            let all: Vec<_> = schema.faults().into_iter().chain(computed).collect();
            all.into_iter().map(move |fault| format!("{name}: {fault}"))
        });
        let identified =
            |name: &str| self.resource(name).is_ok_and(|it| it.identity_schema().is_some());
        let alone = self.lists.keys().filter(|name| !identified(name));
        faults
            .chain(alone.map(|name| format!("list {name}: no resource with an identity")))
            .collect()
    }

    fn resource(&self, name: &str) -> Result<&dyn AnyResource<P::Data>, Diagnostic> {
        self.shared_resource(name).map(AsRef::as_ref)
    }

    fn shared_resource(&self, name: &str) -> Result<&Arc<dyn AnyResource<P::Data>>, Diagnostic> {
        self.resources.get(name).ok_or_else(|| unknown("resource", name))
    }

    fn list_of(&self, name: &str) -> Result<&Arc<dyn AnyList<P::Data>>, Diagnostic> {
        self.lists.get(name).ok_or_else(|| unknown("list resource", name))
    }

    fn action(&self, name: &str) -> Result<&Arc<dyn AnyAction<P::Data>>, Diagnostic> {
        self.actions.get(name).ok_or_else(|| unknown("action", name))
    }

    fn data_source(&self, name: &str) -> Result<&dyn AnyDataSource<P::Data>, Diagnostic> {
        self.data_sources.get(name).map(AsRef::as_ref).ok_or_else(|| unknown("data source", name))
    }

    fn ephemeral(&self, name: &str) -> Result<&dyn AnyEphemeral<P::Data>, Diagnostic> {
        let found = self.ephemeral.get(name).map(AsRef::as_ref);
        found.ok_or_else(|| unknown("ephemeral resource", name))
    }

    fn context(&self) -> Result<Context<P::Data>, Diagnostic> {
        let data = self.data.read().unwrap_or_else(PoisonError::into_inner).clone();
        let data = data.ok_or_else(|| {
            Diagnostic::error(
                "Provider not configured",
                "The host asked for work before it configured the provider, or configuring it \
                 failed.",
            )
        })?;
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Context::new(data, stop))
    }

    /// Ends the work in flight. What is asked for afterwards starts anew: a host that outlives its
    /// users (a scheduler) goes on with other ones.
    fn stop_all(&self) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *stop, CancellationToken::new()).cancel();
    }
}

impl<P: Provider> std::fmt::Debug for Engine<P> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Engine").field(&self.provider.source()).finish()
    }
}

fn by_name<T: ?Sized>(
    entries: Vec<Box<T>>,
    name: impl Fn(&T) -> &'static str,
) -> BTreeMap<&'static str, Box<T>> {
    entries.into_iter().map(|entry| (name(&entry), entry)).collect()
}

/// The same for what outlives the call that began it: streams.
fn shared<T: ?Sized>(
    entries: Vec<Box<T>>,
    name: impl Fn(&T) -> &'static str,
) -> BTreeMap<&'static str, Arc<T>> {
    entries.into_iter().map(|entry| (name(&entry), Arc::from(entry))).collect()
}

fn unknown(what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(format!("Unknown {what}"), format!("This provider has no {what} {name}."))
}
