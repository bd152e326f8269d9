//! What a provider tells the person, checked: severity, summary, a path that exists, no secrets.

use std::collections::BTreeSet;
use std::fmt;

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::attribute_path::step::Selector;
use terdut_proto::tfplugin6::diagnostic::Severity;

use crate::host::rules::{Rule, Violations};
use crate::host::types::Type;
use crate::host::value::{Path, PathStep};

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    error: bool,
    /// The first line.
    pub summary: String,
    /// The rest.
    pub detail: String,
    /// The attribute it is about, `levels[0].timeout`; empty for none.
    pub path: String,
}

impl Diagnostic {
    pub(super) fn read(
        raw: proto::Diagnostic,
        ty: &Type,
        secrets: &BTreeSet<String>,
        violations: &mut Violations,
    ) -> Self {
        let severity = raw.severity();
        let path = path_of(raw.attribute.as_ref(), ty);
        if severity == Severity::Invalid || raw.summary.trim().is_empty() {
            violations.add_root(Rule::DiagnosticSeverity, &format!("{raw:?}"));
        }
        let text = format!("{}\n{}", raw.summary, raw.detail);
        if secrets.iter().any(|secret| text.contains(secret.as_str())) {
            violations.add_root(Rule::SecretLeak, &format!("a diagnostic shows it: {text}"));
        }
        let path = path.unwrap_or_else(|step| {
            violations.add_root(Rule::DiagnosticPath, &format!("{step} in {:?}", raw.attribute));
            Path::root()
        });
        Self {
            error: severity != Severity::Warning,
            summary: raw.summary,
            detail: raw.detail,
            path: path.to_string(),
        }
    }

    pub(in crate::host) fn of_core(summary: &str, detail: &str) -> Self {
        Self {
            error: true,
            summary: summary.to_owned(),
            detail: detail.to_owned(),
            path: String::new(),
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.error
    }

    /// Whether it is a warning.
    pub fn is_warning(&self) -> bool {
        !self.error
    }

    /// Whether summary or detail contains a text.
    pub fn says(&self, text: &str) -> bool {
        self.summary.contains(text) || self.detail.contains(text)
    }
}

/// Follows a path of the wire through a type; the error is the step that leads nowhere.
pub(in crate::host) fn path_of(
    raw: Option<&proto::AttributePath>,
    ty: &Type,
) -> Result<Path, String> {
    let mut path = Path::root();
    let mut at = Some(ty.clone());
    for step in raw.map(|raw| raw.steps.as_slice()).unwrap_or_default() {
        let (step, next) = match (&step.selector, at) {
            (Some(Selector::AttributeName(name)), Some(Type::Object(types))) => {
                let next = types.get(name).cloned();
                (PathStep::Name(name.clone()), Some(next.ok_or_else(|| name.clone())?))
            }
            (Some(Selector::ElementKeyString(key)), Some(Type::Map(inner))) => {
                (PathStep::Name(key.clone()), Some(*inner))
            }
            (Some(Selector::ElementKeyInt(index)), Some(Type::List(inner))) => (
                PathStep::Index(usize::try_from(*index).map_err(|_| index.to_string())?),
                Some(*inner),
            ),
            (other, _) => return Err(format!("{other:?}")),
        };
        path.0.push(step);
        at = next;
    }
    Ok(path)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.error { "error" } else { "warning" };
        write!(f, "{word}: {}", self.summary)?;
        if !self.path.is_empty() {
            write!(f, " [{}]", self.path)?;
        }
        if !self.detail.is_empty() {
            write!(f, "\n  {}", self.detail)?;
        }
        Ok(())
    }
}

/// An answer with errors.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What was asked.
    pub during: String,
    /// Everything that was said, warnings included.
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    /// Whether an error contains a text.
    pub fn says(&self, text: &str) -> bool {
        self.errors().any(|diagnostic| diagnostic.says(text))
    }

    /// Whether the provider ended before it answered.
    pub fn is_death(&self) -> bool {
        self.errors().any(|diagnostic| diagnostic.summary == super::DIED)
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }

    /// The paths of the errors, sorted.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<_> = self.errors().map(|diagnostic| diagnostic.path.as_str()).collect();
        paths.sort_unstable();
        paths
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed:", self.during)?;
        self.diagnostics.iter().try_for_each(|diagnostic| write!(f, "\n{diagnostic}"))
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(raw: proto::Diagnostic) -> Violations {
        let ty = Type::from_json(&json!(["object", {
            "levels": ["list", ["object", { "timeout": "string" }]],
            "labels": ["map", "string"]
        }]))
        .unwrap();
        let mut violations = Violations::default();
        Diagnostic::read(raw, &ty, &["hunter2-hunter2".to_owned()].into(), &mut violations);
        violations
    }

    fn raw(steps: &[Selector]) -> proto::Diagnostic {
        let step =
            |selector: &Selector| proto::attribute_path::Step { selector: Some(selector.clone()) };
        proto::Diagnostic {
            severity: Severity::Error.into(),
            summary: "Bad".into(),
            detail: String::new(),
            attribute: Some(proto::AttributePath { steps: steps.iter().map(step).collect() }),
        }
    }

    #[test]
    fn a_path_through_lists_and_maps_passes() {
        let name = |name: &str| Selector::AttributeName(name.into());
        judged(raw(&[name("levels"), Selector::ElementKeyInt(0), name("timeout")]))
            .expect_none("it");
        judged(raw(&[name("labels"), Selector::ElementKeyString("a".into())])).expect_none("it");
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused() {
        let name = |name: &str| Selector::AttributeName(name.into());
        judged(raw(&[name("level")])).expect_only(Rule::DiagnosticPath);
        judged(raw(&[name("levels"), name("timeout")])).expect_only(Rule::DiagnosticPath);
        judged(raw(&[name("labels"), Selector::ElementKeyInt(0)]))
            .expect_only(Rule::DiagnosticPath);
    }

    #[test]
    fn a_diagnostic_without_severity_or_summary_is_refused() {
        judged(proto::Diagnostic { severity: 0, ..raw(&[]) }).expect_only(Rule::DiagnosticSeverity);
        judged(proto::Diagnostic { summary: " ".into(), ..raw(&[]) })
            .expect_only(Rule::DiagnosticSeverity);
    }

    #[test]
    fn a_secret_in_a_diagnostic_is_refused() {
        let leak = proto::Diagnostic { detail: "got hunter2-hunter2".into(), ..raw(&[]) };
        judged(leak).expect_only(Rule::SecretLeak);
    }
}
