//! TCP on the loopback address, for hosts without Unix sockets.
//!
//! Used on Windows only, but built and tested everywhere. Never listens on another address.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::ops::RangeInclusive;

use tokio::net::TcpListener;

use super::ServeError;

/// The first free port of `ports`; port 0 leaves the choice to the system.
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "for Windows"))]
pub(super) fn bind(ports: RangeInclusive<u16>) -> Result<(TcpListener, SocketAddr), ServeError> {
    let address = format!("{}, ports {} to {}", Ipv4Addr::LOCALHOST, ports.start(), ports.end());
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match listen(port) {
            Ok(bound) => return Ok(bound),
            Err(error) => last = error,
        }
    }
    Err(ServeError::Listen { address, source: last })
}

fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((TcpListener::from_std(listener)?, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_next_free_port_of_the_range_is_taken() {
        let (_first, taken) = bind(0..=0).unwrap();
        let Some(next) = taken.port().checked_add(40) else { return };
        let (_second, address) = bind(taken.port()..=next).unwrap();
        assert!(address.ip().is_loopback());
        assert!((taken.port() + 1..=next).contains(&address.port()));
    }

    #[tokio::test]
    async fn a_range_without_a_free_port_is_an_error() {
        let (_first, taken) = bind(0..=0).unwrap();
        let error = bind(taken.port()..=taken.port()).unwrap_err();
        assert!(error.to_string().contains(&taken.port().to_string()));
    }
}
