//! The service that would carry the plugin's own output to the host.
//!
//! Nothing here prints, and logs go to standard error, so the stream stays open and empty.

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use terdut_proto::plugin::StdioData;
use terdut_proto::plugin::grpc_stdio_server::GrpcStdio;
use tonic::{Request, Response, Status};

use super::end::Ending;

/// Keeps the host's stream open until the end.
#[derive(Debug)]
pub(super) struct Stdio(pub(super) Ending);

#[tonic::async_trait]
impl GrpcStdio for Stdio {
    async fn stream_stdio(
        &self,
        _request: Request<()>,
    ) -> Result<Response<BoxStream<'static, Result<StdioData, Status>>>, Status> {
        Ok(Response::new(stream::pending().take_until(self.0.begun()).boxed()))
    }
}
