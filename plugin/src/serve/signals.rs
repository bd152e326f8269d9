//! Which signals end the plugin.
//!
//! Ctrl-C reaches the host and all its plugins at once; it is the host's to decide what becomes of
//! running calls, so a plugin ignores it unless a person started it to attach a host. A request to
//! terminate always ends it. Only `serve` asks for this: in another program's process the signals
//! belong to that program.

use std::future::Future;

use super::ServeError;

/// Ready when a signal ends the plugin. Signals are handled from the call on.
#[cfg(unix)]
pub(super) fn stop(interruptible: bool) -> Result<impl Future<Output = ()> + Send, ServeError> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Signals)?;
    Ok(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = interrupt.recv() => if interruptible { return },
            }
        }
    })
}

/// Ready when a signal ends the plugin. Signals are handled from the call on.
#[cfg(windows)]
pub(super) fn stop(interruptible: bool) -> Result<impl Future<Output = ()> + Send, ServeError> {
    let mut interrupt = tokio::signal::windows::ctrl_c().map_err(ServeError::Signals)?;
    Ok(async move {
        while interrupt.recv().await.is_some() {
            if interruptible {
                return;
            }
        }
    })
}
