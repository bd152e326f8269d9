//! The calls of a step, named so that a later life finds them again.

use std::fmt;

use terdut_tests::cluster::{Entry, Filter, Kind, Side, Traffic, kind};

/// One call: the how manieth of its kind in its step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) resource: String,
    verb: String,
    at_server: bool,
    pub(super) nth: usize,
}

impl Call {
    /// The requests among which it is the n-th.
    pub(super) fn filter(&self) -> Filter {
        let side = if self.at_server { Filter::terdut() } else { Filter::api() };
        side.verb(&self.verb).of(&self.resource)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} #{}", self.verb, self.resource, self.nth)
    }
}

/// The calls of a step since then: writes to the API server, and requests to a terdut server; of
/// those that only look, the ones that have to do with the kind whose step it is.
pub(super) fn since(traffic: &Traffic, mark: usize, kind: Kind) -> Vec<Call> {
    let entries = traffic.matching(&Filter::any().after(mark));
    let mut calls: Vec<Call> = Vec::new();
    for entry in entries.iter().filter(|entry| counts(entry, kind)) {
        let at_server = entry.side == Side::Terdut;
        let (resource, verb) = (entry.resource.clone(), entry.verb.clone());
        let alike = |call: &&Call| {
            call.resource == resource && call.verb == verb && call.at_server == at_server
        };
        let nth = calls.iter().filter(alike).count() + 1;
        // How often something is looked at or reported depends on the moment; what is made does not.
        if nth == 1 || !depends_on_the_moment(entry) {
            calls.push(Call { resource, verb, at_server, nth });
        }
    }
    calls
}

fn counts(entry: &Entry, kind: Kind) -> bool {
    let looks = entry.side == Side::Terdut && entry.verb == "get";
    if looks { looked_at(kind).contains(&entry.resource.as_str()) } else { is_act(entry) }
}

fn is_act(entry: &Entry) -> bool {
    entry.side == Side::Terdut || entry.writes()
}

/// What is looked at for the sake of a kind; the others look whenever they are woken.
fn looked_at(kind: Kind) -> &'static [&'static str] {
    match kind {
        kind::RULE => &["/api/teams/{}/escalation"],
        kind::SWITCH => &["/api/teams/{}/deadman-switches"],
        kind::SOURCE => &["/api/teams/{}/integrations"],
        kind::TEAM => &["/api/teams", "/api/service-accounts", "/api/service-accounts/{}/keys"],
        _ => &["/healthz", "/api/me", "/api/service-accounts", "/api/service-accounts/{}/keys"],
    }
}

fn depends_on_the_moment(entry: &Entry) -> bool {
    entry.verb == "get" || entry.resource.ends_with("/status")
}

/// The calls that are in both, in the order of the first.
pub(super) fn common(one: &[Call], other: &[Call]) -> Vec<Call> {
    one.iter().filter(|call| other.contains(call)).cloned().collect()
}
