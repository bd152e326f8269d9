//! What core and the client have to say, as diagnostics.
//!
//! Nothing is worded here twice: problems bring their texts and their places.

use terdut_client::SettingsError;
use terdut_client::execute::Failed;
use terdut_core::error::ApiError;
use terdut_core::explain::{Doing, explain};
use terdut_core::problem::{Findings, Path, PathStep, Problem};
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::path::AttributePath;

use crate::settings::variable;

/// A problem that ends the work.
pub fn error(problem: &Problem) -> Diagnostic {
    placed(Diagnostic::error(&problem.summary, problem.text()), &problem.path)
}

/// A problem that the work goes on with.
pub fn warning(problem: &Problem) -> Diagnostic {
    placed(Diagnostic::warning(&problem.summary, problem.text()), &problem.path)
}

/// All that validation found.
pub fn findings(findings: &Findings, diagnostics: &mut Diagnostics) {
    diagnostics.extend(findings.errors.iter().map(error));
    diagnostics.extend(findings.warnings.iter().map(warning));
}

/// A request that failed.
pub fn api(doing: &Doing, failed: &ApiError) -> Diagnostic {
    error(&explain(doing, failed))
}

/// A step that failed.
pub fn failed(doing: &Doing, failed: &Failed) -> Diagnostics {
    failed.problems(doing).iter().map(error).collect()
}

/// A later step that failed: the object is there, and the next plan finishes it.
pub fn unfinished(doing: &Doing, failed: &Failed) -> Diagnostics {
    let note = |problem: Problem| {
        let detail = format!(
            "{} The object itself was made. Plan and apply again: the next plan shows what is \
             missing.",
            problem.text()
        );
        warning(&Problem::new(problem.path, problem.summary, detail))
    };
    failed.problems(doing).into_iter().map(note).collect()
}

/// Settings that cannot be used, each at its attribute.
pub fn settings(error: &SettingsError) -> Diagnostics {
    error.problems.iter().map(|problem| setting(problem.setting, &problem.message)).collect()
}

/// A setting that cannot be used.
pub fn setting(name: &'static str, why: &str) -> Diagnostic {
    // Proxy variables have no attribute of their own.
    let own = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let named = if own { format!("{name} (or {})", variable(name)) } else { name.to_owned() };
    let text = format!("{named}: {}.", why.trim_end_matches('.'));
    let diagnostic = Diagnostic::error("Invalid provider setting", text);
    if own { diagnostic.at(name) } else { diagnostic }
}

/// The path of core's path.
pub fn path(path: &Path) -> AttributePath {
    path.0.iter().fold(AttributePath::root(), |path, step| match step {
        PathStep::Field(name) => path.attribute(*name),
        PathStep::Index(index) => path.index(*index),
    })
}

fn placed(diagnostic: Diagnostic, at: &Path) -> Diagnostic {
    if at.0.is_empty() { diagnostic } else { diagnostic.at(path(at)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_at_its_place() {
        let at = Path::of("levels").index(2).field("timeout");
        let told = error(&Problem::new(at, "Invalid timeout", "It is 1s.").hint("Use 1m."));
        assert_eq!(told.path.unwrap().to_string(), "levels[2].timeout");
        assert_eq!(told.detail, "It is 1s. Use 1m.");
        assert_eq!(warning(&Problem::new(Path::root(), "a", "b")).path, None);
    }

    #[test]
    fn a_setting_names_its_variable_and_a_variable_only_itself() {
        let told = setting("ca_certificate", "is no PEM");
        assert_eq!(told.detail, "ca_certificate (or TERDUT_CA_CERTIFICATE): is no PEM.");
        assert!(told.path.is_some());
        let told = setting("HTTPS_PROXY", "is no URL");
        assert_eq!((told.detail.as_str(), told.path), ("HTTPS_PROXY: is no URL.", None));
    }
}
