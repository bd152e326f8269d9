//! What one object alone can tell to be wrong, without an API server.
//!
//! `check` asks it. First what an API server would say (the schema, then its rules), then what core
//! says when the bridge reads the object. Nothing here knows of other objects.

use std::collections::BTreeMap;

use kube_cel::{
    CompiledSchema, ErrorKind, ValidationError, ValidationErrors, Validator, compile_schema,
};
use serde::Serialize;
use serde_json::Value;
use terdut_core::problem::{Findings, Path, PathStep, Problem};
use terdut_core::value::Input;

use super::names::API_VERSION;
use super::{
    TerdutAlertSourceSpec, TerdutDeadmanSwitchSpec, TerdutEscalationRuleSpec, TerdutServerSpec,
    TerdutTeamSpec, schema,
};

mod shape;

#[cfg(test)]
mod tests;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It has to be changed.
    Error,
    /// It is worth a second look.
    Warning,
}

/// Something about one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fault {
    /// How bad it is.
    pub severity: Severity,
    /// Where, as `spec.levels[0].timeout`; empty: the object itself.
    pub field: String,
    /// What, and what to do about it.
    pub message: String,
}

impl Fault {
    /// It has to be changed.
    pub fn error(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, field: field.into(), message: message.into() }
    }

    /// It is worth a second look.
    pub fn warning(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, field: field.into(), message: message.into() }
    }
}

/// Judges objects; the schemas are made and their rules compiled once.
pub struct Judge {
    kinds: BTreeMap<String, (Value, CompiledSchema)>,
    rules: Validator,
}

impl Default for Judge {
    fn default() -> Self {
        let kinds = schema::all().into_iter().map(|document| {
            let kind = document["spec"]["names"]["kind"].as_str().unwrap_or_default().to_owned();
            let schema = schema::of_objects(&document).clone();
            let compiled = compile_schema(&schema);
            (kind, (schema, compiled))
        });
        Self { kinds: kinds.collect(), rules: Validator::new() }
    }
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.kinds.keys()).finish()
    }
}

impl Judge {
    /// Whether the object is of one of the five kinds, in any version.
    pub fn concerns(object: &Value) -> bool {
        let (group, _) = API_VERSION.split_once('/').unwrap_or_default();
        let version = object["apiVersion"].as_str().unwrap_or_default();
        version.split_once('/').is_some_and(|(of, _)| of == group)
    }

    /// All that is wrong with an object of ours.
    pub fn faults(&self, object: &Value) -> Vec<Fault> {
        if object["apiVersion"] != API_VERSION {
            return vec![Fault::error("apiVersion", format!("write {API_VERSION}"))];
        }
        let kind = object["kind"].as_str().unwrap_or_default();
        let Some((schema, compiled)) = self.kinds.get(kind) else {
            return vec![Fault::error("kind", format!("{API_VERSION} has no kind {kind:?}"))];
        };
        let mut faults = shape::faults(schema, object);
        let shapely = faults.is_empty();
        // Of an object in another shape, a rule that cannot even be evaluated says nothing.
        let told = |rule: &ValidationError| shapely || rule.kind == ErrorKind::ValidationFailure;
        let broken = self.broken(compiled, object, None).into_iter().filter(told);
        faults.extend(broken.map(|rule| Fault::error(rule.field_path, rule.message)));
        let said = core(kind, &object["spec"]);
        let new = |fault: &Fault| faults.iter().all(|known| known.field != fault.field);
        let further: Vec<_> = said.into_iter().filter(new).collect();
        faults.extend(further);
        faults
    }

    /// The rules that a change breaks; also those that compare it with what was there.
    pub fn broken_by(&self, object: &Value, old: Option<&Value>) -> Vec<Fault> {
        let kind = object["kind"].as_str().unwrap_or_default();
        let Some((_, compiled)) = self.kinds.get(kind) else { return Vec::new() };
        let broken = self.broken(compiled, object, old).into_iter();
        broken.map(|rule| Fault::error(rule.field_path, rule.message)).collect()
    }

    fn broken(
        &self,
        compiled: &CompiledSchema,
        object: &Value,
        old: Option<&Value>,
    ) -> Vec<ValidationError> {
        let judged = self.rules.validate_compiled(compiled, object, old);
        judged.err().map(ValidationErrors::into_vec).unwrap_or_default()
    }
}

/// What core says of a spec; nothing where it cannot even be read, which the schema has told.
pub(super) fn core(kind: &str, spec: &Value) -> Vec<Fault> {
    let mut findings = Findings::default();
    // Which team it is, is no fault of the manifest's.
    let team = || Input::Unknown;
    let read = match kind {
        "TerdutServer" => read(spec, |spec: TerdutServerSpec| {
            spec.install.validate(&mut findings);
        }),
        "TerdutTeam" => read(spec, |spec: TerdutTeamSpec| {
            terdut_core::model::TeamInput::from(&spec.team()).validate(&mut findings);
        }),
        "TerdutEscalationRule" => read(spec, |spec: TerdutEscalationRuleSpec| {
            spec.rule.input(team()).validate(&mut findings);
        }),
        "TerdutDeadmanSwitch" => read(spec, |spec: TerdutDeadmanSwitchSpec| {
            spec.switch.input(team()).validate(&mut findings);
        }),
        "TerdutAlertSource" => read(spec, |spec: TerdutAlertSourceSpec| {
            spec.source.input(team()).validate(&mut findings);
        }),
        _ => None,
    };
    read.map_or_else(Vec::new, |()| faults_of(kind, &findings))
}

fn read<S: serde::de::DeserializeOwned>(spec: &Value, validate: impl FnOnce(S)) -> Option<()> {
    serde_json::from_value(spec.clone()).ok().map(validate)
}

/// Core's findings, at the places where a manifest has them.
pub fn faults_of(kind: &str, findings: &Findings) -> Vec<Fault> {
    let place = |problem: &Problem| match (kind, field(&problem.path)) {
        ("TerdutTeam", name) if name == "name" => "spec.displayName".to_owned(),
        (_, field) => format!("spec.{field}"),
    };
    let errors = findings.errors.iter().map(|one| Fault::error(place(one), one.text()));
    let warnings = findings.warnings.iter().map(|one| Fault::warning(place(one), one.text()));
    errors.chain(warnings).collect()
}

/// The way to a field as manifests write it.
fn field(path: &Path) -> String {
    let mut text = String::new();
    for step in &path.0 {
        match step {
            PathStep::Field(name) if text.is_empty() => text = camel(name),
            PathStep::Field(name) => text = format!("{text}.{}", camel(name)),
            PathStep::Index(index) => text = format!("{text}[{index}]"),
        }
    }
    text
}

/// `client_id` is `clientID`, as Kubernetes writes initials.
fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        if matches!(word, "id" | "url") {
            camel.push_str(&word.to_uppercase());
            continue;
        }
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}
