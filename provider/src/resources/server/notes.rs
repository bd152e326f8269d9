//! What the credential machine has to say, as diagnostics.
//!
//! A detail says what was being done, what the server said and what to do. It never holds a key:
//! what a server said comes cleaned from the client.

use terdut_core::credential::{Audience, Failure, Warning};
use terdut_core::error::ApiError;
use terdut_core::value::ServerUrl;
use terdut_plugin::diagnostics::Diagnostic;

/// Why nothing came of it.
pub(super) fn error(url: &ServerUrl, failure: &Failure) -> Diagnostic {
    let summary = format!("The server {url} was not set up as planned ({})", failure.reason());
    Diagnostic::error(summary, text(failure, failure.said(), &failure.advice(Audience::Terraform)))
}

/// Why it is not finished, although something was made that must not be lost.
pub(super) fn unfinished(url: &ServerUrl, failure: &Failure) -> Diagnostic {
    let summary = format!("The set-up of {url} is not finished ({})", failure.reason());
    let detail = text(failure, failure.said(), &failure.advice(Audience::Terraform));
    let rest = "What was made so far is kept in the state; the next apply finishes it.";
    Diagnostic::warning(summary, format!("{detail} {rest}"))
}

/// What is left over.
pub(super) fn warning(url: &ServerUrl, warning: &Warning) -> Diagnostic {
    let summary = format!("Something is left on {url}");
    Diagnostic::warning(summary, text(warning, warning.said(), warning.advice(Audience::Terraform)))
}

fn text(what: &dyn std::fmt::Display, said: Option<&ApiError>, advice: &str) -> String {
    let what = capitalised(&what.to_string());
    match said {
        Some(error) => format!("{what}: {error}. {advice}"),
        None => format!("{what}. {advice}"),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What an import cannot give.
pub(super) fn imported() -> Diagnostic {
    Diagnostic::warning(
        "The token stays null after the import",
        "The key of an imported server is not known. Set admin_token, or admin_token_wo with a new \
         value of admin_token_wo_version, to mint one; with adopt_existing = true on a service \
         account that exists already.",
    )
}
