//! What a line of the log looks like, and what never stands in one.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use super::*;

/// What `body` logs when the host asks for `level`.
fn lines(level: LevelFilter, mask: &Mask, body: impl FnOnce()) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&lines);
    let threshold = Threshold::new(level, &["own"]);
    let layer = HostLayer::new(threshold, mask.clone(), move |line: &str| {
        into.lock().unwrap().push(line.to_owned());
    });
    tracing::subscriber::with_default(Registry::default().with(layer), body);
    Arc::try_unwrap(lines).unwrap().into_inner().unwrap()
}

fn parsed(line: &str) -> Value {
    assert!(line.ends_with('\n'));
    assert_eq!(line.matches('\n').count(), 1);
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_line_has_the_four_keys_of_a_host_and_the_events_fields() {
    let lines = lines(LevelFilter::TRACE, &Mask::new(), || {
        tracing::info!(target: "own::part", count = 3, word = "x", "two\nlines");
    });
    let line = parsed(&lines[0]);
    assert_eq!(line["@level"], "info");
    assert_eq!(line["@message"], "two\nlines");
    assert_eq!(line["@module"], "own.part");
    assert_eq!(line["@timestamp"].as_str().unwrap().len(), "2006-01-02T15:04:05.000000Z".len());
    assert_eq!(line["count"], 3);
    assert_eq!(line["word"], "x");
}

#[test]
fn fields_of_spans_are_part_of_the_line_and_the_nearest_wins() {
    let lines = lines(LevelFilter::TRACE, &Mask::new(), || {
        let _outer = tracing::info_span!(target: "own", "call", rpc = "Plan", step = 1).entered();
        let _inner = tracing::info_span!(target: "own", "part", step = 2).entered();
        tracing::warn!(target: "own", "text");
    });
    let line = parsed(&lines[0]);
    assert_eq!(line["rpc"], "Plan");
    assert_eq!(line["step"], 2);
}

#[test]
fn secrets_are_masked_in_messages_and_fields() {
    let mask = Mask::new();
    mask.add("hunter2");
    let lines = lines(LevelFilter::TRACE, &mask, || {
        let nested = vec!["hunter2"];
        tracing::info!(target: "own", password = "hunter2", ?nested, "says hunter2");
    });
    assert!(!lines[0].contains("hunter2"));
    assert_eq!(parsed(&lines[0])["@message"], "says ***");
}

#[test]
fn other_crates_never_get_below_warnings() {
    let lines = lines(LevelFilter::TRACE, &Mask::new(), || {
        tracing::trace!(target: "h2::codec", "a frame");
        tracing::info!(target: "hyper", "a header");
        tracing::warn!(target: "hyper", "a warning");
        tracing::trace!(target: "own", "a detail");
    });
    assert_eq!(lines.len(), 2);
}

#[test]
fn only_errors_are_logged_unasked() {
    let lines = lines(LevelFilter::ERROR, &Mask::new(), || {
        tracing::warn!(target: "own", "no");
        tracing::error!(target: "own", "yes");
    });
    assert_eq!(lines.len(), 1);
}

#[test]
fn no_line_is_longer_than_a_host_reads() {
    let text = "\u{1}é".repeat(100_000);
    let lines = lines(LevelFilter::TRACE, &Mask::new(), || {
        tracing::info!(target: "own", a = text, b = text, c = text, "{text}");
    });
    assert!(lines[0].len() < 64 * 1024);
    parsed(&lines[0]);
}
