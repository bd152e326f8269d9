//! A connection to the server: direct, through a tunnel, or by a forwarding proxy.
//!
//! Called by hyper's pool. TLS to the server is added around it; TLS to an https proxy is part of
//! it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower::Service;

use crate::settings::proxy::Proxy;

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// A connection takes at most this long, so that a dead address leaves time for another attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes connections.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    tcp: HttpConnector,
    via: Via,
}

#[derive(Debug, Clone)]
enum Via {
    Direct,
    /// The proxy gets each request with its absolute address.
    Forward {
        to_proxy: HttpsConnector<HttpConnector>,
        proxy: Uri,
    },
    /// The proxy connects us through.
    Tunnel(Tunnel<HttpsConnector<HttpConnector>>),
}

impl Connector {
    pub(super) fn new(
        proxy: Option<Proxy>,
        tunnel: bool,
        tls: ClientConfig,
        timeout: Duration,
    ) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(timeout.min(CONNECT_TIMEOUT)));
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        let Some(Proxy { uri, auth }) = proxy else { return Self { tcp, via: Via::Direct } };
        let to_proxy = HttpsConnector::from((tcp.clone(), tls));
        let via = if tunnel {
            let tunnel = Tunnel::new(uri, to_proxy);
            Via::Tunnel(match auth {
                Some(auth) => tunnel.with_auth(auth),
                None => tunnel,
            })
        } else {
            Via::Forward { to_proxy, proxy: uri }
        };
        Self { tcp, via }
    }
}

impl Service<Uri> for Connector {
    type Response = Hop;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Hop, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        match &mut self.via {
            Via::Direct => {
                let connecting = self.tcp.call(destination);
                Box::pin(async move { Ok(Hop::new(Stream::Http(connecting.await?), false)) })
            }
            Via::Forward { to_proxy, proxy } => {
                let connecting = to_proxy.call(proxy.clone());
                Box::pin(async move { Ok(Hop::new(connecting.await?, true)) })
            }
            Via::Tunnel(tunnel) => {
                let connecting = tunnel.call(destination);
                Box::pin(async move { Ok(Hop::new(connecting.await?, false)) })
            }
        }
    }
}

/// A connection that knows whether a forwarding proxy is at its other end.
#[derive(Debug)]
pub(super) struct Hop {
    stream: Stream,
    forward: bool,
}

impl Hop {
    fn new(stream: Stream, forward: bool) -> Self {
        Self { stream, forward }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut Stream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Connection for Hop {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.forward)
    }
}

impl Read for Hop {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, buffer)
    }
}

impl Write for Hop {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(context, buffer)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(context)
    }
}
