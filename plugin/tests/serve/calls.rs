//! Plugins in this process: what a host can do with them, and who cannot connect.

use std::future::Future;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::version::{TLS12, TLS13};
use terdut_plugin::serve::{Host, ServeError, run};
use terdut_proto::plugin::grpc_broker_client::GrpcBrokerClient;
use terdut_proto::plugin::grpc_controller_client::GrpcControllerClient;
use terdut_proto::plugin::grpc_stdio_client::GrpcStdioClient;
use terdut_proto::plugin::{ConnInfo, Empty};
use terdut_proto::tfplugin6::provider_client::ProviderClient;
use terdut_proto::tfplugin6::{
    DynamicValue, call_function, get_metadata, plan_resource_change, validate_provider_config,
};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::fixture::{Tiny, options};
use crate::host::{Handshake, Identity};

/// A running plugin.
struct Plugin {
    handshake: Handshake,
    provider: Tiny,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
    folder: tempfile::TempDir,
}

/// Passes the first line on as soon as it is flushed.
struct Output {
    text: Mutex<Vec<u8>>,
    line: Option<oneshot::Sender<String>>,
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.get_mut().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(self.text.get_mut().unwrap().clone()).unwrap();
        self.line.take().expect("one line is written, once").send(text).unwrap();
        Ok(())
    }
}

async fn start(certificate: Option<&Identity>) -> Plugin {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::from_vars(|name| match name {
        "PLUGIN_CLIENT_CERT" => certificate.map(|identity| identity.pem.clone().into()),
        "PLUGIN_PROTOCOL_VERSIONS" => Some("5,6".into()),
        "PLUGIN_UNIX_SOCKET_DIR" => Some(folder.path().into()),
        _ => None,
    })
    .unwrap();
    let provider = Tiny::default();
    let served = Arc::new(provider.clone());
    let (stop, stopped) = oneshot::channel();
    let (line, announced) = oneshot::channel();
    let task = tokio::spawn(async move {
        let mut output = Output { text: Mutex::default(), line: Some(line) };
        let stop = async {
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        run(served, &host, &options(), &mut output, stop).await
    });
    Plugin { handshake: Handshake::parse(&announced.await.unwrap()), provider, stop, task, folder }
}

async fn soon<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    timeout(limit, work).await.expect("ready in time")
}

/// Whether calls get through.
async fn answers(channel: Channel) -> bool {
    ProviderClient::new(channel).get_metadata(get_metadata::Request {}).await.is_ok()
}

#[tokio::test]
async fn a_host_with_the_announced_certificate_is_served_over_both_tls_versions() {
    let host = Identity::make();
    let plugin = start(Some(&host)).await;
    assert_eq!(plugin.handshake.fields[..3], ["1", "6", "unix"]);
    assert_eq!(plugin.handshake.fields[4], "grpc");
    assert_eq!(plugin.handshake.fields.len(), 6);
    for version in [&TLS13, &TLS12] {
        let channel = plugin.handshake.encrypted(Some(&host), version).await.unwrap();
        assert!(answers(channel).await);
    }
}

#[tokio::test]
async fn nobody_but_that_host_is_served() {
    let host = Identity::make();
    let plugin = start(Some(&host)).await;
    let stranger = Identity::make();
    for version in [&TLS13, &TLS12] {
        for identity in [Some(&stranger), None] {
            // With TLS 1.3 a client hears of its refusal only after it believes in the connection.
            if let Ok(channel) = plugin.handshake.encrypted(identity, version).await {
                assert!(!answers(channel).await);
            }
        }
    }
    if let Ok(channel) = plugin.handshake.plain().await {
        assert!(!answers(channel).await);
    }
    let channel = plugin.handshake.encrypted(Some(&host), &TLS13).await.unwrap();
    assert!(answers(channel).await, "refusals do not hurt the host");
}

#[tokio::test]
async fn a_silent_stranger_does_not_hold_up_the_host() {
    let host = Identity::make();
    let plugin = start(Some(&host)).await;
    let _silent = tokio::net::UnixStream::connect(plugin.handshake.socket()).await.unwrap();
    let work = plugin.handshake.encrypted(Some(&host), &TLS13);
    assert!(answers(soon(Duration::from_secs(5), work).await.unwrap()).await);
}

