//! Where the host connects to: a Unix socket, or TCP on the loopback address on Windows.
//!
//! Bound by `run` before anything is announced. The socket lies in a folder of its own, which only
//! its owner (and the group that the host names) can enter, so nobody else reaches a plugin even
//! without encryption; both vanish with the [`Listener`].

#[cfg(unix)]
mod folder;
mod tcp;
#[cfg(unix)]
mod unix;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::transport::server::Connected;

use super::ServeError;
use super::host::Host;

/// Where a listener can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    #[cfg_attr(windows, expect(dead_code, reason = "for Unix sockets"))]
    Unix(PathBuf),
    #[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "for Windows"))]
    Tcp(SocketAddr),
}

impl Address {
    pub(super) fn network(&self) -> &'static str {
        match self {
            Self::Unix(_) => "unix",
            Self::Tcp(_) => "tcp",
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Unix(path) => path.display().to_string(),
            Self::Tcp(address) => address.to_string(),
        }
    }
}

/// A bound socket of the kind that hosts on this platform expect.
#[derive(Debug)]
pub(super) struct Listener {
    address: Address,
    socket: Socket,
}

#[derive(Debug)]
enum Socket {
    #[cfg(unix)]
    Unix(unix::UnixSocket),
    #[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "for Windows"))]
    Tcp(tokio::net::TcpListener),
}

impl Listener {
    /// Binds as `host` asks for it.
    #[cfg(unix)]
    pub(super) fn bind(host: &Host) -> Result<Self, ServeError> {
        let socket = unix::UnixSocket::bind(&host.socket_folder(), host.socket_group())?;
        Ok(Self { address: Address::Unix(socket.path()), socket: Socket::Unix(socket) })
    }

    /// Binds as `host` asks for it.
    #[cfg(windows)]
    pub(super) fn bind(host: &Host) -> Result<Self, ServeError> {
        Self::bind_tcp(host)
    }

    #[cfg(any(windows, test))]
    pub(super) fn bind_tcp(host: &Host) -> Result<Self, ServeError> {
        let (socket, address) = tcp::bind(host.ports())?;
        Ok(Self { address: Address::Tcp(address), socket: Socket::Tcp(socket) })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> io::Result<Connection> {
        match &self.socket {
            #[cfg(unix)]
            Socket::Unix(socket) => Ok(Connection::new(socket.accept().await?)),
            Socket::Tcp(socket) => {
                let (stream, _) = socket.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Connection::new(stream))
            }
        }
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection of any kind, encrypted or not.
pub(super) struct Connection(Box<dyn Stream>);

impl Connection {
    pub(super) fn new(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self(Box::new(stream))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn a_host_without_unix_sockets_connects_over_tcp() {
        let listener = Listener::bind_tcp(&Host::default()).unwrap();
        assert_eq!(listener.address().network(), "tcp");
        let mut client = TcpStream::connect(listener.address().text()).await.unwrap();
        client.write_all(b"hello").await.unwrap();
        let mut heard = [0; 5];
        listener.accept().await.unwrap().read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"hello");
    }
}
