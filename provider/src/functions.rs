//! The functions: pure calculations that configurations can call as `provider::terdut::name(…)`.
//!
//! Each is one file over core's values, so that a configuration and a plan mean the same by a
//! duration or a matcher. They ask nobody, and errors name the argument that is wrong.

mod alertmanager_receiver;
mod duration;
mod matcher;
#[cfg(test)]
mod tests;

use terdut_plugin::function::{FunctionError, Parameter};
use terdut_plugin::provider::Registry;
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

use crate::context::ProviderData;

/// Offers all of them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    registry.function(alertmanager_receiver::AlertmanagerReceiver);
    registry.function(duration::Duration);
    registry.function(matcher::Matcher);
}

fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, description, ty: Type::String, allow_null: false }
}

/// The text in an argument's place. Hosts give no null and nothing unknown here.
fn text_at(arguments: &[Value], position: usize) -> Result<&str, FunctionError> {
    let found = arguments.get(position).and_then(Value::as_str);
    found.ok_or_else(|| FunctionError {
        text: "a string is missing".to_owned(),
        argument: i64::try_from(position).ok(),
    })
}
