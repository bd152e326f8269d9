//! The configuration: the same objects with the same fields, whoever holds them.
//!
//! Durations and matchers are spelt as the server answers them, so that a provider that knows no
//! other spelling has no difference to show.

use std::fmt::Write;

use crate::subject::Subject;

/// Teams that the objects are spread over.
pub(crate) const TEAMS: usize = 10;

/// What a person would write for that many objects in these teams.
pub(crate) fn text(subject: Subject, objects: usize, teams: &[i64]) -> String {
    let teams: Vec<_> = teams.iter().map(|team| format!("\"{team}\"")).collect();
    let mut text = format!(
        "locals {{\n  teams = [{}]\n  switches = {{ for n in range({objects}) : \
         format(\"heartbeat-%05d\", n) => local.teams[n % {TEAMS}] }}\n}}\n\n",
        teams.join(", ")
    );
    let added = match subject {
        Subject::Nothing => writeln!(
            text,
            "resource \"terraform_data\" \"all\" {{\n  for_each = local.switches\n  input = {{\n{}  }}\n}}",
            fields("    ")
        ),
        Subject::Bare => writeln!(
            text,
            "resource \"terraform_data\" \"all\" {{\n  for_each = local.switches\n}}"
        ),
        provider => writeln!(
            text,
            "terraform {{\n  required_providers {{\n    terdut = {{ source = \"ryuvia/{}\" }}\n  \
             }}\n}}\n\nresource \"terdut_deadman_switch\" \"all\" {{\n  for_each = \
             local.switches\n{}}}",
            provider.source(),
            fields("  ")
        ),
    };
    added.expect("a string grows");
    text
}

fn fields(indent: &str) -> String {
    [
        "team_id  = each.value",
        "name     = each.key",
        "matcher  = \"alertname=Watchdog,job=${each.key}\"",
        "timeout  = \"1h0m0s\"",
        "severity = \"high\"",
    ]
    .map(|field| format!("{indent}{field}\n"))
    .concat()
}
