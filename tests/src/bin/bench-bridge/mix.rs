//! What is made of how many, and the manifests.

use std::fmt;

use serde_json::{Value as Json, json};

/// Among how many teams the objects are shared; each has a namespace of its own.
pub(crate) const TEAMS: usize = 50;
/// One in so many of a team's switches and sources is a source.
const ONE_SOURCE_IN: usize = 20;
const API_VERSION: &str = "terdut.ryuvia.com/v1alpha1";
/// The namespace and name of the server that all teams are on.
pub(crate) const SERVER: (&str, &str) = ("bench-server", "main");

/// How many of each kind a team has; every team also is an object and has one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mix {
    pub(crate) switches: usize,
    pub(crate) sources: usize,
}

impl Mix {
    /// So many objects, teams and rules counted, as evenly as they can be shared.
    pub(crate) fn of(objects: usize) -> Self {
        let rest = (objects / TEAMS).saturating_sub(2).max(2);
        let sources = (rest / ONE_SOURCE_IN).max(1);
        Self { switches: rest - sources, sources }
    }

    /// About half of it.
    pub(crate) fn half(self) -> Self {
        Self { switches: self.switches.div_ceil(2), sources: self.sources.div_ceil(2) }
    }

    /// How many objects there are.
    pub(crate) fn objects(self) -> usize {
        TEAMS * (2 + self.switches + self.sources)
    }

    /// The teams.
    pub(crate) fn teams() -> Vec<Json> {
        (0..TEAMS).map(team).collect()
    }

    /// What belongs to the teams, one team's after another's.
    pub(crate) fn children(self) -> Vec<Json> {
        let mut all = Vec::with_capacity(self.objects());
        for team in 0..TEAMS {
            all.push(rule(team));
            all.extend((0..self.switches).map(|number| switch(team, &format!("switch-{number}"))));
            all.extend((0..self.sources).map(|number| source(team, &format!("source-{number}"))));
        }
        all
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{TEAMS} teams in {TEAMS} namespaces, each with 1 escalation rule, {} dead man's \
             switches, {} alert sources",
            self.switches, self.sources
        )
    }
}

/// The namespace of a team.
pub(crate) fn namespace(team: usize) -> String {
    format!("bench-team-{team:02}")
}

fn object(kind: &str, team: usize, name: &str, spec: &Json) -> Json {
    let metadata = json!({ "namespace": namespace(team), "name": name });
    json!({ "apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec })
}

fn team(number: usize) -> Json {
    let server = json!({ "namespace": SERVER.0, "name": SERVER.1 });
    let groups = json!({ "memberGroup": format!("members-{number}") });
    let name = format!("Team {number}");
    let spec = json!({ "serverRef": server, "displayName": name, "oidc": groups });
    object("TerdutTeam", number, "team", &spec)
}

fn rule(team: usize) -> Json {
    let level = json!({ "timeout": "5m", "targets": [{ "kind": "oncall" }] });
    let spec = json!({ "teamRef": { "name": "team" }, "repeatCount": 2, "levels": [level, level] });
    object("TerdutEscalationRule", team, "rule", &spec)
}

/// A dead man's switch of a team.
pub(crate) fn switch(team: usize, name: &str) -> Json {
    let spec = json!({
        "teamRef": { "name": "team" },
        "name": name,
        "matcher": format!("alertname=Watchdog,cluster={name}"),
        "timeout": "15m",
        "severity": "critical",
    });
    object("TerdutDeadmanSwitch", team, name, &spec)
}

fn source(team: usize, name: &str) -> Json {
    let spec = json!({ "teamRef": { "name": "team" }, "kind": "alertmanager", "name": name });
    object("TerdutAlertSource", team, name, &spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_objects_are_as_many_as_asked_for() {
        for (objects, switches, sources) in [(1_000, 17, 1), (10_000, 189, 9)] {
            let mix = Mix::of(objects);
            assert_eq!((mix.switches, mix.sources), (switches, sources));
            assert_eq!(mix.objects(), objects);
            assert_eq!(Mix::teams().len() + mix.children().len(), objects);
        }
    }
}
