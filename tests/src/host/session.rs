//! One provider connection: every RPC that Terraform makes, each answer judged on the spot.
//!
//! [`super::World`] strings the calls together. A broken rule panics with the rule's name; what a
//! provider reports as an error comes back as a [`Failure`].

mod acting;
mod diagnostics;
mod ephemeral;
mod listing;
mod managed;
mod profile;
mod schemas;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::provider_client::ProviderClient;
use tonic::transport::Channel;

pub use acting::Invoked;
pub use diagnostics::{Diagnostic, Failure};
pub use ephemeral::Opened;
pub use listing::{ListAnswer, Listed};
pub use managed::Held;
pub(super) use managed::Planned;
pub use profile::Profile;
pub use schemas::Schemas;

use super::json::config_from_json;
use super::rules::{Rule, Violations, state};
use super::schema::Schema;
use super::types::Type;
use super::value::{Path, Value};
use super::wire;

const MESSAGE_LIMIT: usize = 64 << 20;

/// What a host says of a provider that is gone.
pub(super) const DIED: &str = "Plugin did not respond";

/// A connection to a provider with the schemas it declared.
#[derive(Debug, Clone)]
pub struct Session {
    client: ProviderClient<Channel>,
    profile: Profile,
    schemas: Arc<Schemas>,
    secrets: Arc<Mutex<BTreeSet<String>>>,
    mutable_identity: Vec<String>,
    may_forget: Arc<AtomicBool>,
    may_die: Arc<AtomicBool>,
}

/// Unwraps an answer; a gRPC failure is a broken rule of its own.
pub(super) fn answered<T>(rpc: &str, answer: Result<tonic::Response<T>, tonic::Status>) -> T {
    match answer {
        Ok(response) => response.into_inner(),
        Err(status) => panic!("host rule {}: {rpc} failed with {status}", Rule::Rpc),
    }
}

impl Session {
    /// Asks for the schemas and checks them.
    pub async fn open(channel: Channel, profile: Profile) -> Self {
        let mut client = ProviderClient::new(channel)
            .max_decoding_message_size(MESSAGE_LIMIT)
            .max_encoding_message_size(MESSAGE_LIMIT);
        let schemas = Arc::new(Schemas::ask(&mut client, &profile).await);
        let mutable_identity = vec!["url".to_owned()];
        Self {
            client,
            profile,
            schemas,
            secrets: Arc::default(),
            mutable_identity,
            may_forget: Arc::default(),
            may_die: Arc::default(),
        }
    }

    /// What this host plays.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Reads may drop private data from now on: the provider was given something to remember only
    /// until then.
    pub fn may_forget(&self) {
        self.may_forget.store(true, Ordering::Relaxed);
    }

    /// The provider is killed from now on: a call without an answer is a failure, as a host reports
    /// it, and breaks no rule.
    pub fn may_die(&self) {
        self.may_die.store(true, Ordering::Relaxed);
    }

    /// Unwraps an answer, as [`answered`] does, or says that the provider is gone.
    pub(super) fn told<T>(
        &self,
        rpc: &str,
        answer: Result<tonic::Response<T>, tonic::Status>,
    ) -> Result<T, Failure> {
        match answer {
            Err(status) if self.may_die.load(Ordering::Relaxed) => {
                let gone = Diagnostic::of_core(DIED, &status.to_string());
                Err(Failure { during: rpc.to_owned(), diagnostics: vec![gone] })
            }
            answer => Ok(answered(rpc, answer)),
        }
    }

    /// The schemas.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// The sensitive values that went either way so far.
    pub fn secrets(&self) -> BTreeSet<String> {
        self.secrets.lock().expect("no test panics while it holds this").clone()
    }

    /// What must not be shown either, though no attribute holds it.
    pub fn also_secret(&self, text: &str) {
        self.secrets.lock().expect("no test panics while it holds this").insert(text.to_owned());
    }

