//! What the user is told: errors and warnings with the attribute that they are about.
//!
//! Everything that can go wrong adds to one [`Diagnostics`] instead of stopping at the first
//! problem. A diagnostic never holds the value of a sensitive attribute: its texts are printed.

use terdut_proto::tfplugin6 as proto;

use crate::path::AttributePath;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The operation failed.
    Error,
    /// The operation went on.
    Warning,
}

/// One thing to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub summary: String,
    /// The whole story, and what to do.
    pub detail: String,
    /// The attribute it is about, if it is about one.
    pub path: Option<AttributePath>,
}

impl Diagnostic {
    /// An error.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Error, summary, detail)
    }

    /// A warning.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Severity::Warning, summary, detail)
    }

    /// The same, about one attribute.
    #[must_use]
    pub fn at(mut self, path: impl Into<AttributePath>) -> Self {
        self.path = Some(path.into());
        self
    }

    fn new(severity: Severity, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity, summary: summary.into(), detail: detail.into(), path: None }
    }
}

/// Everything to tell the user about one operation, in the order it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Nothing to tell.
    pub const fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Adds one; the same one twice is told once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// Adds an error.
    pub fn error(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.push(Diagnostic::error(summary, detail));
    }

    /// Adds an error about one attribute.
    pub fn error_at(
        &mut self,
        path: impl Into<AttributePath>,
        summary: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.push(Diagnostic::error(summary, detail).at(path));
    }

    /// Adds a warning.
    pub fn warning(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.push(Diagnostic::warning(summary, detail));
    }

    /// Adds a warning about one attribute.
    pub fn warning_at(
        &mut self,
        path: impl Into<AttributePath>,
        summary: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.push(Diagnostic::warning(summary, detail).at(path));
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The value, or an error added for what went wrong.
    pub fn take<T, E: Into<Diagnostics>>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.extend(problems.into());
                None
            }
        }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut all = Self::new();
        all.extend(diagnostics);
        all
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}

impl From<Diagnostic> for proto::Diagnostic {
    fn from(diagnostic: Diagnostic) -> Self {
        let severity = match diagnostic.severity {
            Severity::Error => proto::diagnostic::Severity::Error,
            Severity::Warning => proto::diagnostic::Severity::Warning,
        };
        Self {
            severity: severity.into(),
            summary: diagnostic.summary,
            detail: diagnostic.detail,
            attribute: diagnostic.path.as_ref().map(Into::into),
        }
    }
}

impl From<Diagnostics> for Vec<proto::Diagnostic> {
    fn from(diagnostics: Diagnostics) -> Self {
        diagnostics.list.into_iter().map(Into::into).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_problem_is_told_once() {
        let mut all = Diagnostics::new();
        all.warning_at("name", "Odd", "It is odd.");
        all.warning_at("name", "Odd", "It is odd.");
        assert_eq!(all.len(), 1);
        assert!(!all.has_errors());
        all.error("Broken", "It is broken.");
        assert!(all.has_errors());
    }

    #[test]
    fn a_failed_result_becomes_its_diagnostics() {
        let mut all = Diagnostics::new();
        assert_eq!(all.take::<_, Diagnostic>(Ok(1)), Some(1));
        assert_eq!(all.take::<i64, _>(Err(Diagnostic::error("No", "No."))), None);
        assert!(all.has_errors());
    }

    #[test]
    fn severity_and_path_reach_the_wire() {
        let all: Vec<proto::Diagnostic> =
            Diagnostics::from(Diagnostic::warning("Odd", "It is odd.").at("name")).into();
        assert_eq!(all[0].severity(), proto::diagnostic::Severity::Warning);
        assert_eq!(all[0].attribute, Some((&AttributePath::from("name")).into()));
    }
}
