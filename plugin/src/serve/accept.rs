//! From a bound listener to a stream of connections that are ready for calls.
//!
//! Encrypted connections become ready one by one without holding each other up; one that fails to
//! prove itself is logged and dropped. Never ends by itself: the server stops asking.

use std::io;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, FuturesUnordered, Stream, StreamExt};
use tokio_rustls::TlsAcceptor;

use super::listen::{Connection, Listener};

/// How long the other side may take to prove itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait after a connection could not even be accepted, such as for want of files.
const PAUSE: Duration = Duration::from_millis(50);

/// The connections made to `listener`, which is closed when the stream is dropped.
pub(super) fn connections(
    listener: Listener,
    acceptor: Option<TlsAcceptor>,
) -> impl Stream<Item = io::Result<Connection>> {
    let arrivals = Arrivals { listener, acceptor, handshakes: FuturesUnordered::new() };
    stream::unfold(arrivals, |mut arrivals| async move {
        let connection = arrivals.next().await;
        Some((Ok(connection), arrivals))
    })
}

struct Arrivals {
    listener: Listener,
    acceptor: Option<TlsAcceptor>,
    handshakes: FuturesUnordered<BoxFuture<'static, Option<Connection>>>,
}

impl Arrivals {
    async fn next(&mut self) -> Connection {
        loop {
            tokio::select! {
                Some(done) = self.handshakes.next(), if !self.handshakes.is_empty() => {
                    if let Some(connection) = done {
                        return connection;
                    }
                }
                accepted = self.listener.accept() => {
                    if let Some(connection) = self.arrived(accepted).await {
                        return connection;
                    }
                }
            }
        }
    }

    async fn arrived(&mut self, accepted: io::Result<Connection>) -> Option<Connection> {
        match (accepted, &self.acceptor) {
            (Ok(connection), None) => Some(connection),
            (Ok(connection), Some(acceptor)) => {
                self.handshakes.push(Box::pin(encrypted(acceptor.clone(), connection)));
                None
            }
            (Err(error), _) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
                None
            }
        }
    }
}

async fn encrypted(acceptor: TlsAcceptor, connection: Connection) -> Option<Connection> {
    match tokio::time::timeout(PATIENCE, acceptor.accept(connection)).await {
        Ok(Ok(stream)) => Some(Connection::new(stream)),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a connection was refused: it is not the host's");
            None
        }
        Err(_) => {
            tracing::warn!("a connection was dropped: it did not prove itself in time");
            None
        }
    }
}
