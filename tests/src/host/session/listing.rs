//! `ValidateListResourceConfig` and `ListResource`, each answer judged.
//!
//! A real host stops at its limit and at the first error. This one reads on, to see that nothing
//! follows.

use serde_json::Value as Json;
use terdut_proto::tfplugin6 as proto;

use super::{Diagnostic, Failure, Session, answered, dynamic, undynamic};
use crate::host::rules::asking::{Asked, Event, check_list, check_shown};
use crate::host::rules::{Rule, Violations, state};
use crate::host::types::Type;
use crate::host::value::{Number, Value};

/// An object of a list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What people read.
    pub name: String,
    /// The identity.
    pub identity: Value,
    /// The object, null where it was not asked for.
    pub object: Value,
}

/// All that a list came to.
#[derive(Debug)]
pub struct ListAnswer {
    /// What was found.
    pub objects: Vec<Listed>,
    /// Warnings, or how it ended early.
    pub outcome: Result<Vec<Diagnostic>, Failure>,
}

impl ListAnswer {
    /// The names, in the order of the events.
    pub fn names(&self) -> Vec<&str> {
        self.objects.iter().map(|object| object.name.as_str()).collect()
    }
}

impl Session {
    /// `ValidateListResourceConfig`; a null configuration is a list without settings.
    pub async fn validate_list(
        &self,
        type_name: &str,
        config: &Json,
        limit: i64,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let schema = self.schemas.list(type_name);
        let limit = dynamic(&Value::Number(Number::from(limit)), &Type::Number);
        let request = proto::validate_list_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&self.list_config(type_name, config), &schema.ty())),
            include_resource_object: Some(dynamic(&Value::Null, &Type::Bool)),
            limit: Some(limit),
        };
        let answer = self.client.clone().validate_list_resource_config(request).await;
        let response = self.told("ValidateListResourceConfig", answer)?;
        self.judge(&format!("validate list {type_name}"), &schema.ty(), response.diagnostics)
    }

    fn list_config(&self, type_name: &str, config: &Json) -> Value {
        if config.is_null() {
            return Value::Null;
        }
        self.config(type_name, self.schemas.list(type_name), config)
    }

    /// `ListResource`, read to the end of its events.
    pub async fn list(
        &self,
        type_name: &str,
        config: &Json,
        whole: bool,
        limit: i64,
    ) -> ListAnswer {
        let schema = self.schemas.list(type_name);
        let request = proto::list_resource::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&self.list_config(type_name, config), &schema.ty())),
            include_resource_object: whole,
            limit,
        };
        let mut events = answered("ListResource", self.client.clone().list_resource(request).await);
        let (mut read, mut told) = (Vec::new(), Vec::new());
        loop {
            match events.message().await {
                Ok(Some(event)) => read.push(self.read_event(type_name, event, &mut told)),
                Ok(None) => break,
                Err(status) => panic!("host rule {}: ListResource ends with {status}", Rule::Rpc),
            }
        }
        self.judged_list(type_name, whole, limit, read, told)
    }

    fn read_event(
        &self,
        type_name: &str,
        event: proto::list_resource::Event,
        told: &mut Vec<proto::Diagnostic>,
    ) -> Event {
        let during = format!("list {type_name}");
        let schema = self.schemas.resource(type_name);
        let errors = event.diagnostic.iter().filter(|it| it.severity() != WARNING).count();
        let warnings = event.diagnostic.len() - errors;
        told.extend(event.diagnostic);
        let object = undynamic(&during, event.resource_object.as_ref(), &schema.ty());
        self.remember_secrets(schema, &object);
        let mut violations = Violations::default();
        if !object.is_null() {
            state::check_stored(schema, &object, &mut violations);
        }
        check_shown(&event.display_name, &self.secrets(), &mut violations);
        violations.expect_none(&during);
        let identity = self.identity(&during, type_name, event.identity.as_ref());
        Event { name: event.display_name, identity, object, errors, warnings }
    }

    fn judged_list(
        &self,
        type_name: &str,
        whole: bool,
        limit: i64,
        events: Vec<Event>,
        told: Vec<proto::Diagnostic>,
    ) -> ListAnswer {
        let during = format!("list {type_name}");
        let identity = &self.schemas.identities[type_name];
        let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX);
        let mut violations = Violations::default();
        check_list(Asked { identity, whole, limit }, &events, &mut violations);
        violations.expect_none(&during);
        let outcome = self.judge(&during, &self.schemas.list(type_name).ty(), told);
        let found = events.into_iter().filter(|event| !event.identity.is_null());
        let object = |event: Event| Listed {
            name: event.name,
            identity: event.identity,
            object: event.object,
        };
        ListAnswer { objects: found.map(object).collect(), outcome }
    }
}

const WARNING: proto::diagnostic::Severity = proto::diagnostic::Severity::Warning;
