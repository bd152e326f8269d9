//! The service by which a host ends the plugin.

use terdut_proto::plugin::Empty;
use terdut_proto::plugin::grpc_controller_server::GrpcController;
use tonic::{Request, Response, Status};

use super::end::Ending;

/// Begins the end when the host asks for it.
#[derive(Debug)]
pub(super) struct Controller(pub(super) Ending);

#[tonic::async_trait]
impl GrpcController for Controller {
    async fn shutdown(&self, _request: Request<Empty>) -> Result<Response<Empty>, Status> {
        tracing::debug!("the host asks the plugin to end");
        self.0.begin();
        Ok(Response::new(Empty {}))
    }
}
