//! The accept loop: connections, their end, restarts. The simulator's thread runs it; it must never
//! hold a lock while it waits.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::pipeline::NoAnswer;
use super::socket::Socket;
use crate::shared::{Restart, Shared, lock};

/// Accepts until the simulator stops.
pub(crate) async fn run(
    shared: Arc<Shared>,
    router: Router,
    mut listener: TcpListener,
    address: SocketAddr,
    mut restarts: UnboundedReceiver<Restart>,
) {
    loop {
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            Some(restart) = restarts.recv() => {
                listener = go_down(&shared, listener, address, restart).await;
            }
            Ok((stream, _)) = listener.accept() => {
                let generation = lock(&shared.generation).clone();
                tokio::spawn(connection(stream, router.clone(), generation));
            }
        }
    }
}

async fn go_down(
    shared: &Shared,
    listener: TcpListener,
    address: SocketAddr,
    restart: Restart,
) -> TcpListener {
    // Lets the connections of the old generation end first.
    tokio::task::yield_now().await;
    if restart.downtime.is_some_and(|downtime| downtime.is_zero()) {
        let _ = restart.begun.send(());
        return listener;
    }
    drop(listener);
    shared.listening.store(false, Ordering::Release);
    let _ = restart.begun.send(());
    let over = async {
        match restart.downtime {
            Some(downtime) => tokio::time::sleep(downtime).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = over => {}
        () = shared.back.notified() => {}
        () = shared.stop.cancelled() => {}
    }
    let listener = listen_again(address).await;
    lock(&shared.faults).come_back();
    shared.listening.store(true, Ordering::Release);
    listener
}

async fn listen_again(address: SocketAddr) -> TcpListener {
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(error) => tracing::warn!(%address, %error, "cannot listen again yet"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn connection(stream: TcpStream, router: Router, generation: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let reset = Arc::new(AtomicBool::new(false));
    let socket = Socket::new(stream, Arc::clone(&reset));
    let service = service_fn(move |request| answer(router.clone(), Arc::clone(&reset), request));
    let serving = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
    tokio::select! {
        () = generation.cancelled() => {}
        ended = serving => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
        }
    }
}

/// One request. An error makes hyper close the connection without an answer.
async fn answer(
    router: Router,
    reset: Arc<AtomicBool>,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let request = request.map(Body::new);
    let response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
    match response.extensions().get::<NoAnswer>() {
        None => Ok(response),
        Some(no_answer) => {
            reset.store(*no_answer == NoAnswer::Reset, Ordering::Release);
            Err(io::Error::other("the script drops this connection"))
        }
    }
}
