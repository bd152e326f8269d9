//! `PlanResourceChange`.

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::plan_resource_change::{Request, Response};

use super::guard::{guarded, guarded_now};
use super::identity;
use super::propose::propose;
use super::replace::replacements;
use super::validate::refuse_write_only;
use super::{Engine, settle};
use crate::codec;
use crate::diagnostics::Diagnostics;
use crate::provider::Provider;
use crate::resource::{AnyResource, Planned, Private};
use crate::value::Value;

impl<P: Provider> Engine<P> {
    pub(super) async fn plan(&self, request: Request) -> Response {
        let (private, identity) = (request.prior_private.clone(), request.prior_identity.clone());
        self.planned(request).await.unwrap_or_else(|diagnostics| Response {
            planned_private: private,
            planned_identity: identity,
            diagnostics: diagnostics.into(),
            ..Response::default()
        })
    }

    async fn planned(&self, request: Request) -> Result<Response, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let prior = codec::decode(request.prior_state.as_ref(), resource.ty())?;
        let proposed = codec::decode(request.proposed_new_state.as_ref(), resource.ty())?;
        if proposed.is_null() {
            return self.planned_delete(resource, prior, request).await;
        }
        let config = codec::decode(request.config.as_ref(), resource.ty())?;
        let mut diagnostics = Diagnostics::new();
        let allowed = self.allows_write_only(request.client_capabilities.as_ref());
        refuse_write_only(resource.schema().all(), &config, allowed, &mut diagnostics);
        let prior = Some(prior).filter(Value::is_known);
        let planned = self.hooked(resource, config, prior.as_ref(), &request)?;
        diagnostics.extend(planned.diagnostics.clone());
        self.answer(resource, prior.as_ref(), planned, request, diagnostics)
    }

    /// The proposal, changed by the author's hook.
    fn hooked(
        &self,
        resource: &dyn AnyResource<P::Data>,
        config: Value,
        prior: Option<&Value>,
        request: &Request,
    ) -> Result<Planned, Diagnostics> {
        let attributes = resource.schema().all();
        let proposed = propose(attributes, &config, prior);
        let private = Private::decode(&request.prior_private);
        let context = self.context()?;
        let doing = format!("planning a {}", resource.name());
        let hook = || resource.plan(&context, config, prior.cloned(), proposed, private);
        let mut planned = guarded_now(&doing, hook)?;
        settle::clear_write_only(attributes, &mut planned.state);
        Ok(planned)
    }

    fn answer(
        &self,
        resource: &dyn AnyResource<P::Data>,
        prior: Option<&Value>,
        planned: Planned,
        request: Request,
        diagnostics: Diagnostics,
    ) -> Result<Response, Diagnostics> {
        let mut replace = planned.replace;
        if let Some(prior) = prior {
            replace.extend(replacements(resource.schema().all(), &planned.state, prior));
        }
        replace.sort();
        replace.dedup();
        let private = planned.private.encode();
        Ok(Response {
            planned_state: Some(codec::encode(&planned.state, resource.ty())?),
            requires_replace: replace.iter().map(proto::AttributePath::from).collect(),
            planned_private: private.into(),
            planned_identity: prior.and_then(|prior| {
                let current = request.prior_identity;
                identity::kept_or_made(resource, self.context().ok()?.data(), prior, current)
            }),
            diagnostics: diagnostics.into(),
            ..Response::default()
        })
    }

    async fn planned_delete(
        &self,
        resource: &dyn AnyResource<P::Data>,
        prior: Value,
        request: Request,
    ) -> Result<Response, Diagnostics> {
        let context = self.context()?;
        let doing = format!("planning the end of a {}", resource.name());
        let diagnostics = guarded(&doing, resource.plan_delete(&context, prior)).await?;
        Ok(Response {
            planned_state: Some(codec::encode(&Value::Null, resource.ty())?),
            planned_private: request.prior_private,
            planned_identity: request.prior_identity,
            diagnostics: diagnostics.into(),
            ..Response::default()
        })
    }
}
