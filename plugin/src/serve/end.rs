//! How a plugin ends: running calls are told to stop and may report what they did, but not for
//! ever.
//!
//! `controller` begins the end for the host, `run` for a signal; the idle streams of `broker` and
//! `stdio` follow it. Never ends the process: `run` returns.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use terdut_proto::tfplugin6::provider_server::Provider;
use terdut_proto::tfplugin6::stop_provider;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Request;

use super::ServeError;

/// A host kills the process two seconds after it asked for the end.
const AFTER_SHUTDOWN: Duration = Duration::from_millis(1500);

/// Whoever sends signals (a supervisor, a container runtime) waits ten seconds at least.
const AFTER_SIGNAL: Duration = Duration::from_secs(8);

/// How long telling the provider to stop may take.
const TELLING: Duration = Duration::from_millis(500);

/// The end of this plugin, as all parts of it see it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending(CancellationToken);

impl Ending {
    /// Begins the end.
    pub(super) fn begin(&self) {
        self.0.cancel();
    }

    /// Ready once the end has begun.
    pub(super) fn begun(&self) -> WaitForCancellationFutureOwned {
        self.0.clone().cancelled_owned()
    }

    /// Drives `server` until it is over, which it is soon after the end has begun; `stop` begins
    /// it from outside.
    pub(super) async fn supervise<P: Provider>(
        &self,
        server: impl Future<Output = Result<(), tonic::transport::Error>>,
        provider: &P,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let mut server = pin!(server);
        let patience = tokio::select! {
            done = &mut server => return done.map_err(ServeError::Server),
            () = self.begun() => AFTER_SHUTDOWN,
            () = stop => AFTER_SIGNAL,
        };
        self.begin();
        tell(provider).await;
        timeout(patience, server)
            .await
            .unwrap_or_else(|_| {
                tracing::warn!("calls were still running at the end; they are dropped");
                Ok(())
            })
            .map_err(ServeError::Server)
    }
}

/// Does what a host's `StopProvider` call does.
async fn tell<P: Provider>(provider: &P) {
    let call = provider.stop_provider(Request::new(stop_provider::Request {}));
    match timeout(TELLING, call).await {
        Ok(Ok(_)) => {}
        Ok(Err(status)) => tracing::debug!(%status, "the provider did not want to stop its work"),
        Err(_) => tracing::warn!("the provider took too long to stop its work"),
    }
}
