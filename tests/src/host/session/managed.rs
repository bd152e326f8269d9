//! The RPCs of managed resources, one method each, each answer judged.
//!
//! What they take and give is [`Held`]: the state, private data and identity of one object, as a
//! host keeps them between calls.

use std::sync::atomic::Ordering;

use serde_json::Value as Json;
use terdut_proto::tfplugin6 as proto;

use super::diagnostics::path_of;
use super::{Diagnostic, Failure, Session, answered, dynamic, not_deferred, undynamic};
use crate::host::proposed::proposed_new;
use crate::host::rules::identity::{Expected, check_identity};
use crate::host::rules::{Rule, Violations, plan, result, state};
use crate::host::value::{Path, Value};

/// What a host keeps of one object; null values stand for none.
#[derive(Debug, Clone)]
pub struct Held {
    /// The state.
    pub state: Value,
    /// The provider's private data.
    pub private: Vec<u8>,
    /// The identity.
    pub identity: Value,
}

impl Held {
    /// No object.
    pub fn nothing() -> Self {
        Self { state: Value::Null, private: Vec::new(), identity: Value::Null }
    }
}

/// The answer to a read.
#[derive(Debug)]
pub struct ReadAnswer {
    /// The object; a null state is one that is gone.
    pub held: Held,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The answer to a plan.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The planned state, private data and identity.
    pub held: Held,
    /// Paths whose change needs a replacement.
    pub replace: Vec<Path>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Session {
    /// `UpgradeResourceState` of a state as it lies in the file.
    pub async fn upgrade(
        &self,
        type_name: &str,
        version: i64,
        stored: &Json,
    ) -> Result<Value, Failure> {
        let schema = self.schemas.resource(type_name);
        let raw_state = proto::RawState {
            json: stored.to_string().into_bytes().into(),
            ..proto::RawState::default()
        };
        let request = proto::upgrade_resource_state::Request {
            type_name: type_name.to_owned(),
            version,
            raw_state: Some(raw_state),
        };
        let answer = self.client.clone().upgrade_resource_state(request).await;
        let response = self.told("UpgradeResourceState", answer)?;
        let during = format!("upgrade {type_name}");
        self.judge(&during, &schema.ty(), response.diagnostics)?;
        let state = undynamic(&during, response.upgraded_state.as_ref(), &schema.ty());
        let mut violations = Violations::default();
        state::check_stored(schema, &state, &mut violations);
        if version == schema.version {
            let complete = super::super::json::state_from_json(stored, &schema.ty());
            if complete.is_ok_and(|stored| stored != state) {
                violations.add_root(Rule::UpgradeShape, "changed");
            }
        }
        violations.expect_none(&during);
        self.remember_secrets(schema, &state);
        Ok(state)
    }

    /// `UpgradeResourceIdentity` of an identity as it lies in the file.
    pub async fn upgrade_identity(
        &self,
        type_name: &str,
        version: i64,
        stored: &Json,
    ) -> Result<Value, Failure> {
        let Some(schema) = self.schemas.identities.get(type_name) else {
            return Ok(Value::Null);
        };
        let raw_identity = proto::RawState {
            json: stored.to_string().into_bytes().into(),
            ..proto::RawState::default()
        };
        let request = proto::upgrade_resource_identity::Request {
            type_name: type_name.to_owned(),
            version,
            raw_identity: Some(raw_identity),
        };
        let answer = self.client.clone().upgrade_resource_identity(request).await;
        let response = self.told("UpgradeResourceIdentity", answer)?;
        let during = format!("upgrade the identity of {type_name}");
        self.judge(&during, &schema.ty, response.diagnostics)?;
        Ok(self.identity(&during, type_name, response.upgraded_identity.as_ref()))
    }

    /// `ReadResource`.
    pub async fn read(&self, type_name: &str, held: &Held) -> Result<ReadAnswer, Failure> {
        let schema = self.schemas.resource(type_name);
        let request = proto::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(dynamic(&held.state, &schema.ty())),
            private: held.private.clone().into(),
            provider_meta: None,
            client_capabilities: self.profile.capabilities,
            current_identity: self.identity_data(type_name, &held.identity),
        };
        let answer = self.client.clone().read_resource(request).await;
        let response = self.told("ReadResource", answer)?;
        let during = format!("read {type_name}");
        let state = undynamic(&during, response.new_state.as_ref(), &schema.ty());
        let identity = self.identity(&during, type_name, response.new_identity.as_ref());
        let new = Held { state, private: response.private.to_vec(), identity };
        self.remember_secrets(schema, &new.state);
        let warnings = self.judge(&during, &schema.ty(), response.diagnostics)?;
        let mut violations = Violations::default();
        not_deferred(response.deferred, &mut violations);
        state::check_stored(schema, &new.state, &mut violations);
        if !new.state.is_null() {
            if !self.may_forget.load(Ordering::Relaxed) {
                check_echo(held, &new, &mut violations);
            }
            self.check_identity(&held.identity, &new.identity, false, &mut violations);
        }
        violations.expect_none(&during);
        Ok(ReadAnswer { held: new, warnings })
    }

