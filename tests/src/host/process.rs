//! One provider process as a go-plugin host starts, talks to and ends it.
//!
//! The handshake line, TLS, the side services, the log lines and the orderly end are judged here;
//! the provider's own RPCs in [`super::session`].

mod handshake;
mod logs;
mod race;

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use terdut_proto::plugin;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::health_check_response::ServingStatus;

use self::handshake::Handshake;
pub use self::race::time_to_schema;
use super::rules::{Rule, Violations};
use super::session::{Profile, Session};
use super::tls::{ClientIdentity, client_config};
use crate::harness::Binary;

const COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const START_LIMIT: Duration = Duration::from_mins(1);
const END_LIMIT: Duration = Duration::from_secs(2);

/// A running provider.
#[derive(Debug)]
pub struct Host {
    session: Session,
    channel: Channel,
    child: Child,
    handshake: Handshake,
    stdout: Arc<Mutex<Vec<String>>>,
    stderr: Arc<Mutex<Vec<String>>>,
    readers: Vec<tokio::task::JoinHandle<()>>,
    _sockets: tempfile::TempDir,
}

/// A client that a provider must not serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uninvited {
    /// It speaks TLS and shows no certificate.
    NoCertificate,
    /// It shows a certificate of its own making.
    OtherCertificate,
    /// It does not speak TLS.
    Plain,
}

impl Host {
    /// Starts a provider and asks for its schemas.
    ///
    /// # Panics
    /// With the rule, if the provider breaks one.
    pub async fn start(binary: &Binary, profile: Profile) -> Self {
        let identity = profile.sends_certificate.then(ClientIdentity::generate);
        let sockets = tempfile::tempdir().expect("a directory for the socket");
        let mut command = command(binary, &profile, identity.as_ref(), &sockets);
        let mut child = command.spawn().unwrap_or_else(|error| {
            panic!("{} does not start: {error}", binary.path().display());
        });
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let log = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let mut readers = vec![gather(log, stderr.clone())];
        let mut line = String::new();
        let read = tokio::time::timeout(START_LIMIT, stdout.read_line(&mut line)).await;
        read.expect("no handshake line within a minute").expect("stdout can be read");
        let handshake = Handshake::read(&line, profile.sends_certificate).unwrap_or_else(|found| {
            let log = stderr.lock().expect("no reader panics").join("\n");
            panic!("{}: {found}: {line:?}\n{log}", Rule::Handshake);
        });
        let rest = Arc::new(Mutex::new(Vec::new()));
        readers.push(gather(stdout, rest.clone()));
        let channel = connect(&handshake, identity.as_ref(), true).await.expect("a connection");
        check_side_services(&channel).await;
        let session = Session::open(channel.clone(), profile).await;
        Self {
            session,
            channel,
            child,
            handshake,
            stdout: rest,
            stderr,
            readers,
            _sockets: sockets,
        }
    }

    /// The connection.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The id of the process.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The socket that the provider listens on.
    pub fn socket(&self) -> &PathBuf {
        &self.handshake.socket
    }

    /// The log lines so far.
    pub fn logs(&self) -> Vec<String> {
        self.stderr.lock().expect("no reader panics").clone()
    }

