//! The shape of log lines, and that none shows a secret.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::host::rules::{Rule, Violations};

const LINE_LIMIT: usize = 64 << 10;
const LEVELS: [&str; 5] = ["trace", "debug", "info", "warn", "error"];

/// Checks one line of stderr.
pub(super) fn check_line(line: &str, violations: &mut Violations) {
    let mut refuse = |found: &str| {
        let start: String = line.chars().take(200).collect();
        violations.add_root(Rule::LogLine, &format!("{found}: {start}"));
    };
    if line.len() >= LINE_LIMIT {
        refuse("is too long");
    }
    let Ok(json) = serde_json::from_str::<Json>(line) else {
        return refuse("is not JSON");
    };
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    if text("@message").is_none() {
        refuse("has no @message");
    }
    if !text("@level").is_some_and(|level| LEVELS.contains(&level)) {
        refuse("has no @level");
    }
    if !text("@timestamp").is_some_and(is_timestamp) {
        refuse("has no @timestamp of the form that hosts parse");
    }
}

/// `2006-01-02T15:04:05.000000` and `Z` or an offset.
fn is_timestamp(text: &str) -> bool {
    let shape = "0000-00-00T00:00:00.000000";
    let fits = |(have, want): (char, char)| {
        if want == '0' { have.is_ascii_digit() } else { have == want }
    };
    let Some((time, zone)) = text.split_at_checked(shape.len()) else {
        return false;
    };
    let offset =
        |zone: &str| zone.len() == 6 && zone.starts_with(['+', '-']) && zone.as_bytes()[3] == b':';
    time.chars().zip(shape.chars()).all(fits) && (zone == "Z" || offset(zone))
}

/// Checks that a line shows none of the sensitive values.
pub(super) fn check_secrets(line: &str, secrets: &BTreeSet<String>, violations: &mut Violations) {
    if secrets.iter().any(|secret| line.contains(secret.as_str())) {
        violations.add_root(Rule::SecretLeak, &format!("a log line shows it: {line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(line: &str) -> Violations {
        let mut violations = Violations::default();
        check_line(line, &mut violations);
        violations
    }

    #[test]
    fn a_line_in_the_hosts_form_passes() {
        for zone in ["Z", "+02:00"] {
            let line = format!(
                r#"{{"@level":"info","@message":"x","@timestamp":"2026-01-02T03:04:05.000006{zone}"}}"#
            );
            judged(&line).expect_none("the line");
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "thread 'main' panicked",
            r#"{"@level":"info","@message":"x","@timestamp":"2026-01-02T03:04:05.006Z"}"#,
            r#"{"@level":"loud","@message":"x","@timestamp":"2026-01-02T03:04:05.000006Z"}"#,
            r#"{"@level":"info","@message":1,"@timestamp":"2026-01-02T03:04:05.000006Z"}"#,
            &"x".repeat(LINE_LIMIT),
        ] {
            judged(line).expect_only(Rule::LogLine);
        }
    }

    #[test]
    fn a_secret_in_a_line_is_refused() {
        let mut violations = Violations::default();
        check_secrets("key=abcdefgh", &["abcdefgh".to_owned()].into(), &mut violations);
        violations.expect_only(Rule::SecretLeak);
    }
}