#[tokio::test]
async fn a_host_without_a_certificate_is_served_in_plain() {
    let plugin = start(None).await;
    assert_eq!(plugin.handshake.fields[5], "");
    assert!(answers(plugin.handshake.plain().await.unwrap()).await);
}

#[tokio::test]
async fn the_plugin_is_healthy() {
    let plugin = start(None).await;
    let channel = plugin.handshake.plain().await.unwrap();
    let request = HealthCheckRequest { service: "plugin".to_owned() };
    let reply = HealthClient::new(channel).check(request).await.unwrap().into_inner();
    assert_eq!(reply.status(), ServingStatus::Serving);
}

#[tokio::test]
async fn what_a_provider_lacks_is_unimplemented() {
    let plugin = start(None).await;
    let mut client = ProviderClient::new(plugin.handshake.plain().await.unwrap());
    let status = client.plan_resource_change(plan_resource_change::Request::default()).await;
    assert_eq!(status.unwrap_err().code(), Code::Unimplemented);
}

#[tokio::test]
async fn messages_may_be_large_in_both_directions() {
    let plugin = start(None).await;
    let channel = plugin.handshake.plain().await.unwrap();
    let mut client = ProviderClient::new(channel).max_decoding_message_size(usize::MAX);
    let large = DynamicValue { msgpack: vec![7; 20 << 20].into(), json: Vec::new().into() };
    let request = call_function::Request { name: String::new(), arguments: vec![large.clone()] };
    let reply = client.call_function(request).await.unwrap().into_inner();
    assert!(reply.result == Some(large));
}

/// Opens what a real host opens at once and keeps open.
async fn open_idle_streams(channel: &Channel) -> impl Sized + use<> {
    let outbound = tokio_stream::pending::<ConnInfo>();
    let broker = GrpcBrokerClient::new(channel.clone()).start_stream(outbound).await.unwrap();
    let stdio = GrpcStdioClient::new(channel.clone()).stream_stdio(()).await.unwrap();
    let mut both = (broker.into_inner(), stdio.into_inner());
    let quiet = Duration::from_millis(50);
    assert!(timeout(quiet, both.0.message()).await.is_err(), "the broker keeps still");
    assert!(timeout(quiet, both.1.message()).await.is_err(), "the output keeps still");
    both
}

#[tokio::test]
async fn a_shutdown_ends_the_plugin_though_streams_are_open() {
    let host = Identity::make();
    let plugin = start(Some(&host)).await;
    let channel = plugin.handshake.encrypted(Some(&host), &TLS13).await.unwrap();
    let _streams = open_idle_streams(&channel).await;
    GrpcControllerClient::new(channel).shutdown(Empty {}).await.unwrap();
    soon(Duration::from_secs(1), plugin.task).await.unwrap().unwrap();
    let left: Vec<_> = std::fs::read_dir(plugin.folder.path()).unwrap().collect();
    assert!(left.is_empty(), "the socket is gone");
    drop(plugin.stop);
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_calls_that_never_end() {
    let plugin = start(None).await;
    let channel = plugin.handshake.plain().await.unwrap();
    let mut busy = ProviderClient::new(channel.clone());
    let call = tokio::spawn(async move {
        busy.validate_provider_config(validate_provider_config::Request::default()).await
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    GrpcControllerClient::new(channel).shutdown(Request::new(Empty {})).await.unwrap();
    soon(Duration::from_secs(2), plugin.task).await.unwrap().unwrap();
    assert!(plugin.provider.stopped.load(Ordering::SeqCst));
    call.abort();
}

#[tokio::test]
async fn a_stop_from_outside_tells_the_provider_and_ends() {
    let plugin = start(None).await;
    let channel = plugin.handshake.plain().await.unwrap();
    let _streams = open_idle_streams(&channel).await;
    plugin.stop.send(()).unwrap();
    soon(Duration::from_secs(2), plugin.task).await.unwrap().unwrap();
    assert!(plugin.provider.stopped.load(Ordering::SeqCst));
}
