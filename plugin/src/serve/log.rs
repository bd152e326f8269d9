//! Logs in the form that hosts understand: one JSON object a line on standard error.
//!
//! [`start`] is called once by `serve`; everything else logs through `tracing`. No line shows a
//! secret that is in the [`Mask`], and none is longer than a host reads. Nothing here writes to
//! standard output.

mod fields;
mod layer;
mod level;
mod line;
mod mask;
mod panic;
mod timestamp;

use std::io::{self, Write};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use super::ServeOptions;
use layer::HostLayer;
use level::Threshold;

pub use mask::Mask;

/// Sends this process's events and panics to the host, as loudly as its variables (read through
/// `var`) ask for. A second call changes nothing.
pub fn start(options: &ServeOptions, var: impl Fn(&str) -> Option<String>) {
    let threshold = Threshold::new(level::asked(options.name, var), &options.log_targets);
    let layer = HostLayer::new(threshold, options.mask.clone(), to_stderr);
    if tracing::subscriber::set_global_default(Registry::default().with(layer)).is_ok() {
        panic::log_panics();
    }
}

/// One write a line, so that lines of several threads cannot mix.
fn to_stderr(line: &str) {
    // When nobody listens any more there is nobody to tell, either.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
