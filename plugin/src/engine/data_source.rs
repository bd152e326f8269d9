//! `ReadDataSource`.

use terdut_proto::tfplugin6::DynamicValue;
use terdut_proto::tfplugin6::read_data_source::{Request, Response};

use super::guard::guarded;
use super::{Engine, settle};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;

impl<P: Provider> Engine<P> {
    pub(super) async fn read_data_source(&self, request: Request) -> Response {
        let mut diagnostics = Diagnostics::new();
        let state = match self.looked_up(&request, &mut diagnostics).await {
            Ok(state) => state,
            Err(problems) => {
                diagnostics.extend(problems);
                None
            }
        };
        Response { state, diagnostics: diagnostics.into(), deferred: None }
    }

    async fn looked_up(
        &self,
        request: &Request,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<DynamicValue>, Diagnostics> {
        let source = self.data_source(&request.type_name)?;
        let config = codec::decode(request.config.as_ref(), source.ty())?;
        let context = self.context()?;
        let doing = format!("reading a {}", source.name());
        let (state, said) = guarded(&doing, source.read(&context, config.clone())).await?;
        diagnostics.extend(said);
        let Some(state) = state else {
            if !diagnostics.has_errors() {
                diagnostics.push(nothing(source.name()));
            }
            return Ok(None);
        };
        // What the user wrote is the prior spelling here.
        let state = settle::after_read(source.schema().all(), &config, state);
        Ok(Some(codec::encode(&state, source.ty())?))
    }
}

fn nothing(name: &str) -> Diagnostic {
    Diagnostic::error(
        "The provider has a bug",
        format!("It read a {name} and answered with neither a state nor an error."),
    )
}
