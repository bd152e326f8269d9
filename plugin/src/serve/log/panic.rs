//! Panics become errors in the log, masked like everything else.
//!
//! The engine turns a panic inside a call into a diagnostic; this is where the details go. Without
//! it they would reach the host raw, in the middle of other lines.

use std::backtrace::Backtrace;
use std::panic::{PanicHookInfo, set_hook};

/// Logs panics from now on.
pub(super) fn log_panics() {
    set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        tracing::error!(
            location = place.as_deref().unwrap_or("unknown"),
            thread = std::thread::current().name().unwrap_or("unnamed"),
            backtrace = %Backtrace::capture(),
            "panic: {}",
            message(info)
        );
    }));
}

fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    info.payload_as_str().unwrap_or("no message")
}
