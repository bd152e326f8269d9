//! `ValidateActionConfig`, `PlanAction` and `InvokeAction`, each answer judged.

use serde_json::Value as Json;
use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::invoke_action::event::Type as What;

use super::{Diagnostic, Failure, Session, answered, dynamic, not_deferred};
use crate::host::rules::asking::{check_action, check_shown};
use crate::host::rules::{Rule, Violations};

/// All that an action came to.
#[derive(Debug)]
pub struct Invoked {
    /// What it said on its way.
    pub messages: Vec<String>,
    /// Warnings, or why it failed.
    pub outcome: Result<Vec<Diagnostic>, Failure>,
}

impl Session {
    /// `ValidateActionConfig`.
    pub async fn validate_action(
        &self,
        name: &str,
        config: &Json,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let schema = self.schemas.action(name);
        let value = self.config(name, schema, config);
        let request = proto::validate_action_config::Request {
            action_type: name.to_owned(),
            config: Some(dynamic(&value, &schema.ty())),
        };
        let answer = self.client.clone().validate_action_config(request).await;
        let response = self.told("ValidateActionConfig", answer)?;
        self.judge(&format!("validate action {name}"), &schema.ty(), response.diagnostics)
    }

    /// `ValidateActionConfig`, then `PlanAction`, in which values may be unknown.
    pub async fn plan_action(&self, name: &str, config: &Json) -> Result<Vec<Diagnostic>, Failure> {
        let mut warnings = self.validate_action(name, config).await?;
        let schema = self.schemas.action(name);
        let value = self.config(name, schema, config);
        let request = proto::plan_action::Request {
            action_type: name.to_owned(),
            config: Some(dynamic(&value, &schema.ty())),
            client_capabilities: self.profile.capabilities,
        };
        let answer = self.client.clone().plan_action(request).await;
        let response = self.told("PlanAction", answer)?;
        let mut violations = Violations::default();
        not_deferred(response.deferred, &mut violations);
        violations.expect_none(&format!("plan action {name}"));
        let during = format!("plan action {name}");
        warnings.extend(self.judge(&during, &schema.ty(), response.diagnostics)?);
        Ok(warnings)
    }

    /// `InvokeAction` with what is known, read to the end of its events.
    pub async fn invoke(&self, name: &str, config: &Json) -> Invoked {
        let schema = self.schemas.action(name);
        let value = self.config(name, schema, config);
        let request = proto::invoke_action::Request {
            action_type: name.to_owned(),
            config: Some(dynamic(&value, &schema.ty())),
            client_capabilities: self.profile.capabilities,
        };
        let mut stream = answered("InvokeAction", self.client.clone().invoke_action(request).await);
        let mut events = Vec::new();
        loop {
            match stream.message().await {
                Ok(Some(event)) => events.push(event.r#type),
                Ok(None) => break,
                Err(status) => panic!("host rule {}: InvokeAction ends with {status}", Rule::Rpc),
            }
        }
        self.judged_action(name, events)
    }

    fn judged_action(&self, name: &str, events: Vec<Option<What>>) -> Invoked {
        let (during, secrets) = (format!("invoke {name}"), self.secrets());
        let mut violations = Violations::default();
        check_action(&events, &mut violations);
        let (mut messages, mut told) = (Vec::new(), Vec::new());
        for event in events.into_iter().flatten() {
            match event {
                What::Progress(progress) => messages.push(progress.message),
                What::Completed(end) => told.extend(end.diagnostics),
            }
        }
        for message in &messages {
            check_shown(message, &secrets, &mut violations);
        }
        violations.expect_none(&during);
        Invoked { messages, outcome: self.judge(&during, &self.schemas.action(name).ty(), told) }
    }
}
