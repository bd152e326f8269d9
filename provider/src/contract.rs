//! `terraform-provider-terdut contract`: whether a server keeps the contract that we rely on.
//!
//! The program calls it with the environment. What is tried is the client's to say
//! (`terdut_client::contract`); here are the settings, the signals and the words. It never writes
//! to standard output itself: it gives text.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use terdut_client::Client;
use terdut_client::contract::{self, Finding, Report, Verdict};
use terdut_core::error::{ApiError, Class};
use terdut_plugin::diagnostics::Diagnostics;
use terdut_provider::settings::{self, ProviderModel, variable};

/// Why nothing could be tried, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Impossible(pub(crate) String);

/// Tries the contract on the server that the environment names, until all is tried or `stop` is
/// ready. What is made there is removed either way.
pub(crate) async fn run(
    environment: settings::Environment<'_>,
    stop: impl Future<Output = ()>,
) -> Result<Report, Impossible> {
    let client = client(environment)?;
    let checked = contract::check(&client, &contract::own_name(), stop).await;
    checked.map_err(|error| Impossible(advice(&client, &error)))
}

fn client(environment: settings::Environment<'_>) -> Result<Client, Impossible> {
    let mut diagnostics = Diagnostics::new();
    let resolved = settings::resolve(&ProviderModel::default(), environment, &mut diagnostics);
    let mut faults: Vec<String> =
        diagnostics.iter().map(|one| format!("{}: {}", one.summary, one.detail)).collect();
    let missing = resolved.missing.iter().map(|setting| variable(setting));
    faults.extend(missing.map(|variable| format!("{variable} is not set.")));
    if !faults.is_empty() {
        return Err(Impossible(faults.join("\n")));
    }
    Client::new(&resolved.settings).map_err(|error| {
        let told = error.problems.iter();
        let told = told.map(|it| format!("{}: {}", variable(it.setting), it.message));
        Impossible(told.collect::<Vec<_>>().join("\n"))
    })
}

fn advice(client: &Client, error: &ApiError) -> String {
    let what = match error.class {
        Class::Denied => "TERDUT_TOKEN has to be an admin key or an instance key of this server.",
        _ => "TERDUT_URL has to be the address of a running server.",
    };
    format!("{} cannot be tried: {error}. {what}", client.server())
}

/// The report for people: a line for each line of the contract, and a summary.
pub(crate) fn table(report: &Report) -> String {
    let mut text = format!("The contract on {}\n\n", report.server);
    let width = report.findings.iter().map(|it| it.check.route.chars().count()).max();
    for finding in &report.findings {
        line(&mut text, finding, width.unwrap_or_default());
    }
    let count = |verdict| report.count(|it| it == verdict);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{} as assumed, {} different, {} missing, {} not checked.",
        count(Verdict::AsAssumed),
        count(Verdict::Differs),
        count(Verdict::Missing),
        count(Verdict::NotChecked),
    );
    text.push_str("A: assumed, C: relied on by the terminal client, D: stated by the design.\n");
    if report.interrupted {
        text.push_str("It was interrupted before all was tried.\n");
    }
    match report.left_behind.as_slice() {
        [] => text.push_str("All that was made for this was removed.\n"),
        left => {
            let _ = writeln!(text, "Left behind, remove it by hand: {}.", left.join("; "));
        }
    }
    text
}

fn line(text: &mut String, finding: &Finding, width: usize) {
    let Finding { check, verdict, seen } = finding;
    let (verdict_word, letter) = (verdict.as_str(), check.origin.letter());
    let _ = writeln!(
        text,
        "{verdict_word:<12} {letter}  {route:<width$}  {assumed}",
        route = check.route,
        assumed = check.assumed,
    );
    if *verdict != Verdict::AsAssumed {
        let _ = writeln!(text, "{:<17}seen: {seen}", "");
    }
    if verdict.is_broken() {
        let _ = writeln!(text, "{:<17}what it means: {}", "", check.otherwise);
    }
}

/// The report for programs.
pub(crate) fn to_json(report: &Report) -> Json {
    let findings: Vec<Json> = report.findings.iter().map(finding_json).collect();
    json!({
        "server": report.server,
        "holds": report.holds(),
        "findings": findings,
        "left_behind": report.left_behind,
        "interrupted": report.interrupted,
    })
}

fn finding_json(finding: &Finding) -> Json {
    let Finding { check, verdict, seen } = finding;
    json!({
        "id": check.id,
        "origin": check.origin.letter(),
        "route": check.route,
        "assumed": check.assumed,
        "verdict": verdict.as_str(),
        "seen": seen,
        "otherwise": check.otherwise,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(variables: &[(&str, &str)]) -> String {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        client(&get).map(|_| ()).unwrap_err().0
    }

    #[test]
    fn what_is_missing_or_bad_is_named_by_its_variable() {
        let told = refused(&[]);
        assert!(told.contains("TERDUT_URL") && told.contains("TERDUT_TOKEN"), "{told}");
        let told = refused(&[("TERDUT_URL", "ftp://h"), ("TERDUT_TOKEN", "canary")]);
        assert!(told.contains("TERDUT_URL") && !told.contains("canary"), "{told}");
        let told = refused(&[
            ("TERDUT_URL", "http://h"),
            ("TERDUT_TOKEN", "canary"),
            ("TERDUT_REQUEST_TIMEOUT", "soon"),
        ]);
        assert!(told.contains("TERDUT_REQUEST_TIMEOUT"), "{told}");
    }
}
