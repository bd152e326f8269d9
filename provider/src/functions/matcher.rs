//! `matcher`: labels and their values as a matcher's text.

use terdut_core::value::Matcher as Labels;
use terdut_plugin::function::{Function, FunctionError, Parameter, Signature};
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

#[derive(Debug)]
pub(super) struct Matcher;

impl Function for Matcher {
    fn name(&self) -> &'static str {
        "matcher"
    }

    fn signature(&self) -> Signature {
        Signature {
            summary: "A matcher's text from labels",
            description: "Makes the text that `matcher` of `terdut_deadman_switch` takes from a map \
                          of labels: `{ alertname = \"Watchdog\", cluster = \"prod\" }` becomes \
                          `alertname=Watchdog,cluster=prod`, sorted by label. The syntax has no \
                          escape: a value that holds a comma, a quote, a backslash, a control \
                          character or a blank at an end cannot be written and is an error.",
            parameters: vec![Parameter {
                name: "labels",
                description: "The labels and the values that they must have.",
                ty: Type::map(Type::String),
                allow_null: false,
            }],
            variadic: None,
            result: Type::String,
        }
    }

    fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        let Some(Value::Map(labels)) = arguments.first() else {
            return Err(FunctionError::at(0, "a map of labels is missing"));
        };
        let pairs: Vec<_> =
            labels.iter().map(|(label, value)| pair(label, value)).collect::<Result<_, _>>()?;
        let text = pairs.join(",");
        let matcher: Labels =
            text.parse().map_err(|error| FunctionError::at(0, format!("{error}")))?;
        Ok(Value::string(matcher.canonical()))
    }
}

/// One part of the text. What the syntax would read as something else is refused here: the parser
/// could not tell.
fn pair(label: &str, value: &Value) -> Result<String, FunctionError> {
    let value = value
        .as_str()
        .ok_or_else(|| FunctionError::at(0, format!("the label {label:?} has no value")))?;
    if value.contains(',') || value.trim() != value {
        let text = format!(
            "the value {value:?} of the label {label:?} cannot be written: a matcher has no escape \
             for a comma or a blank at an end"
        );
        return Err(FunctionError::at(0, text));
    }
    Ok(format!("{label}={value}"))
}
