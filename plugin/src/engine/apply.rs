//! `ApplyResourceChange`.
//!
//! A state is answered whenever there is one, also beside an error: what is not answered is lost
//! to the host.

use terdut_proto::tfplugin6::apply_resource_change::{Request, Response};

use super::guard::{guarded, guarded_now};
use super::{Engine, identity, settle};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::resource::{AnyResource, Context, ErasedOutcome, Private};
use crate::value::Value;

/// What an apply is about.
struct Change {
    config: Value,
    prior: Value,
    planned: Value,
}

impl<P: Provider> Engine<P> {
    pub(super) async fn apply(&self, request: Request) -> Response {
        // Before the author was asked nothing can have happened: everything stays as it was.
        let unchanged = Response {
            new_state: request.prior_state.clone(),
            private: request.planned_private.clone(),
            new_identity: request.planned_identity.clone(),
            ..Response::default()
        };
        match self.applied(request).await {
            Ok(response) => response,
            Err(diagnostics) => Response { diagnostics: diagnostics.into(), ..unchanged },
        }
    }

    async fn applied(&self, request: Request) -> Result<Response, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let change = Change {
            config: codec::decode(request.config.as_ref(), resource.ty())?,
            prior: codec::decode(request.prior_state.as_ref(), resource.ty())?,
            planned: codec::decode(request.planned_state.as_ref(), resource.ty())?,
        };
        let context = self.context()?;
        let private = Private::decode(&request.planned_private);
        let outcome = carry_out(resource, &context, &change, private).await;
        let unsettled = (outcome.state.clone(), outcome.private.encode());
        let doing = format!("looking at the result for a {}", resource.name());
        // Equalities and identities are an author's code too, and now there is something to lose.
        guarded_now(&doing, || answer(resource, &context, &change, outcome, request))
            .unwrap_or_else(|panic| as_it_is(resource, &change, unsettled, panic))
    }
}

async fn carry_out<D>(
    resource: &dyn AnyResource<D>,
    context: &Context<D>,
    change: &Change,
    private: Private,
) -> ErasedOutcome {
    let (config, prior, planned) =
        (change.config.clone(), change.prior.clone(), change.planned.clone());
    let kept = private.clone();
    let (doing, work) = if planned.is_null() {
        ("deleting", resource.delete(context, prior, private))
    } else if prior.is_null() {
        ("creating", resource.create(context, config, planned, private))
    } else {
        ("updating", resource.update(context, [config, prior, planned], private))
    };
    let doing = format!("{doing} a {}", resource.name());
    guarded(&doing, work).await.unwrap_or_else(|panic| ErasedOutcome {
        state: None,
        private: kept,
        diagnostics: panic.into(),
    })
}

fn answer<D>(
    resource: &dyn AnyResource<D>,
    context: &Context<D>,
    change: &Change,
    outcome: ErasedOutcome,
    request: Request,
) -> Result<Response, Diagnostics> {
    let attributes = resource.schema().all();
    let mut diagnostics = outcome.diagnostics;
    let state = match outcome.state {
        Some(state) if diagnostics.has_errors() => {
            let deleting = change.planned.is_null();
            let reference = if deleting { &change.prior } else { &change.planned };
            settle::after_read(attributes, reference, state)
        }
        Some(state) if !change.planned.is_null() => {
            settle::after_apply(attributes, &change.planned, state, &mut diagnostics)
        }
        Some(state) => state,
        None => without_state(resource.name(), change, &mut diagnostics),
    };
    let new_identity = if state.is_null() {
        request.planned_identity
    } else {
        // What replaces an object is another one; what changes it is not.
        let before = request.planned_identity.filter(|_| !change.prior.is_null());
        let data = context.data();
        identity::made_unless_changed(resource, data, &state, before, &mut diagnostics)
    };
    Ok(Response {
        new_state: Some(codec::encode(&state, resource.ty())?),
        private: outcome.private.encode().into(),
        new_identity,
        diagnostics: diagnostics.into(),
        ..Response::default()
    })
}

/// What the author answered, unless nothing was: then everything is as before.
fn as_it_is<D>(
    resource: &dyn AnyResource<D>,
    change: &Change,
    (state, private): (Option<Value>, Vec<u8>),
    panic: Diagnostic,
) -> Result<Response, Diagnostics> {
    let mut state = state.unwrap_or_else(|| change.prior.clone());
    state.null_unknowns();
    settle::clear_write_only(resource.schema().all(), &mut state);
    Ok(Response {
        new_state: Some(codec::encode(&state, resource.ty())?),
        private: private.into(),
        diagnostics: Diagnostics::from(panic).into(),
        ..Response::default()
    })
}

/// No state: deleted, nothing made, or (after an error) everything as before.
fn without_state(name: &str, change: &Change, diagnostics: &mut Diagnostics) -> Value {
    if diagnostics.has_errors() {
        return change.prior.clone();
    }
    if !change.planned.is_null() {
        diagnostics.push(Diagnostic::error(
            "The provider has a bug",
            format!("It answered an apply of a {name} with neither a state nor an error."),
        ));
        return change.prior.clone();
    }
    Value::Null
}
