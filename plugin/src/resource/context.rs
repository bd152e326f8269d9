//! What a call of a resource can count on besides its request.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// The provider's data and the host's wish to stop.
#[derive(Debug)]
pub struct Context<D> {
    data: Arc<D>,
    stop: CancellationToken,
}

impl<D> Context<D> {
    /// A context of a call, for tests of resources too.
    pub fn new(data: Arc<D>, stop: CancellationToken) -> Self {
        Self { data, stop }
    }

    /// What configuring the provider made.
    pub fn data(&self) -> &D {
        &self.data
    }

    /// Is cancelled when the host wants work to end: finish quickly, and still answer with the
    /// state of what was done.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

impl<D> Clone for Context<D> {
    fn clone(&self) -> Self {
        Self { data: Arc::clone(&self.data), stop: self.stop.clone() }
    }
}
