//! A provider with next to nothing in it, and the options to serve it with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use terdut_plugin::serve::{Mask, ServeOptions};
use terdut_proto::tfplugin6::provider_server::Provider;
use terdut_proto::tfplugin6::{
    DynamicValue, call_function, get_metadata, stop_provider, validate_provider_config,
};
use tonic::{Request, Response, Status};

/// Answers `GetMetadata`, echoes functions' first argument, and remembers whether it was stopped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tiny {
    pub(crate) stopped: Arc<AtomicBool>,
}

#[tonic::async_trait]
impl Provider for Tiny {
    async fn get_metadata(
        &self,
        _request: Request<get_metadata::Request>,
    ) -> Result<Response<get_metadata::Response>, Status> {
        Ok(Response::new(get_metadata::Response::default()))
    }

    async fn call_function(
        &self,
        request: Request<call_function::Request>,
    ) -> Result<Response<call_function::Response>, Status> {
        let result: Option<DynamicValue> = request.into_inner().arguments.pop();
        Ok(Response::new(call_function::Response { result, error: None }))
    }

    /// Never answers: work that the end has to interrupt.
    async fn validate_provider_config(
        &self,
        _request: Request<validate_provider_config::Request>,
    ) -> Result<Response<validate_provider_config::Response>, Status> {
        std::future::pending().await
    }

    async fn stop_provider(
        &self,
        _request: Request<stop_provider::Request>,
    ) -> Result<Response<stop_provider::Response>, Status> {
        self.stopped.store(true, Ordering::SeqCst);
        Ok(Response::new(stop_provider::Response::default()))
    }
}

pub(crate) fn options() -> ServeOptions {
    ServeOptions {
        name: "tiny",
        addresses: vec!["registry.terraform.io/test/tiny".to_owned()],
        log_targets: Vec::new(),
        mask: Mask::new(),
        debug: false,
    }
}
