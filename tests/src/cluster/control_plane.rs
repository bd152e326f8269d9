//! etcd, an API server with RBAC, and the controllers for garbage, namespaces and aggregated roles.
//!
//! Called by [`super::Cluster`]. There is no kubelet, no scheduler and no deployment controller:
//! [`super::Kubelet`] stands in.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use tempfile::TempDir;

use super::assets::Assets;
use super::client::Client;
use super::process::Process;
use super::{crds, guard};
use crate::harness::wait_for;

const READY_WITHIN: Duration = Duration::from_secs(90);
/// The token of the one user who may do everything.
pub(super) const ADMIN: &str = "the-token-of-the-administrator";
const ATTEMPTS: usize = 3;
const CONTROLLERS: [&str; 3] =
    ["garbage-collector-controller", "namespace-controller", "clusterrole-aggregation-controller"];

/// A running control plane. Fields are dropped in order: who uses a program goes before it.
#[derive(Debug)]
pub(super) struct ControlPlane {
    _controllers: Process,
    _api_server: Process,
    _etcd: Process,
    pub(super) url: String,
    pub(super) certificate: CertificateDer<'static>,
    pub(super) certificate_file: PathBuf,
    pub(super) kubectl: PathBuf,
    pub(super) folder: TempDir,
}

/// What the programs are started with.
struct Files {
    certificate: CertificateDer<'static>,
    certificate_file: PathBuf,
}

impl ControlPlane {
    /// Starts one, with the project's kinds installed.
    ///
    /// # Panics
    /// With the programs' last lines, if it does not come up.
    pub(super) async fn start(assets: &Assets) -> Self {
        let folder = tempfile::Builder::new().prefix("terdut-cluster-").tempdir();
        let folder = folder.expect("a folder can be made");
        guard::folder(folder.path());
        let files = write_files(folder.path());
        let (etcd, store) = start_etcd(assets, folder.path()).await;
        let (api_server, url) = start_api_server(assets, folder.path(), &files, &store).await;
        let client = Client::new(&url, ADMIN, std::slice::from_ref(&files.certificate));
        // Before the controllers: the garbage collector looks for new kinds twice a minute only.
        crds::install(&client).await;
        let kubeconfig = folder.path().join("controllers.kubeconfig");
        let text = kubeconfig_of(&url, Some(&files.certificate_file), ADMIN);
        std::fs::write(&kubeconfig, text).expect("a file can be written");
        let controllers = start_controllers(assets, &kubeconfig);
        Self {
            _controllers: controllers,
            _api_server: api_server,
            _etcd: etcd,
            url,
            certificate: files.certificate,
            certificate_file: files.certificate_file,
            kubectl: assets.kubectl.clone(),
            folder,
        }
    }
}

/// A kubeconfig for one server and one token.
pub(super) fn kubeconfig_of(url: &str, authority: Option<&Path>, token: &str) -> String {
    let authority =
        authority.map(|file| format!(", certificate-authority: {:?}", file.display().to_string()));
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
         clusters: [{{name: main, cluster: {{server: {url:?}{}}}}}]\n\
         users: [{{name: main, user: {{token: {token:?}}}}}]\n\
         contexts: [{{name: main, context: {{cluster: main, user: main}}}}]\n",
        authority.unwrap_or_default()
    )
}

/// The certificate, the keys of service accounts and the administrator's token.
fn write_files(folder: &Path) -> Files {
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let accounts = rcgen::KeyPair::generate().expect("a key");
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path
    };
    write("server.key", made.signing_key.serialize_pem());
    write("accounts.key", accounts.serialize_pem());
    write("accounts.pub", accounts.public_key_pem());
    write("tokens.csv", format!("{ADMIN},admin,admin,\"system:masters\"\n"));
    let certificate_file = write("server.crt", made.cert.pem());
    Files { certificate: made.cert.der().clone(), certificate_file }
}

async fn start_etcd(assets: &Assets, folder: &Path) -> (Process, String) {
    let http = super::http::client(&[]);
    started("etcd", async |attempt| {
        let (client, peer) = (free_port(), free_port());
        let url = format!("http://127.0.0.1:{client}");
        let mut command = Command::new(&assets.etcd);
        command
            .arg("--data-dir")
            .arg(folder.join(format!("etcd-{attempt}")))
            .args(["--listen-client-urls", &url, "--advertise-client-urls", &url])
            .args(["--listen-peer-urls", &format!("http://127.0.0.1:{peer}")])
            .args(["--log-level", "warn", "--unsafe-no-fsync"]);
        let process = Process::start("etcd", &mut command);
        let health = format!("{url}/health").parse::<http::Uri>().expect("a URL");
        let healthy = async || {
            let answer = http.get(health.clone()).await;
            answer.is_ok_and(|answer| answer.status().is_success())
        };
        (up("etcd", &process, healthy).await).then_some((process, url))
    })
    .await
}

async fn start_api_server(
    assets: &Assets,
    folder: &Path,
    files: &Files,
    store: &str,
) -> (Process, String) {
    let file = |name: &str| folder.join(name).display().to_string();
    started("kube-apiserver", async |_| {
        let port = free_port();
        let url = format!("https://127.0.0.1:{port}");
        let mut command = Command::new(&assets.api_server);
        command
            .args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"])
            .args(["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"])
            .args(["--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none"])
            .arg("--service-account-issuer=https://kubernetes.default.svc")
            .arg(format!("--etcd-servers={store}"))
            .arg(format!("--secure-port={port}"))
            .arg(format!("--cert-dir={}", file("certificates")))
            .arg(format!("--tls-cert-file={}", file("server.crt")))
            .arg(format!("--tls-private-key-file={}", file("server.key")))
            .arg(format!("--service-account-key-file={}", file("accounts.pub")))
            .arg(format!("--service-account-signing-key-file={}", file("accounts.key")))
            .arg(format!("--token-auth-file={}", file("tokens.csv")));
        let process = Process::start("kube-apiserver", &mut command);
        let client = Client::new(&url, ADMIN, std::slice::from_ref(&files.certificate));
        let ready = async || client.answers("/readyz").await;
        (up("kube-apiserver", &process, ready).await).then_some((process, url))
    })
    .await
}

fn start_controllers(assets: &Assets, kubeconfig: &Path) -> Process {
    let mut command = Command::new(&assets.controller_manager);
    command
        .arg(format!("--kubeconfig={}", kubeconfig.display()))
        .arg(format!("--controllers={}", CONTROLLERS.join(",")))
        .args(["--leader-elect=false", "--secure-port=0"]);
    Process::start("kube-controller-manager", &mut command)
}

/// Tries a few times: the port that was free a moment ago may be somebody's now.
async fn started<T>(name: &str, attempt: impl AsyncFn(usize) -> Option<T>) -> T {
    for number in 0..ATTEMPTS {
        if let Some(value) = attempt(number).await {
            return value;
        }
    }
    panic!("{name} ended at once, {ATTEMPTS} times")
}

/// Waits until the program is ready; false if it ended instead.
async fn up(name: &str, process: &Process, ready: impl AsyncFn() -> bool) -> bool {
    let what = format!("{name} is ready");
    wait_for(&what, READY_WITHIN, || async { process.ended().is_some() || ready().await }).await;
    process.ended().is_none()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("a bound socket has an address").port()
}