    /// Tries to be served without an invitation; `Err` is the refusal.
    pub async fn intrude(&self, how: Uninvited) -> Result<(), String> {
        let other = ClientIdentity::generate();
        let identity = (how == Uninvited::OtherCertificate).then_some(&other);
        let channel = connect(&self.handshake, identity, how != Uninvited::Plain).await?;
        let request = terdut_proto::tfplugin6::get_provider_schema::Request {};
        let mut client = terdut_proto::tfplugin6::provider_client::ProviderClient::new(channel);
        client.get_provider_schema(request).await.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Asks for an orderly end and judges it, with everything that was logged.
    ///
    /// # Panics
    /// With the rule, if one was broken.
    pub async fn shutdown(mut self) {
        let mut violations = Violations::default();
        let mut controller =
            plugin::grpc_controller_client::GrpcControllerClient::new(self.channel.clone());
        if let Err(status) = controller.shutdown(plugin::Empty {}).await
            && status.code() != tonic::Code::Unavailable
        {
            violations.add_root(Rule::Shutdown, &format!("answers {status}"));
        }
        match tokio::time::timeout(END_LIMIT, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => {}
            other => violations.add_root(Rule::Shutdown, &format!("ends with {other:?}")),
        }
        self.child.kill().await.ok();
        if self.handshake.socket.exists() {
            violations.add_root(Rule::Shutdown, "leaves its socket behind");
        }
        for reader in std::mem::take(&mut self.readers) {
            reader.await.ok();
        }
        self.judge_output(&mut violations);
        violations.expect_none("the life of the process");
    }

    fn judge_output(&self, violations: &mut Violations) {
        for line in self.stdout.lock().expect("no reader panics").iter() {
            violations.add_root(Rule::Stdout, &format!("has {line:?}"));
        }
        for line in self.logs() {
            logs::check_line(&line, violations);
            logs::check_secrets(&line, &self.session.secrets(), violations);
        }
    }

    /// Waits for the process to end by itself.
    pub async fn wait(&mut self) -> ExitStatus {
        self.child.wait().await.expect("the process can be waited for")
    }
}

fn command(
    binary: &Binary,
    profile: &Profile,
    identity: Option<&ClientIdentity>,
    sockets: &tempfile::TempDir,
) -> Command {
    let mut command = Command::from(binary.command());
    command
        .env("TF_PLUGIN_MAGIC_COOKIE", COOKIE)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for name in ["PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_CLIENT_CERT"] {
        command.env_remove(name);
    }
    command.env("PLUGIN_UNIX_SOCKET_DIR", sockets.path());
    if profile.sends_versions {
        command
            .env("PLUGIN_PROTOCOL_VERSIONS", "6,5")
            .env("PLUGIN_MIN_PORT", "0")
            .env("PLUGIN_MAX_PORT", "0");
    }
    if let Some(identity) = identity {
        command.env("PLUGIN_CLIENT_CERT", &identity.pem);
    }
    command
}

fn gather(
    from: impl AsyncRead + Unpin + Send + 'static,
    to: Arc<Mutex<Vec<String>>>,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let mut lines = BufReader::new(from).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            to.lock().expect("no reader panics").push(line);
        }
    })
}

/// Connects as a host does; TLS only if the handshake carries a certificate and it is wanted.
async fn connect(
    handshake: &Handshake,
    identity: Option<&ClientIdentity>,
    tls: bool,
) -> Result<Channel, String> {
    let certificate = handshake.certificate.clone().filter(|_| tls);
    let config = certificate.map(|pinned| Arc::new(client_config(identity, pinned)));
    let socket = handshake.socket.clone();
    let connector = tower::service_fn(move |_| {
        let (config, socket) = (config.clone(), socket.clone());
        async move { open(config, socket).await.map(TokioIo::new) }
    });
    let endpoint = Endpoint::from_static("http://localhost");
    endpoint.connect_with_connector(connector).await.map_err(|error| format!("{error:?}"))
}

trait Stream: AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + tokio::io::AsyncWrite + Send + Unpin> Stream for S {}

async fn open(
    config: Option<Arc<rustls::ClientConfig>>,
    socket: PathBuf,
) -> std::io::Result<Box<dyn Stream>> {
    let stream = UnixStream::connect(socket).await?;
    let Some(config) = config else {
        return Ok(Box::new(stream));
    };
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = TlsConnector::from(config).connect(name, stream).await?;
    let spoken = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
    if spoken.as_deref() != Some(b"h2") {
        return Err(std::io::Error::other(format!("{}: {spoken:?}", Rule::Alpn)));
    }
    Ok(Box::new(stream))
}

/// Health, and the two streams that a host opens at once.
pub(super) async fn check_side_services(channel: &Channel) {
    use plugin::grpc_broker_client::GrpcBrokerClient;
    use plugin::grpc_stdio_client::GrpcStdioClient;
    let mut violations = Violations::default();
    let request = tonic_health::pb::HealthCheckRequest { service: "plugin".to_owned() };
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel.clone());
    match health.check(request).await {
        Ok(answer) if answer.get_ref().status() == ServingStatus::Serving => {}
        other => violations.add_root(Rule::Health, &format!("answers {other:?}")),
    }
    let mut broker = GrpcBrokerClient::new(channel.clone());
    match broker.start_stream(tokio_stream::pending::<plugin::ConnInfo>()).await {
        Ok(stream) => drop(tokio::spawn(drain(stream.into_inner()))),
        Err(status) => violations.add_root(Rule::Rpc, &format!("the broker answers {status}")),
    }
    match GrpcStdioClient::new(channel.clone()).stream_stdio(()).await {
        Ok(stream) => drop(tokio::spawn(drain(stream.into_inner()))),
        Err(status) if status.code() == tonic::Code::Unimplemented => {}
        Err(status) => violations.add_root(Rule::Rpc, &format!("stdio answers {status}")),
    }
    violations.expect_none("the start");
}

/// Keeps a stream open until the provider ends it.
async fn drain<T>(mut stream: tonic::Streaming<T>) {
    while let Ok(Some(_)) = stream.message().await {}
}
