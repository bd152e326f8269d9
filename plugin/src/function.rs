//! Functions: pure calculations that configurations can call.

use serde_json::{Value as Json, json};
use terdut_proto::tfplugin6 as proto;

use crate::ty::Type;
use crate::value::Value;

/// A calculation without side effects: the same arguments give the same result.
pub trait Function: Send + Sync + 'static {
    /// The name, without the provider's.
    fn name(&self) -> &'static str;

    /// What it takes and gives.
    fn signature(&self) -> Signature;

    /// Calculates. There is one argument for each parameter; what the variadic one takes follows.
    fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionError>;
}

/// What a function takes and gives.
#[derive(Clone, Debug)]
pub struct Signature {
    /// One line.
    pub summary: &'static str,
    /// The whole story, in Markdown.
    pub description: &'static str,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Takes any further arguments.
    pub variadic: Option<Parameter>,
    /// The type of the result.
    pub result: Type,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, in Markdown.
    pub description: &'static str,
    /// Its type.
    pub ty: Type,
    /// Whether null may be given.
    pub allow_null: bool,
}

/// Why a function has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FunctionError {
    /// What is wrong.
    pub text: String,
    /// The argument that is wrong, counted from 0.
    pub argument: Option<i64>,
}

impl FunctionError {
    /// An error about one argument.
    pub fn at(argument: i64, text: impl Into<String>) -> Self {
        Self { text: text.into(), argument: Some(argument) }
    }
}

impl Signature {
    pub(crate) fn to_proto(&self) -> proto::Function {
        proto::Function {
            parameters: self.parameters.iter().map(Parameter::to_proto).collect(),
            variadic_parameter: self.variadic.as_ref().map(Parameter::to_proto),
            r#return: Some(proto::function::Return { r#type: self.result.to_json_bytes().into() }),
            summary: self.summary.to_owned(),
            description: self.description.to_owned(),
            description_kind: proto::StringKind::Markdown.into(),
            deprecation_message: String::new(),
        }
    }

    /// As `terraform providers schema -json` writes it.
    pub(crate) fn to_json(&self) -> Json {
        let mut signature = json!({
            "summary": self.summary,
            "description": self.description,
            "return_type": self.result.to_json(),
            "parameters": self.parameters.iter().map(Parameter::to_json).collect::<Vec<_>>(),
        });
        if let Some(variadic) = &self.variadic {
            signature["variadic_parameter"] = variadic.to_json();
        }
        signature
    }

    /// The type of an argument's place.
    pub(crate) fn argument_type(&self, position: usize) -> Option<&Type> {
        let parameter = self.parameters.get(position).or(self.variadic.as_ref())?;
        Some(&parameter.ty)
    }
}

impl Parameter {
    fn to_json(&self) -> Json {
        let mut parameter = json!({
            "name": self.name, "description": self.description, "type": self.ty.to_json(),
        });
        if self.allow_null {
            parameter["is_nullable"] = true.into();
        }
        parameter
    }

    fn to_proto(&self) -> proto::function::Parameter {
        proto::function::Parameter {
            name: self.name.to_owned(),
            r#type: self.ty.to_json_bytes().into(),
            allow_null_value: self.allow_null,
            allow_unknown_values: false,
            description: self.description.to_owned(),
            description_kind: proto::StringKind::Markdown.into(),
        }
    }
}
