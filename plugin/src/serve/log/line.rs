//! One event as a line of JSON.
//!
//! Hosts read `@level`, `@message`, `@module` and `@timestamp`, all of which must be strings, and
//! show every other key as a field. They read at most 64 KiB of a line, so long texts are cut, but
//! only after secrets were masked: half a secret is a secret still.

use std::time::SystemTime;

use serde_json::{Map, Value};
use tracing::{Level, Metadata};

use super::mask::Mask;
use super::timestamp;

/// The most bytes of a text, and of a line.
const LONGEST_TEXT: usize = 8 * 1024;
const LONGEST_LINE: usize = 60 * 1024;

/// The field in which `tracing` keeps an event's text.
const MESSAGE: &str = "message";

/// The line, with its line break.
pub(super) fn format(
    metadata: &Metadata<'_>,
    mut fields: Map<String, Value>,
    now: SystemTime,
    mask: &Mask,
) -> String {
    let message = match fields.remove(MESSAGE) {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let mut line = Map::new();
    for (name, value) in fields {
        // A key of the host's with another type than it expects would bring the host down.
        if !name.starts_with('@') {
            line.insert(name, shown(value, mask));
        }
    }
    let mut head = head(metadata, now);
    head.insert("@message".to_owned(), shown(Value::String(message), mask));
    bounded(head, line)
}

fn head(metadata: &Metadata<'_>, now: SystemTime) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("@level".to_owned(), level(*metadata.level()).into());
    head.insert("@module".to_owned(), metadata.target().replace("::", ".").into());
    head.insert("@timestamp".to_owned(), timestamp::format(now).into());
    head
}

fn level(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

fn shown(value: Value, mask: &Mask) -> Value {
    match value {
        Value::String(text) => cut(&mask.apply(&text), LONGEST_TEXT).into(),
        other => other,
    }
}

fn cut(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(longest);
    format!("{} … ({} bytes more)", &text[..end], text.len() - end)
}

/// Fields give way to the message, and a message that escapes to a multiple of itself is cut
/// short.
fn bounded(head: Map<String, Value>, fields: Map<String, Value>) -> String {
    let mut whole = head.clone();
    whole.extend(fields);
    let line = text(whole);
    if line.len() <= LONGEST_LINE {
        return line;
    }
    text(head)
}

fn text(line: Map<String, Value>) -> String {
    let mut text = Value::Object(line).to_string();
    text.push('\n');
    text
}
