//! `ValidateListResourceConfig`, `ListResource`.
//!
//! Objects go to the host one by one, as the author hands them over. An error ends the stream as
//! its last event. A host that hangs up ends the work.

use std::sync::Arc;

use futures::StreamExt;
use terdut_proto::tfplugin6::{self as proto, list_resource, validate_list_resource_config};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tonic::codegen::BoxStream;

use super::guard::{guarded, guarded_now};
use super::validate::check_all;
use super::{Engine, identity, settle};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::list::{AnyList, Found, Item, Sink};
use crate::provider::Provider;
use crate::resource::{AnyResource, Context};
use crate::ty::Type;
use crate::value::Value;

/// How many objects wait for a slow host.
const WAITING: usize = 16;

impl<P: Provider> Engine<P> {
    pub(super) fn validate_list(
        &self,
        request: &validate_list_resource_config::Request,
    ) -> validate_list_resource_config::Response {
        let diagnostics = self.list_faults(request).unwrap_or_else(Into::into);
        validate_list_resource_config::Response { diagnostics: diagnostics.into() }
    }

    fn list_faults(
        &self,
        request: &validate_list_resource_config::Request,
    ) -> Result<Diagnostics, Diagnostics> {
        let list = self.list_of(&request.type_name)?;
        let config = decode(request.config.as_ref(), list.ty())?;
        let mut diagnostics = Diagnostics::new();
        check_all(list.schema().all(), &config, &mut diagnostics);
        let limit = codec::decode(request.limit.as_ref(), &Type::Number)?;
        if limit.is_known() && limit.as_i64().is_none_or(|limit| limit < 0) {
            let detail = "limit is how many objects to list: a whole number, not below 0.";
            diagnostics.error("Invalid limit", detail);
        }
        let doing = format!("validating a list of {}", list.name());
        diagnostics.extend(guarded_now(&doing, || list.validate(config))?);
        Ok(diagnostics)
    }

    pub(super) fn list_events(
        &self,
        request: &list_resource::Request,
    ) -> BoxStream<list_resource::Event> {
        match self.begun(request) {
            Ok(events) => events,
            Err(problems) => {
                let told = list_resource::Event { diagnostic: problems.into(), ..no_event() };
                Box::pin(tokio_stream::once(Ok(told)))
            }
        }
    }

    fn begun(
        &self,
        request: &list_resource::Request,
    ) -> Result<BoxStream<list_resource::Event>, Diagnostics> {
        let list = Arc::clone(self.list_of(&request.type_name)?);
        let resource = Arc::clone(self.shared_resource(&request.type_name)?);
        let config = decode(request.config.as_ref(), list.ty())?;
        let context = self.context()?;
        let show =
            Show { resource, context: context.clone(), whole: request.include_resource_object };
        let (sender, receiver) = channel(WAITING);
        tokio::spawn(work(list, context, config, sender, request.limit));
        Ok(Box::pin(ReceiverStream::new(receiver).map(move |item| Ok(show.event(item)))))
    }
}

/// Lists until the end, an error, or the host's hanging up.
async fn work<D: Send + Sync + 'static>(
    list: Arc<dyn AnyList<D>>,
    context: Context<D>,
    config: Value,
    sender: Sender<Item>,
    limit: i64,
) {
    let doing = format!("listing each {}", list.name());
    let listing = list.list(&context, config, Sink::new(sender.clone(), limit));
    let told = tokio::select! {
        told = guarded(&doing, listing) => told,
        () = sender.closed() => return,
    };
    let failed = told.map_err(Diagnostics::from).and_then(|told| told).err();
    if let Some(problems) = failed {
        // A host that is gone hears nothing.
        let _ = sender.send(Item::Told(problems)).await;
    }
}

/// How objects are shown to the host.
struct Show<D> {
    resource: Arc<dyn AnyResource<D>>,
    context: Context<D>,
    whole: bool,
}

impl<D> Show<D> {
    fn event(&self, item: Item) -> list_resource::Event {
        match item {
            Item::Told(told) => list_resource::Event { diagnostic: told.into(), ..no_event() },
            Item::Found(found) => self.shown(found).unwrap_or_else(|problems| {
                list_resource::Event { diagnostic: problems.into(), ..no_event() }
            }),
        }
    }

    fn shown(&self, found: Found) -> Result<list_resource::Event, Diagnostics> {
        let (resource, mut object) = (&self.resource, found.object);
        object.null_unknowns();
        settle::clear_write_only(resource.schema().all(), &mut object);
        let doing = format!("telling the identity of a {}", resource.name());
        let identity = guarded_now(&doing, || resource.identity(self.context.data(), &object))?;
        let encoded = resource.identity_schema().zip(identity);
        let identity = encoded.and_then(|(schema, identity)| identity::encode(schema, &identity));
        let whole = self.whole.then(|| codec::encode(&object, resource.ty())).transpose()?;
        Ok(list_resource::Event {
            identity: Some(identity.ok_or_else(|| nameless(resource.name()))?),
            display_name: found.name,
            resource_object: whole,
            diagnostic: Vec::new(),
        })
    }
}

fn no_event() -> list_resource::Event {
    list_resource::Event::default()
}

/// A list without its block of settings has none set.
fn decode(config: Option<&proto::DynamicValue>, ty: &Type) -> Result<Value, Diagnostics> {
    let config = codec::decode(config, ty)?;
    Ok(if config.is_null() { Value::empty_object(ty) } else { config })
}

fn nameless(name: &str) -> Diagnostic {
    Diagnostic::error(
        "The provider has a bug",
        format!("It lists a {name} and cannot tell its identity."),
    )
}
