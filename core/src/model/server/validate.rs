//! What can be said about a `terdut_server` from its configuration alone.
//!
//! All faults are collected, each at its path; a value that is not known yet is never one.

use std::fmt::Display;
use std::str::FromStr;

use super::{BootstrapInput, ServerInput, given};
use crate::problem::{Findings, Path, Problem};
use crate::value::{Email, Input, Name, ServerUrl};

/// Checks a configuration.
pub fn validate(input: &ServerInput) -> Findings {
    let mut findings = Findings::default();
    check::<ServerUrl>(&mut findings, Path::of("url"), "Invalid URL", &input.url);
    check::<Name>(
        &mut findings,
        Path::of("service_account_name"),
        "Invalid service account name",
        &input.service_account_name,
    );
    check_sources(&mut findings, input);
    if let Some(bootstrap) = given(&input.bootstrap) {
        check_bootstrap(&mut findings, bootstrap);
    }
    warn_of_plain_http(&mut findings, input);
    findings
}

fn check<T: FromStr<Err: Display>>(
    findings: &mut Findings,
    path: Path,
    summary: &str,
    input: &Input<String>,
) {
    if let Some(Err(error)) = given(input).map(|text| text.parse::<T>()) {
        findings.error(Problem::new(path, summary, format!("{error}.")));
    }
}

/// A key comes from one place.
fn check_sources(findings: &mut Findings, input: &ServerInput) {
    let sources = [
        ("admin_token_wo", given(&input.admin_token_wo).is_some()),
        ("admin_token", given(&input.admin_token).is_some()),
        ("bootstrap", given(&input.bootstrap).is_some()),
    ];
    let set: Vec<_> = sources.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect();
    for name in set.iter().skip(1) {
        let detail = format!("{} are set, and a token can come from only one.", set.join(" and "));
        findings.error(
            Problem::new(Path::of(name), "Several sources for the token", detail)
                .hint("Keep one of admin_token_wo, admin_token and bootstrap."),
        );
    }
}

fn check_bootstrap(findings: &mut Findings, bootstrap: &BootstrapInput) {
    let path = |field| Path::of("bootstrap").field(field);
    check::<Name>(findings, path("username"), "Invalid user name", &bootstrap.username);
    check::<Email>(findings, path("email"), "Invalid e-mail address", &bootstrap.email);
    if given(&bootstrap.password_wo).is_some() && given(&bootstrap.password).is_some() {
        let detail = "password_wo and password are set, and a person has one password.";
        findings.error(
            Problem::new(path("password"), "Two passwords", detail)
                .hint("Keep password_wo where the host knows write-only attributes."),
        );
    }
}

fn warn_of_plain_http(findings: &mut Findings, input: &ServerInput) {
    let url = given(&input.url).and_then(|text| text.parse::<ServerUrl>().ok());
    if url.is_some_and(|url| url.is_plain()) {
        let detail = "Keys and passwords sent over plain http can be read on the way.";
        findings
            .warn(Problem::new(Path::of("url"), "Plain http", detail).hint("Use an https URL."));
    }
}
