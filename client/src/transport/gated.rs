//! The gate, as the transport asks it.
//!
//! Making a connection may take longer than the right to send lasts; so the gate is asked once more
//! when it is ready, before anything is written to it.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use tower::Service;

use crate::settings::Gate;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The gate is closed.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("not sent: this replica is no longer the leader")]
pub(super) struct Closed;

/// Asks the gate, if there is one.
pub(super) fn pass(gate: Option<&Gate>) -> Result<(), Closed> {
    if gate.is_none_or(Gate::is_open) { Ok(()) } else { Err(Closed) }
}

/// Makes connections that are given out only while the gate is open.
#[derive(Debug, Clone)]
pub(super) struct Gated<C> {
    pub(super) connector: C,
    pub(super) gate: Option<Gate>,
}

impl<C> Service<Uri> for Gated<C>
where
    C: Service<Uri, Error = BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        let (connecting, gate) = (self.connector.call(destination), self.gate.clone());
        Box::pin(async move {
            let connection = connecting.await?;
            pass(gate.as_ref())?;
            Ok(connection)
        })
    }
}
