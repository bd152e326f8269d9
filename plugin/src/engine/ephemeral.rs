//! `ValidateEphemeralResourceConfig`, `OpenEphemeralResource`, `CloseEphemeralResource`.
//!
//! Nothing that is opened expires while a host needs it, so that no time for a renewal is ever
//! answered, and no host asks for one.

use terdut_proto::tfplugin6 as proto;

use super::guard::{guarded, guarded_now};
use super::validate::check_all;
use super::{Engine, settle};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::resource::Private;

use proto::{close_ephemeral_resource as close, open_ephemeral_resource as open};

impl<P: Provider> Engine<P> {
    pub(super) fn validate_ephemeral(
        &self,
        request: &proto::validate_ephemeral_resource_config::Request,
    ) -> proto::validate_ephemeral_resource_config::Response {
        let diagnostics = self.ephemeral_faults(request).unwrap_or_else(Into::into);
        proto::validate_ephemeral_resource_config::Response { diagnostics: diagnostics.into() }
    }

    fn ephemeral_faults(
        &self,
        request: &proto::validate_ephemeral_resource_config::Request,
    ) -> Result<Diagnostics, Diagnostics> {
        let resource = self.ephemeral(&request.type_name)?;
        let config = codec::decode(request.config.as_ref(), resource.ty())?;
        let mut diagnostics = Diagnostics::new();
        check_all(resource.schema().all(), &config, &mut diagnostics);
        let doing = format!("validating an ephemeral {}", resource.name());
        diagnostics.extend(guarded_now(&doing, || resource.validate(config))?);
        Ok(diagnostics)
    }

    pub(super) async fn open_ephemeral(&self, request: open::Request) -> open::Response {
        self.opened(&request).await.unwrap_or_else(|problems| open::Response {
            diagnostics: problems.into(),
            ..open::Response::default()
        })
    }

    async fn opened(&self, request: &open::Request) -> Result<open::Response, Diagnostics> {
        let resource = self.ephemeral(&request.type_name)?;
        let config = codec::decode(request.config.as_ref(), resource.ty())?;
        let context = self.context()?;
        let doing = format!("opening an ephemeral {}", resource.name());
        let opened = guarded(&doing, resource.open(&context, config.clone())).await?;
        let mut diagnostics = opened.diagnostics;
        let mut response = open::Response::default();
        match opened.result {
            Some(result) => {
                let result = settle::after_read(resource.schema().all(), &config, result);
                response.result = Some(codec::encode(&result, resource.ty())?);
                response.private = Some(opened.private.encode().into());
            }
            None if diagnostics.has_errors() => {}
            None => diagnostics.push(nothing(resource.name())),
        }
        response.diagnostics = diagnostics.into();
        Ok(response)
    }

    pub(super) async fn close_ephemeral(&self, request: close::Request) -> close::Response {
        let diagnostics = self.closed(&request).await.unwrap_or_else(|problems| problems);
        close::Response { diagnostics: diagnostics.into() }
    }

    async fn closed(&self, request: &close::Request) -> Result<Diagnostics, Diagnostics> {
        let resource = self.ephemeral(&request.type_name)?;
        let context = self.context()?;
        let private = Private::decode(request.private.as_deref().unwrap_or_default());
        let doing = format!("closing an ephemeral {}", resource.name());
        Ok(guarded(&doing, resource.close(&context, private)).await?)
    }
}

fn nothing(name: &str) -> Diagnostic {
    Diagnostic::error(
        "The provider has a bug",
        format!("It opened an ephemeral {name} and answered with neither a result nor an error."),
    )
}