    /// Reads a configuration of a shape; the suite's own mistakes panic.
    pub(super) fn config(&self, what: &str, schema: &Schema, json: &Json) -> Value {
        let value = config_from_json(json, &schema.ty())
            .unwrap_or_else(|error| panic!("the suite's configuration of {what}: {error}"));
        self.remember_secrets(schema, &value);
        value
    }

    pub(super) fn remember_secrets(&self, schema: &Schema, value: &Value) {
        let found = state::sensitive_texts(schema, value);
        self.secrets.lock().expect("no test panics while it holds this").extend(found);
    }

    /// Judges diagnostics and splits them: errors fail, warnings are handed on.
    pub(super) fn judge(
        &self,
        during: &str,
        ty: &Type,
        diagnostics: Vec<proto::Diagnostic>,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let mut violations = Violations::default();
        let secrets = self.secrets();
        let read: Vec<_> = diagnostics
            .into_iter()
            .map(|raw| Diagnostic::read(raw, ty, &secrets, &mut violations))
            .collect();
        violations.expect_none(during);
        if read.iter().any(Diagnostic::is_error) {
            return Err(Failure { during: during.to_owned(), diagnostics: read });
        }
        Ok(read)
    }

    /// `ValidateProviderConfig`.
    pub async fn validate_provider(&self, config: &Json) -> Result<Vec<Diagnostic>, Failure> {
        let schema = &self.schemas.provider;
        let value = self.config("the provider", schema, config);
        let request = proto::validate_provider_config::Request {
            config: Some(dynamic(&value, &schema.ty())),
        };
        let answer = self.client.clone().validate_provider_config(request).await;
        let response = self.told("ValidateProviderConfig", answer)?;
        self.judge("validate provider", &schema.ty(), response.diagnostics)
    }

    /// `ValidateProviderConfig`, then `ConfigureProvider`.
    pub async fn configure(&self, config: &Json) -> Result<Vec<Diagnostic>, Failure> {
        let mut warnings = self.validate_provider(config).await?;
        let schema = &self.schemas.provider;
        let value = self.config("the provider", schema, config);
        let request = proto::configure_provider::Request {
            terraform_version: self.profile.terraform_version.clone(),
            config: Some(dynamic(&value, &schema.ty())),
            client_capabilities: self.profile.capabilities,
        };
        let answer = self.client.clone().configure_provider(request).await;
        let response = self.told("ConfigureProvider", answer)?;
        warnings.extend(self.judge("configure", &schema.ty(), response.diagnostics)?);
        Ok(warnings)
    }

