//! `ReadResource`.

use terdut_proto::tfplugin6::read_resource::{Request, Response};

use super::guard::guarded;
use super::{Engine, identity, settle};
use crate::codec;
use crate::diagnostics::Diagnostics;
use crate::provider::Provider;
use crate::resource::{AnyResource, Context, ErasedOutcome, Private};
use crate::value::Value;

impl<P: Provider> Engine<P> {
    pub(super) async fn read(&self, request: Request) -> Response {
        // An answer that fails must leave everything as it was.
        let unchanged = Response {
            new_state: request.current_state.clone(),
            private: request.private.clone(),
            new_identity: request.current_identity.clone(),
            ..Response::default()
        };
        match self.refreshed(request).await {
            Ok(response) => response,
            Err(diagnostics) => Response { diagnostics: diagnostics.into(), ..unchanged },
        }
    }

    async fn refreshed(&self, request: Request) -> Result<Response, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let state = codec::decode(request.current_state.as_ref(), resource.ty())?;
        let context = self.context()?;
        let private = Private::decode(&request.private);
        let doing = format!("reading a {}", resource.name());
        let read = resource.read(&context, state.clone(), private);
        let outcome = guarded(&doing, read).await?;
        if outcome.diagnostics.has_errors() {
            return Err(outcome.diagnostics);
        }
        answer(resource, &context, &state, outcome, request)
    }
}

fn answer<D>(
    resource: &dyn AnyResource<D>,
    context: &Context<D>,
    prior: &Value,
    outcome: ErasedOutcome,
    request: Request,
) -> Result<Response, Diagnostics> {
    let attributes = resource.schema().all();
    let state = outcome.state.map(|state| settle::after_read(attributes, prior, state));
    let known = state.as_ref().unwrap_or(prior);
    let current = request.current_identity;
    let made = identity::made_or_kept(resource, context.data(), known, current.clone());
    let changed = resource
        .identity_schema()
        .and_then(|schema| identity::refuse_change(schema, current.as_ref(), made.as_ref()));
    if let Some(changed) = changed {
        return Err(changed.into());
    }
    Ok(Response {
        new_state: Some(codec::encode(&state.unwrap_or_default(), resource.ty())?),
        private: outcome.private.encode().into(),
        new_identity: made,
        diagnostics: outcome.diagnostics.into(),
        deferred: None,
    })
}
