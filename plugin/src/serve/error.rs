//! Why a plugin cannot be served.
//!
//! Made by the modules beside this one, shown to people on standard error by `serve`. Everything
//! here is about the process and its host, never about a call.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a plugin cannot be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A variable which the host sets has a value that makes no sense.
    #[error("the environment variable {name} should be {expected}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What it should have held.
        expected: &'static str,
    },
    /// The certificate that the host sent for itself is not one.
    #[error("the host's certificate in PLUGIN_CLIENT_CERT is not a certificate in PEM form")]
    HostCertificate(#[source] rustls_pki_types::pem::Error),
    /// No certificate of the plugin's own could be made.
    #[error("no certificate for the connection to the host could be made")]
    OwnCertificate(#[source] rcgen::Error),
    /// The encryption could not be set up.
    #[error("the encryption of the connection to the host could not be set up")]
    Encryption(#[source] rustls::Error),
    /// The folder for the socket cannot be used.
    #[error("no folder for a socket can be made in {}", folder.display())]
    Folder {
        /// The folder above it.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The socket's path is unfit for a Unix socket or for the handshake.
    #[error(
        "the path {} cannot be a socket's address: at most {limit} bytes, and no '|' or line break; \
         set PLUGIN_UNIX_SOCKET_DIR or TMPDIR to a shorter folder",
        path.display()
    )]
    Path {
        /// The path.
        path: PathBuf,
        /// The most bytes it may have.
        limit: usize,
    },
    /// The host's group for the socket does not exist here.
    #[error("the group {group:?} named in PLUGIN_UNIX_SOCKET_GROUP does not exist")]
    Group {
        /// Its name or number.
        group: String,
    },
    /// Nothing could be bound.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The line for the host could not be written.
    #[error("cannot write the handshake to standard output")]
    Output(#[source] io::Error),
    /// The runtime did not start.
    #[error("the runtime could not be started")]
    Runtime(#[source] io::Error),
    /// The system does not let the process handle signals.
    #[error("the process cannot wait for signals")]
    Signals(#[source] io::Error),
    /// The server broke down.
    #[error("the connection to the host broke down")]
    Server(#[source] tonic::transport::Error),
}

/// The error and everything below it, in one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(source) = below {
        text.push_str(": ");
        text.push_str(&source.to_string());
        below = source.source();
    }
    text
}
