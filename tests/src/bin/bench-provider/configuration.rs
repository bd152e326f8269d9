//! The configuration: the same objects with the same fields, whoever holds them.
//!
//! Durations and matchers are spelt as the server answers them, so that a provider that knows no
//! other spelling has no difference to show.

use std::fmt::Write;

use crate::subject::Subject;

/// Teams that the objects are spread over.
pub(crate) const TEAMS: usize = 10;

/// What one `range` counts: Terraform allows 1,024.
const AT_ONCE: usize = 1_000;

/// What a person would write for that many objects in these teams.
pub(crate) fn text(subject: Subject, objects: usize, teams: &[i64]) -> String {
    let teams: Vec<_> = teams.iter().map(|team| format!("\"{team}\"")).collect();
    let mut text = format!(
        "locals {{\n  teams = [{}]\n  switches = {{ for n in flatten([for first in range(0, {objects}, \
         {AT_ONCE}) : range(first, min(first + {AT_ONCE}, {objects}))]) : \
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::Stdio;

    use terdut_tests::harness::{Program, Workspace};

    use super::*;

    /// How many objects Terraform makes of the configuration for that many.
    fn counted(terraform: &Program, objects: usize) -> String {
        let subject = Subject::Bare;
        let workspace = Workspace::new(terraform, &subject.binary(), subject.source());
        workspace.write("main.tf", &text(subject, objects, &[1; TEAMS]));
        let mut console = workspace.command(&["console"]);
        console.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut console = console.spawn().expect("terraform starts");
        let mut asked = console.stdin.take().expect("a pipe");
        writeln!(asked, "length(local.switches)").expect("terraform listens");
        drop(asked);
        let output = console.wait_with_output().expect("terraform ends");
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    #[test]
    fn at_every_size_as_many_come_about_as_were_asked_for() {
        let Some(terraform) = Program::terraform() else { return };
        for objects in [1_000, 5_001] {
            assert_eq!(counted(&terraform, objects), objects.to_string());
        }
    }
}