    /// `ValidateResourceConfig`.
    pub async fn validate(
        &self,
        type_name: &str,
        config: &Json,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let schema = self.schemas.resource(type_name);
        let value = self.config(type_name, schema, config);
        let request = proto::validate_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&value, &schema.ty())),
            client_capabilities: self.profile.capabilities,
        };
        let answer = self.client.clone().validate_resource_config(request).await;
        let response = self.told("ValidateResourceConfig", answer)?;
        let during = format!("validate {type_name}");
        let warnings = self.judge(&during, &schema.ty(), response.diagnostics)?;
        self.expect_write_only_refused(schema, &value);
        Ok(warnings)
    }

    fn expect_write_only_refused(&self, schema: &Schema, value: &Value) {
        if self.profile.allows_write_only() {
            return;
        }
        let mut violations = Violations::default();
        for path in state::write_only_set(schema, value) {
            if value.at(&path).is_some_and(Value::is_known) {
                violations.add(Rule::WriteOnlyRefused, &path, "was accepted");
            }
        }
        violations.expect_none("validate");
    }

    /// `ValidateDataResourceConfig`, then `ReadDataSource`.
    pub async fn read_data(
        &self,
        type_name: &str,
        config: &Json,
    ) -> Result<(Value, Vec<Diagnostic>), Failure> {
        let schema = self.schemas.data_source(type_name);
        let (ty, value) = (schema.ty(), self.config(type_name, schema, config));
        let during = format!("read data {type_name}");
        let request = proto::validate_data_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&value, &ty)),
        };
        let answer = self.client.clone().validate_data_resource_config(request).await;
        let response = answered("ValidateDataResourceConfig", answer);
        let mut warnings = self.judge(&during, &ty, response.diagnostics)?;
        let request = proto::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&value, &ty)),
            provider_meta: None,
            client_capabilities: self.profile.capabilities,
        };
        let answer = self.client.clone().read_data_source(request).await;
        let response = answered("ReadDataSource", answer);
        warnings.extend(self.judge(&during, &ty, response.diagnostics)?);
        let state = undynamic(&during, response.state.as_ref(), &ty);
        let mut violations = Violations::default();
        not_deferred(response.deferred, &mut violations);
        if state.is_null() {
            violations.add_root(Rule::DataObject, "is null");
        }
        state::check_stored(schema, &state, &mut violations);
        violations.expect_none(&during);
        self.remember_secrets(schema, &state);
        Ok((state, warnings))
    }

    /// `ValidateDataResourceConfig` alone.
    pub async fn validate_data(
        &self,
        type_name: &str,
        config: &Json,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let schema = self.schemas.data_source(type_name);
        let value = self.config(type_name, schema, config);
        let request = proto::validate_data_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(dynamic(&value, &schema.ty())),
        };
        let answer = self.client.clone().validate_data_resource_config(request).await;
        let response = answered("ValidateDataResourceConfig", answer);
        self.judge(&format!("validate data {type_name}"), &schema.ty(), response.diagnostics)
    }

    /// `CallFunction` with arguments of the declared types; the error is its text.
    pub async fn call_function(&self, name: &str, arguments: &[Json]) -> Result<Value, String> {
        let (parameters, result) = self.schemas.function(name);
        let read = |(json, ty): (&Json, &Type)| {
            dynamic(&config_from_json(json, ty).expect("the suite's argument fits"), ty)
        };
        let arguments = arguments.iter().zip(parameters).map(read).collect();
        let request = proto::call_function::Request { name: name.to_owned(), arguments };
        let response = answered("CallFunction", self.client.clone().call_function(request).await);
        match response.error {
            Some(error) => Err(error.text),
            None => Ok(undynamic(name, response.result.as_ref(), result)),
        }
    }

    #[cfg(test)]
    pub(super) async fn call_function_unchecked(&self, name: &str) {
        let request =
            proto::call_function::Request { name: name.to_owned(), arguments: Vec::new() };
        answered("CallFunction", self.client.clone().call_function(request).await);
    }

    /// `StopProvider`.
    pub async fn stop(&self) {
        let request = proto::stop_provider::Request {};
        let response = answered("StopProvider", self.client.clone().stop_provider(request).await);
        assert_eq!(response.error, "", "StopProvider reports an error");
    }

    /// The raw client, for calls that no ordinary host would make.
    pub fn raw(&self) -> ProviderClient<Channel> {
        self.client.clone()
    }
}

/// Writes a value for the wire.
pub(super) fn dynamic(value: &Value, ty: &Type) -> proto::DynamicValue {
    proto::DynamicValue { msgpack: wire::encode(value, ty).into(), json: Vec::new().into() }
}

/// Reads a value of an answer; an absent one is null.
#[track_caller]
pub(super) fn undynamic(during: &str, raw: Option<&proto::DynamicValue>, ty: &Type) -> Value {
    let Some(raw) = raw else {
        return Value::Null;
    };
    let mut violations = Violations::default();
    if !raw.json.is_empty() || raw.msgpack.is_empty() {
        violations.add_root(Rule::Wire, "is not MessagePack");
    }
    let value = wire::decode(&raw.msgpack, ty).unwrap_or_else(|error| {
        violations.add(Rule::Wire, &Path::root(), &error);
        Value::Null
    });
    violations.expect_none(during);
    value
}

pub(super) fn not_deferred(deferred: Option<proto::Deferred>, violations: &mut Violations) {
    if deferred.is_some() {
        violations.add_root(Rule::Deferred, "is deferred");
    }
}
