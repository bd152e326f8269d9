//! A proxy before an API server or before terdut servers: plain HTTP, one request at a time.
//!
//! It reports everything to a [`Traffic`] and obeys its rules. Watch streams pass unbuffered. It
//! runs on a thread of its own, so that a test may block, and ends when it is dropped.

mod forward;
mod routes;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls_pki_types::CertificateDer;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::Cluster;
use super::http::{self as transport, Http};
use super::traffic::Traffic;
pub use routes::Routes;

/// A running proxy.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What a proxy stands before.
#[derive(Debug, Clone)]
enum Upstream {
    Api(String),
    Terdut(Routes),
}

/// What every request of a proxy needs.
#[derive(Debug)]
struct Passage {
    actor: String,
    traffic: Traffic,
    upstream: Upstream,
    http: Http,
}

impl Proxy {
    /// Before a cluster's API server.
    pub fn before_cluster(cluster: &Cluster, actor: &str, traffic: &Traffic) -> Self {
        let trusted = vec![cluster.plane.certificate.clone()];
        Self::start(Upstream::Api(cluster.url().to_owned()), trusted, actor, traffic)
    }

    /// Before the terdut servers of these routes.
    pub fn before_servers(routes: &Routes, actor: &str, traffic: &Traffic) -> Self {
        Self::start(Upstream::Terdut(routes.clone()), Vec::new(), actor, traffic)
    }

    /// Its address, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn start(
        upstream: Upstream,
        trusted: Vec<CertificateDer<'static>>,
        actor: &str,
        traffic: &Traffic,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (stop, stopped) = oneshot::channel();
        let (actor, traffic) = (actor.to_owned(), traffic.clone());
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let http = transport::client(&trusted);
            let passage = Arc::new(Passage { actor, traffic, upstream, http });
            runtime.expect("a runtime can be made").block_on(async {
                tokio::select! {
                    () = accept(listener, passage) => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = std::thread::spawn(run);
        Self { address, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: std::net::TcpListener, passage: Arc<Passage>) {
    listener.set_nonblocking(true).expect("a socket can be made so");
    let listener = TcpListener::from_std(listener).expect("a runtime takes the socket");
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        // A watch event is small and must not wait for the next one.
        let _ = socket.set_nodelay(true);
        let passage = Arc::clone(&passage);
        let serve = service_fn(move |request| forward::pass(Arc::clone(&passage), request));
        // A connection that ends badly is what half of the tests want.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), serve));
    }
}
