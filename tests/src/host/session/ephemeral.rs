//! `ValidateEphemeralResourceConfig`, `OpenEphemeralResource` and `CloseEphemeralResource`, each
//! answer judged.

use serde_json::Value as Json;
use terdut_proto::tfplugin6 as proto;

use super::{Diagnostic, Failure, Session, dynamic, not_deferred, undynamic};
use crate::host::rules::{Rule, Violations, plan};
use crate::host::value::Value;

/// What is open until it is closed.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The configuration with all else filled in.
    pub result: Value,
    /// What closing needs.
    pub private: Option<Vec<u8>>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Session {
    /// Validates and opens.
    pub async fn open_ephemeral(&self, type_name: &str, config: &Json) -> Result<Opened, Failure> {
        let schema = self.schemas.ephemeral(type_name);
        let (ty, config) = (schema.ty(), self.config(type_name, schema, config));
        let during = format!("open {type_name}");
        let request = proto::validate_ephemeral_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&config, &ty)),
        };
        let answer = self.client.clone().validate_ephemeral_resource_config(request).await;
        let response = self.told("ValidateEphemeralResourceConfig", answer)?;
        let mut warnings = self.judge(&during, &ty, response.diagnostics)?;
        let request = proto::open_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&config, &ty)),
            client_capabilities: self.profile.capabilities,
        };
        let answer = self.client.clone().open_ephemeral_resource(request).await;
        let response = self.told("OpenEphemeralResource", answer)?;
        let result = undynamic(&during, response.result.as_ref(), &ty);
        self.remember_secrets(schema, &result);
        warnings.extend(self.judge(&during, &ty, response.diagnostics)?);
        let mut violations = Violations::default();
        not_deferred(response.deferred, &mut violations);
        plan::check_plan(schema, &Value::Null, &config, &result, &mut violations);
        for path in result.unknown_paths() {
            violations.add(Rule::ResultKnown, &path, "is unknown");
        }
        violations.expect_none(&during);
        let private = response.private.map(|private| private.to_vec());
        Ok(Opened { result, private, warnings })
    }

    /// Closes.
    pub async fn close_ephemeral(
        &self,
        type_name: &str,
        opened: &Opened,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let request = proto::close_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            private: opened.private.clone().map(Into::into),
        };
        let answer = self.client.clone().close_ephemeral_resource(request).await;
        let response = self.told("CloseEphemeralResource", answer)?;
        let ty = self.schemas.ephemeral(type_name).ty();
        self.judge(&format!("close {type_name}"), &ty, response.diagnostics)
    }
}
