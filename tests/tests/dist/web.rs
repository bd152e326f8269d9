//! An HTTPS server that gives out what a test put there, with a certificate of a test's own
//! authority.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A running server. It belongs to the runtime that started it, and ends with that.
#[derive(Debug)]
pub(crate) struct Web {
    address: SocketAddr,
    files: Arc<Mutex<BTreeMap<String, Bytes>>>,
    authority: TempDir,
}

impl Web {
    /// An empty one.
    pub(crate) async fn start() -> Self {
        let authority = tempfile::tempdir().expect("a folder for the certificate");
        let (pem, config) = identity();
        std::fs::write(authority.path().join("ca.pem"), pem).expect("a certificate");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let files = Arc::default();
        tokio::spawn(accept(listener, TlsAcceptor::from(config), Arc::clone(&files)));
        Self { address, files, authority }
    }

    /// `localhost` with the port: also the host in a provider's address.
    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.host())
    }

    /// The file whose certificate is to be trusted.
    pub(crate) fn authority(&self) -> PathBuf {
        self.authority.path().join("ca.pem")
    }

    /// Gives something out at a path.
    pub(crate) fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), bytes.into());
    }

    /// Gives JSON out at a path.
    pub(crate) fn put_json(&self, path: &str, json: &Json) {
        self.put(path, json.to_string());
    }
}

/// An authority's certificate, and a server that shows one which it has signed.
fn identity() -> (String, Arc<ServerConfig>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key"));
    let authority = authority.expect("a certificate");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, &authority).expect("a certificate");
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows TLS 1.2 and 1.3")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .expect("the key fits the certificate");
    (authority.pem(), Arc::new(config))
}

async fn accept(
    listener: TcpListener,
    tls: TlsAcceptor,
    files: Arc<Mutex<BTreeMap<String, Bytes>>>,
) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let (tls, files) = (tls.clone(), Arc::clone(&files));
        tokio::spawn(async move {
            let Ok(socket) = tls.accept(socket).await else { return };
            let serve = service_fn(|request: http::Request<hyper::body::Incoming>| {
                let files = files.lock().unwrap_or_else(PoisonError::into_inner);
                std::future::ready(answer(files.get(request.uri().path()), request.uri().path()))
            });
            // A program that has seen enough hangs up: nothing that a test is about.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), serve).await;
        });
    }
}

fn answer(found: Option<&Bytes>, path: &str) -> Result<Response<Full<Bytes>>, http::Error> {
    let Some(bytes) = found else {
        return Response::builder().status(StatusCode::NOT_FOUND).body(Full::default());
    };
    // The programs insist on JSON being called so.
    let kind = if path.contains("terraform-provider-terdut_") {
        "application/octet-stream"
    } else {
        "application/json"
    };
    Response::builder().header("content-type", kind).body(Full::new(bytes.clone()))
}
