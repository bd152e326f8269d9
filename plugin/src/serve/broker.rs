//! The service by which host and plugin could agree on further connections.
//!
//! Hosts open its stream at the start and take its end for the end of the plugin, so it stays open;
//! Terraform providers never need another connection, so nothing is ever said on it.

use std::future::ready;

use futures::StreamExt;
use futures::stream::BoxStream;
use terdut_proto::plugin::ConnInfo;
use terdut_proto::plugin::grpc_broker_server::GrpcBroker;
use tonic::{Request, Response, Status, Streaming};

use super::end::Ending;

type Outbound = BoxStream<'static, Result<ConnInfo, Status>>;

/// Keeps the host's stream open until the end.
#[derive(Debug)]
pub(super) struct Broker(pub(super) Ending);

#[tonic::async_trait]
impl GrpcBroker for Broker {
    async fn start_stream(
        &self,
        request: Request<Streaming<ConnInfo>>,
    ) -> Result<Response<Outbound>, Status> {
        let silence = request.into_inner().filter_map(|_| ready(None));
        Ok(Response::new(silence.take_until(self.0.begun()).boxed()))
    }
}
