//! `GetFunctions` and `CallFunction`.

use std::collections::BTreeMap;

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::{call_function, get_functions};

use super::Engine;
use super::guard::guarded_now;
use crate::codec;
use crate::function::{Function, FunctionError};
use crate::provider::Provider;
use crate::value::Value;

impl<P: Provider> Engine<P> {
    pub(super) fn all_functions(&self) -> get_functions::Response {
        get_functions::Response { functions: self.function_signatures(), diagnostics: Vec::new() }
    }

    pub(super) fn function_signatures(&self) -> BTreeMap<String, proto::Function> {
        let functions = self.functions.iter();
        functions
            .map(|(name, function)| ((*name).to_owned(), function.signature().to_proto()))
            .collect()
    }

    pub(super) fn call_function(
        &self,
        request: &call_function::Request,
    ) -> call_function::Response {
        match self.called(request) {
            Ok(result) => call_function::Response { result: Some(result), error: None },
            Err(error) => call_function::Response {
                result: None,
                error: Some(proto::FunctionError {
                    text: error.text,
                    function_argument: error.argument,
                }),
            },
        }
    }

    fn called(
        &self,
        request: &call_function::Request,
    ) -> Result<proto::DynamicValue, FunctionError> {
        let text = |text: String| FunctionError { text, argument: None };
        let function = self
            .functions
            .get(request.name.as_str())
            .ok_or_else(|| text(format!("this provider has no function {}", request.name)))?;
        let signature = function.signature();
        let arguments = arguments(function.as_ref(), &request.arguments)?;
        let doing = format!("calculating {}", function.name());
        let result = guarded_now(&doing, || function.call(arguments))
            .map_err(|panic| text(panic.detail))??;
        codec::encode(&result, &signature.result).map_err(|error| text(error.to_string()))
    }
}

fn arguments(
    function: &dyn Function,
    wire: &[proto::DynamicValue],
) -> Result<Vec<Value>, FunctionError> {
    let signature = function.signature();
    let decode = |(position, argument): (usize, &proto::DynamicValue)| {
        let index = i64::try_from(position).unwrap_or(i64::MAX);
        let ty = signature
            .argument_type(position)
            .ok_or_else(|| FunctionError::at(index, "there are too many arguments"))?;
        codec::decode(Some(argument), ty)
            .map_err(|error| FunctionError::at(index, error.to_string()))
    };
    wire.iter().enumerate().map(decode).collect()
}
