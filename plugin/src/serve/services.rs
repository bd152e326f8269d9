//! The gRPC server: the provider, and what every plugin serves beside it.
//!
//! Called by `run`. Knows nothing of sockets or encryption.

use std::future::Future;
use std::io;
use std::sync::Arc;

use futures::Stream;
use terdut_proto::plugin::grpc_broker_server::GrpcBrokerServer;
use terdut_proto::plugin::grpc_controller_server::GrpcControllerServer;
use terdut_proto::plugin::grpc_stdio_server::GrpcStdioServer;
use terdut_proto::tfplugin6::provider_server::{Provider, ProviderServer};
use tonic::transport::{Error, Server};
use tonic_health::ServingStatus;
use tonic_health::server::health_reporter;

use super::broker::Broker;
use super::controller::Controller;
use super::end::Ending;
use super::listen::Connection;
use super::stdio::Stdio;

/// The name under which hosts ask for the plugin's health.
const HEALTH: &str = "plugin";

/// As much as Go's providers take and send; states and schemas can be large.
const LARGEST_MESSAGE: usize = 256 << 20;

/// How much may be under way before the other side has to confirm it: hosts are on this machine.
const WINDOW: u32 = 1 << 20;

/// Answers calls on `connections` until the end.
pub(super) fn serve<P: Provider>(
    provider: Arc<P>,
    connections: impl Stream<Item = io::Result<Connection>>,
    ending: &Ending,
) -> impl Future<Output = Result<(), Error>> {
    let (reporter, health) = health_reporter();
    let begun = ending.begun();
    let router = Server::builder()
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .add_service(
            ProviderServer::from_arc(provider)
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE),
        )
        .add_service(health)
        .add_service(GrpcControllerServer::new(Controller(ending.clone())))
        .add_service(GrpcBrokerServer::new(Broker(ending.clone())))
        .add_service(GrpcStdioServer::new(Stdio(ending.clone())));
    async move {
        reporter.set_service_status(HEALTH, ServingStatus::Serving).await;
        router.serve_with_incoming_shutdown(connections, begun).await
    }
}
