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
use terdut_provider::settings::Environment;

use crate::connect::{self, Connection, Impossible};

/// Tries the contract on the server that the environment names, until all is tried or `stop` is
/// ready. What is made there is removed either way.
pub(crate) async fn run(
    environment: Environment<'_>,
    connection: &Connection,
    stop: impl Future<Output = ()>,
) -> Result<Report, Impossible> {
    let client = connect::client(environment, connection)?;
    let checked = contract::check(&client, &contract::own_name(), stop).await;
    checked.map_err(|error| Impossible(advice(&client, &error)))
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
    text.push_str("A: assumed, C: terdut-tui relies on it, D: stated by terdut's authors.\n");
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
