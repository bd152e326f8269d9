//! `ValidateActionConfig`, `PlanAction`, `InvokeAction`.
//!
//! The work runs to its end whether or not the host listens: what it has begun it also ends. The
//! one completed event comes last, whatever happened.

use std::sync::Arc;

use futures::StreamExt;
use terdut_proto::tfplugin6::{self as proto, invoke_action, plan_action};
use tokio::sync::mpsc::channel;
use tokio::sync::oneshot;
use tokio_stream::wrappers::ReceiverStream;
use tonic::codegen::BoxStream;

use invoke_action::event::{Completed, Progress as Said, Type as What};

use super::Engine;
use super::guard::{guarded, guarded_now};
use super::validate::check_all;
use crate::action::{AnyAction, Progress};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::resource::Context;
use crate::value::Value;

/// How many messages wait for a slow host.
const WAITING: usize = 16;

/// An action with a configuration, and what is wrong with that.
struct Checked<D> {
    action: Arc<dyn AnyAction<D>>,
    config: Value,
    told: Diagnostics,
}

impl<P: Provider> Engine<P> {
    pub(super) fn validate_action(
        &self,
        request: &proto::validate_action_config::Request,
    ) -> proto::validate_action_config::Response {
        let checked = self.checked(&request.action_type, request.config.as_ref());
        let diagnostics = checked.map_or_else(Into::into, |checked| checked.told);
        proto::validate_action_config::Response { diagnostics: diagnostics.into() }
    }

    fn checked(
        &self,
        name: &str,
        config: Option<&proto::DynamicValue>,
    ) -> Result<Checked<P::Data>, Diagnostics> {
        let action = Arc::clone(self.action(name)?);
        let config = codec::decode(config, action.ty())?;
        let config = if config.is_null() { Value::empty_object(action.ty()) } else { config };
        let mut told = Diagnostics::new();
        check_all(action.schema().all(), &config, &mut told);
        let doing = format!("validating a {}", action.name());
        told.extend(guarded_now(&doing, || action.validate(config.clone()))?);
        Ok(Checked { action, config, told })
    }

    pub(super) fn action_plan(&self, request: &plan_action::Request) -> plan_action::Response {
        let diagnostics = self.planned_action(request).unwrap_or_else(Into::into);
        plan_action::Response { diagnostics: diagnostics.into(), deferred: None }
    }

    /// Values that were not known when it was validated may be now.
    fn planned_action(&self, request: &plan_action::Request) -> Result<Diagnostics, Diagnostics> {
        let Checked { action, config, mut told } =
            self.checked(&request.action_type, request.config.as_ref())?;
        let context = self.context()?;
        let doing = format!("planning a {}", action.name());
        told.extend(guarded_now(&doing, || action.plan(&context, config))?);
        Ok(told)
    }

    pub(super) fn action_events(
        &self,
        request: &invoke_action::Request,
    ) -> BoxStream<invoke_action::Event> {
        let ready = self.invocation(request).and_then(|checked| Ok((checked, self.context()?)));
        match ready {
            Ok((checked, context)) => invoked(checked.action, checked.config, context),
            Err(problems) => Box::pin(tokio_stream::once(Ok(completed(problems)))),
        }
    }

    fn invocation(
        &self,
        request: &invoke_action::Request,
    ) -> Result<Checked<P::Data>, Diagnostics> {
        let checked = self.checked(&request.action_type, request.config.as_ref())?;
        if checked.told.has_errors() {
            return Err(checked.told);
        }
        if !checked.config.is_wholly_known() {
            return Err(unknown(checked.action.name()).into());
        }
        Ok(checked)
    }
}

fn invoked<D: Send + Sync + 'static>(
    action: Arc<dyn AnyAction<D>>,
    config: Value,
    context: Context<D>,
) -> BoxStream<invoke_action::Event> {
    let (sender, messages) = channel(WAITING);
    let (end, ended) = oneshot::channel();
    tokio::spawn(async move {
        let (progress, doing) = (Progress::new(sender), format!("invoking a {}", action.name()));
        let told = guarded(&doing, action.invoke(&context, config, &progress)).await;
        // A host that is gone hears nothing.
        let _ = end.send(told.unwrap_or_else(Diagnostics::from));
    });
    let said = ReceiverStream::new(messages).map(|message| event(What::Progress(Said { message })));
    let end = futures::stream::once(async move { completed(ended.await.unwrap_or_default()) });
    Box::pin(said.chain(end).map(Ok))
}

fn completed(told: Diagnostics) -> invoke_action::Event {
    event(What::Completed(Completed { diagnostics: told.into() }))
}

fn event(what: What) -> invoke_action::Event {
    invoke_action::Event { r#type: Some(what) }
}

fn unknown(name: &str) -> Diagnostic {
    Diagnostic::error(
        "Value not known yet",
        format!("A {name} can only be invoked once all of its configuration is known."),
    )
}
