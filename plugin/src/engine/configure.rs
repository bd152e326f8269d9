//! `ConfigureProvider` and `StopProvider`.

use std::sync::{Arc, PoisonError};

use terdut_proto::tfplugin6::{configure_provider, stop_provider};

use super::Engine;
use super::guard::guarded;
use crate::codec;
use crate::diagnostics::Diagnostics;
use crate::model::FromValue;
use crate::provider::Provider;

impl<P: Provider> Engine<P> {
    pub(super) async fn configure(
        &self,
        request: configure_provider::Request,
    ) -> configure_provider::Response {
        let mut diagnostics = Diagnostics::new();
        let config = diagnostics.take(codec::decode(request.config.as_ref(), &self.ty));
        let config = config.and_then(|config| diagnostics.take(P::Config::from_value(config)));
        if let Some(config) = config {
            let configure = self.provider.configure(config, &mut diagnostics);
            match guarded("configuring itself", configure).await {
                Ok(data) => self.set_data(data),
                Err(panic) => diagnostics.push(panic),
            }
        }
        configure_provider::Response { diagnostics: diagnostics.into() }
    }

    fn set_data(&self, data: Option<P::Data>) {
        *self.data.write().unwrap_or_else(PoisonError::into_inner) = data.map(Arc::new);
    }

    pub(super) fn stop(&self) -> stop_provider::Response {
        self.stop_all();
        stop_provider::Response::default()
    }
}
