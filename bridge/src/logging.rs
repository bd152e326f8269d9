//! Where log lines go and what a panic looks like in them.
//!
//! Called once, by `run`. Other crates' lines are held to warnings below `debug` and never go beyond
//! `debug`: at `trace` a transport may write down the headers that it sends, and keys are in those.

use std::io;
use std::panic::PanicHookInfo;

use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::settings::LogFormat;

/// Sets logging up for the whole process. A second time changes nothing.
pub fn start(format: LogFormat, level: Level) {
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(false);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    // Fails only if there is a subscriber already, as in tests.
    let _ = tracing_subscriber::registry().with(lines.with_filter(targets(level))).try_init();
    std::panic::set_hook(Box::new(panicked));
}

fn targets(level: Level) -> Targets {
    let others = if level >= Level::DEBUG { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let ours = LevelFilter::from_level(level);
    // It warns at each try of a watch; the engine says it once.
    let watcher = if level >= Level::DEBUG { LevelFilter::DEBUG } else { LevelFilter::ERROR };
    Targets::new()
        .with_default(others.min(ours))
        .with_target("kube_runtime::watcher", watcher)
        .with_target("terdut_bridge", ours)
        .with_target("terdut_client", ours)
        .with_target("terdut_core", ours)
}

fn panicked(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let said = panic.payload_as_str().unwrap_or_default();
    tracing::error!(place, said, "a task panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_crates_never_trace() {
        let targets = targets(Level::TRACE);
        assert!(targets.would_enable("terdut_bridge::engine", &Level::TRACE));
        assert!(!targets.would_enable("hyper::proto", &Level::TRACE));
        assert!(targets.would_enable("hyper::proto", &Level::DEBUG));
    }

    #[test]
    fn other_crates_are_quiet_at_the_usual_level() {
        let usual = targets(Level::INFO);
        assert!(usual.would_enable("terdut_bridge", &Level::INFO));
        assert!(!usual.would_enable("kube_client", &Level::INFO));
        assert!(!usual.would_enable("kube_runtime::watcher", &Level::WARN));
        assert!(!targets(Level::ERROR).would_enable("kube_client", &Level::WARN));
    }
}
