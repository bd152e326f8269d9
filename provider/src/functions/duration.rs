//! `duration`: the one form of a duration, and its length in seconds.

use terdut_core::value::GoDuration;
use terdut_plugin::function::{Function, FunctionError, Signature};
use terdut_plugin::number::Number;
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

use super::{text, text_at};

const SECOND: u64 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct Duration;

impl Function for Duration {
    fn name(&self) -> &'static str {
        "duration"
    }

    fn signature(&self) -> Signature {
        Signature {
            summary: "The canonical form and the seconds of a duration",
            description: "Reads a duration as terdut does (Go's syntax: `90s`, `15m`, `1h30m`) and \
                          gives an object: `canonical`, the form in which the server answers \
                          (`1h30m0s`), and `seconds`, a number. Two spellings of one length have \
                          the same `canonical`.",
            parameters: vec![text("text", "The duration, as `90m`.")],
            variadic: None,
            result: Type::object([("canonical", Type::String), ("seconds", Type::Number)]),
        }
    }

    fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        let text = text_at(&arguments, 0)?.trim();
        let duration: GoDuration =
            text.parse().map_err(|error| FunctionError::at(0, format!("{error}")))?;
        let canonical = Value::string(duration.to_string());
        Ok(Value::object([("canonical", canonical), ("seconds", seconds(duration)?.into())]))
    }
}

/// Exact: the decimal text of the nanoseconds is read, not a float.
fn seconds(duration: GoDuration) -> Result<Number, FunctionError> {
    let nanos = duration.nanos();
    let (sign, length) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    let text = format!("{sign}{}.{:09}", length / SECOND, length % SECOND);
    text.parse().map_err(|error| FunctionError::at(0, format!("{error}")))
}
