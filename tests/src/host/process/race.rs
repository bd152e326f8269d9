//! How long a provider takes from its start to its schemas, whoever made it.
//!
//! For benches. It starts a provider as Terraform does, with mutual TLS, and is lenient: what
//! [`super::Host`] refuses (TCP, a schema that breaks a rule) costs time like anything else.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hyper_util::rt::TokioIo;
use rustls_pki_types::{CertificateDer, ServerName};
use terdut_proto::tfplugin6::get_provider_schema::Request;
use terdut_proto::tfplugin6::provider_client::ProviderClient;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::Command;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint};

use super::{COOKIE, Stream};
use crate::harness::Binary;
use crate::host::tls::{ClientIdentity, client_config};

/// Starts the provider once; it is killed afterwards.
pub async fn time_to_schema(binary: &Binary) -> Duration {
    let identity = ClientIdentity::generate();
    let sockets = tempfile::tempdir().expect("a directory for the socket");
    let mut command = Command::from(binary.command());
    command
        .env("TF_PLUGIN_MAGIC_COOKIE", COOKIE)
        .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
        .env("PLUGIN_MIN_PORT", "10000")
        .env("PLUGIN_MAX_PORT", "25000")
        .env("PLUGIN_CLIENT_CERT", &identity.pem)
        .env("PLUGIN_UNIX_SOCKET_DIR", sockets.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let started = Instant::now();
    let mut child = command.spawn().expect("the provider starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    stdout.read_line(&mut line).await.expect("stdout can be read");
    let channel = connect(&line, &identity).await;
    let mut client = ProviderClient::new(channel).max_decoding_message_size(usize::MAX);
    let answer = client.get_provider_schema(Request {}).await;
    let took = started.elapsed();
    let name = binary.path().display();
    let answer = answer.unwrap_or_else(|status| panic!("{name}: {status}"));
    assert!(!answer.get_ref().resource_schemas.is_empty(), "no resource in the schemas");
    child.kill().await.ok();
    took
}

async fn connect(line: &str, identity: &ClientIdentity) -> Channel {
    let fields: Vec<_> = line.trim_end().split('|').collect();
    let [_, _, network, address, _, certificate, ..] = fields.as_slice() else {
        panic!("no handshake line: {line:?}");
    };
    let der = STANDARD_NO_PAD.decode(certificate).expect("a certificate in the line");
    let config = Arc::new(client_config(Some(identity), CertificateDer::from(der)));
    let (network, address) = (network.to_string(), address.to_string());
    let connector = tower::service_fn(move |_| {
        let (config, network, address) = (config.clone(), network.clone(), address.clone());
        async move {
            let plain: Box<dyn Stream> = match network.as_str() {
                "unix" => Box::new(UnixStream::connect(address).await?),
                _ => Box::new(TcpStream::connect(address).await?),
            };
            let name = ServerName::try_from("localhost").expect("a name");
            TlsConnector::from(config).connect(name, plain).await.map(TokioIo::new)
        }
    });
    let endpoint = Endpoint::from_static("http://localhost");
    endpoint.connect_with_connector(connector).await.expect("a connection")
}