    /// `PlanResourceChange` with the proposed state worked out here.
    pub async fn plan(
        &self,
        type_name: &str,
        prior: &Held,
        config: &Value,
        may_be_unknown: bool,
    ) -> Result<Planned, Failure> {
        let schema = self.schemas.resource(type_name);
        let (ty, during) = (schema.ty(), format!("plan {type_name}"));
        let proposed =
            if config.is_null() { Value::Null } else { proposed_new(schema, &prior.state, config) };
        let request = proto::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(dynamic(&prior.state, &ty)),
            proposed_new_state: Some(dynamic(&proposed, &ty)),
            config: Some(dynamic(config, &ty)),
            prior_private: prior.private.clone().into(),
            provider_meta: None,
            client_capabilities: self.profile.capabilities,
            prior_identity: self.identity_data(type_name, &prior.identity),
        };
        let answer = self.client.clone().plan_resource_change(request).await;
        let response = self.told("PlanResourceChange", answer)?;
        let warnings = self.judge(&during, &ty, response.diagnostics)?;
        let mut violations = Violations::default();
        if response.legacy_type_system {
            violations.add_root(Rule::LegacyTypeSystem, "is set");
        }
        not_deferred(response.deferred, &mut violations);
        let state = undynamic(&during, response.planned_state.as_ref(), &ty);
        let identity = self.identity(&during, type_name, response.planned_identity.as_ref());
        let held = Held { state, private: response.planned_private.to_vec(), identity };
        let replace = replace_paths(&response.requires_replace, &ty, &mut violations);
        if config.is_null() && !held.state.is_null() {
            violations.add_root(Rule::PlanDestroy, "is not null");
        }
        plan::check_plan(schema, &prior.state, config, &held.state, &mut violations);
        state::check_write_only(schema, &held.state, &mut violations);
        if !config.is_null() {
            check_echo(prior, &held, &mut violations);
            let open = may_be_unknown || prior.state.is_null() || !replace.is_empty();
            let stable = if open { &Value::Null } else { &prior.identity };
            self.check_identity(stable, &held.identity, open, &mut violations);
        }
        violations.expect_none(&during);
        Ok(Planned { held, replace, warnings })
    }

    /// `ApplyResourceChange`. The held object comes back with errors too, if there is one.
    pub async fn apply(
        &self,
        type_name: &str,
        prior: &Held,
        config: &Value,
        planned: &Held,
    ) -> (Held, Result<Vec<Diagnostic>, Failure>) {
        let schema = self.schemas.resource(type_name);
        let (ty, during) = (schema.ty(), format!("apply {type_name}"));
        let request = proto::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(dynamic(&prior.state, &ty)),
            planned_state: Some(dynamic(&planned.state, &ty)),
            config: Some(dynamic(config, &ty)),
            planned_private: planned.private.clone().into(),
            provider_meta: None,
            planned_identity: self.identity_data(type_name, &planned.identity),
        };
        let answer = self.client.clone().apply_resource_change(request).await;
        let response = match self.told("ApplyResourceChange", answer) {
            Ok(response) => response,
            Err(gone) => return (Held::nothing(), Err(gone)),
        };
        let state = undynamic(&during, response.new_state.as_ref(), &ty);
        self.remember_secrets(schema, &state);
        let judged = self.judge(&during, &ty, response.diagnostics);
        let identity = self.identity(&during, type_name, response.new_identity.as_ref());
        let new = Held { state, private: response.private.to_vec(), identity };
        let mut violations = Violations::default();
        if response.legacy_type_system {
            violations.add_root(Rule::LegacyTypeSystem, "is set");
        }
        self.check_applied(type_name, planned, &new, judged.is_ok(), &mut violations);
        violations.expect_none(&during);
        (new, judged)
    }

    fn check_applied(
        &self,
        type_name: &str,
        planned: &Held,
        new: &Held,
        good: bool,
        violations: &mut Violations,
    ) {
        let schema = self.schemas.resource(type_name);
        state::check_stored(schema, &new.state, violations);
        if good && planned.state.is_null() != new.state.is_null() {
            let found = if new.state.is_null() { "is null" } else { "is still there" };
            violations.add_root(Rule::ResultExistence, found);
        } else if good {
            result::check_kept(Rule::ResultPlanned, &planned.state, &new.state, violations);
        }
        if !new.state.is_null() {
            check_echo(planned, new, violations);
            let identity = self.schemas.identities.get(type_name);
            if good && identity.is_some() && new.identity.is_null() {
                violations.add_root(Rule::IdentityEcho, "has no identity");
            }
            let prior =
                if planned.identity.is_wholly_known() { &planned.identity } else { &Value::Null };
            self.check_identity(prior, &new.identity, !good, violations);
        }
    }

    /// `MoveResourceState` from a provider's resource type.
    pub async fn move_state(
        &self,
        source: (&str, &str),
        version: i64,
        stored: &Json,
        type_name: &str,
    ) -> Result<Value, Failure> {
        let moved = self.move_held(source, version, stored, (&[], None), type_name).await;
        moved.map(|held| held.state)
    }

    /// The same with the private data and identity that are stored beside the state.
    pub async fn move_held(
        &self,
        source: (&str, &str),
        version: i64,
        stored: &Json,
        (private, identity): (&[u8], Option<(i64, &Json)>),
        type_name: &str,
    ) -> Result<Held, Failure> {
        let schema = self.schemas.resource(type_name);
        let during = format!("move {} to {type_name}", source.1);
        let raw = |json: &Json| proto::RawState {
            json: json.to_string().into_bytes().into(),
            ..proto::RawState::default()
        };
        let request = proto::move_resource_state::Request {
            source_provider_address: source.0.to_owned(),
            source_type_name: source.1.to_owned(),
            source_schema_version: version,
            source_state: Some(raw(stored)),
            target_type_name: type_name.to_owned(),
            source_private: private.to_vec().into(),
            source_identity: identity.map(|(_, identity)| raw(identity)),
            source_identity_schema_version: identity.map_or(0, |(version, _)| version),
        };
        let answer = self.client.clone().move_resource_state(request).await;
        let response = answered("MoveResourceState", answer);
        self.judge(&during, &schema.ty(), response.diagnostics)?;
        let state = undynamic(&during, response.target_state.as_ref(), &schema.ty());
        self.remember_secrets(schema, &state);
        let identity = self.identity(&during, type_name, response.target_identity.as_ref());
        let mut violations = Violations::default();
        if state.is_null() {
            violations.add_root(Rule::MoveObject, "is null");
        }
        state::check_stored(schema, &state, &mut violations);
        self.check_identity(&Value::Null, &identity, false, &mut violations);
        violations.expect_none(&during);
        Ok(Held { state, private: response.target_private.to_vec(), identity })
    }

    /// `ImportResourceState` by id, or by identity where the id is empty.
    pub async fn import(
        &self,
        type_name: &str,
        id: &str,
        identity: &Value,
    ) -> Result<(Held, Vec<Diagnostic>), Failure> {
        let schema = self.schemas.resource(type_name);
        let (ty, during) = (schema.ty(), format!("import {type_name} {id}"));
        let request = proto::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: id.to_owned(),
            client_capabilities: self.profile.capabilities,
            identity: self.identity_data(type_name, identity),
        };
        let answer = self.client.clone().import_resource_state(request).await;
        let response = answered("ImportResourceState", answer);
        let warnings = self.judge(&during, &ty, response.diagnostics)?;
        let mut violations = Violations::default();
        not_deferred(response.deferred, &mut violations);
        let [imported] = response.imported_resources.as_slice() else {
            panic!("host rule {}: {} objects", Rule::ImportOne, response.imported_resources.len());
        };
        let state = undynamic(&during, imported.state.as_ref(), &ty);
        if imported.type_name != type_name || state.is_null() {
            violations.add_root(Rule::ImportOne, "is null or of another type");
        }
        state::check_stored(schema, &state, &mut violations);
        let answer = self.identity(&during, type_name, imported.identity.as_ref());
        self.check_identity(identity, &answer, true, &mut violations);
        violations.expect_none(&during);
        Ok((Held { state, private: imported.private.to_vec(), identity: answer }, warnings))
    }

    fn check_identity(
        &self,
        prior: &Value,
        answer: &Value,
        may_be_unknown: bool,
        violations: &mut Violations,
    ) {
        let expected = Expected { prior, mutable: &self.mutable_identity, may_be_unknown };
        check_identity(expected, answer, violations);
    }

    /// An identity for a request; hosts that know of none send none.
    fn identity_data(&self, type_name: &str, value: &Value) -> Option<proto::ResourceIdentityData> {
        let schema = self.schemas.identities.get(type_name)?;
        let data = (!value.is_null()).then(|| dynamic(value, &schema.ty))?;
        Some(proto::ResourceIdentityData { identity_data: Some(data) })
    }

    /// An identity of an answer; hosts that know of none do not look.
    pub(super) fn identity(
        &self,
        during: &str,
        type_name: &str,
        raw: Option<&proto::ResourceIdentityData>,
    ) -> Value {
        let raw = raw.and_then(|raw| raw.identity_data.as_ref());
        match (raw, self.schemas.identities.get(type_name)) {
            (Some(_), None) if self.profile.identity => {
                panic!("host rule {}: {during} for {type_name}", Rule::IdentityType)
            }
            (None, _) | (Some(_), None) => Value::Null,
            (Some(raw), Some(schema)) => undynamic(during, Some(raw), &schema.ty),
        }
    }
}

fn check_echo(before: &Held, after: &Held, violations: &mut Violations) {
    if !before.private.is_empty() && after.private.is_empty() {
        violations.add_root(Rule::Private, "was dropped");
    }
}

fn replace_paths(
    raw: &[proto::AttributePath],
    ty: &crate::host::types::Type,
    violations: &mut Violations,
) -> Vec<Path> {
    let mut paths = Vec::new();
    for raw in raw {
        match path_of(Some(raw), ty) {
            Ok(path) => paths.push(path),
            Err(step) => violations.add_root(Rule::PlanReplacePath, &format!("{step} in {raw:?}")),
        }
    }
    paths
}
