//! A dead man's switch.
//!
//! The API has no update: any change of meaning replaces it. What the server lists is compared by
//! meaning, so that another order or spelling never does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check;
use super::{Kind, Model};
use crate::api::{self, NewSwitch};
use crate::ids::{SwitchId, TeamId};
use crate::plan::{Differences, Step};
use crate::problem::{Findings, Path, Problem};
use crate::value::{Field, GoDuration, Input, Matcher, Name, SEVERITIES, SWITCH_TIMEOUT, Severity};

/// The severity of a switch that names none.
pub const DEFAULT_SEVERITY: &str = "critical";

/// A dead man's switch: an alert is raised when a heartbeat stops arriving.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadmanSwitchSpec {
    /// The switch's name, unique in its team.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Which alerts are the heartbeat: `label=value[,label=value…]`. Order and blanks do not matter.
    #[schemars(length(min = 1, max = 1024))]
    pub matcher: String,
    /// After how long without a heartbeat the alert is raised: a Go duration, 1m to 720h.
    pub timeout: String,
    /// The severity of the alert: critical, high, warning, info, or another lower-case word that
    /// the server knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = DEFAULT_SEVERITY))]
    pub severity: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct DeadmanSwitchInput {
    /// The team's id.
    pub team_id: Input<String>,
    /// Name.
    pub name: Input<String>,
    /// Matcher.
    pub matcher: Input<String>,
    /// Timeout.
    pub timeout: Input<String>,
    /// Severity.
    pub severity: Input<String>,
}

impl DeadmanSwitchSpec {
    /// The same as an input, in a team.
    pub fn input(&self, team_id: Input<String>) -> DeadmanSwitchInput {
        DeadmanSwitchInput {
            team_id,
            name: Input::Given(self.name.clone()),
            matcher: Input::Given(self.matcher.clone()),
            timeout: Input::Given(self.timeout.clone()),
            severity: self.severity.clone().into(),
        }
    }
}

/// The validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredDeadmanSwitch {
    /// Team.
    pub team: Field<TeamId>,
    /// Name.
    pub name: Field<Name>,
    /// Matcher.
    pub matcher: Field<Matcher>,
    /// Timeout.
    pub timeout: Field<GoDuration>,
    /// Severity.
    pub severity: Field<Severity>,
}

/// A switch of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadmanSwitch {
    /// Team.
    pub team: TeamId,
    /// Name.
    pub name: Name,
    /// Matcher.
    pub matcher: Matcher,
    /// Timeout.
    pub timeout: GoDuration,
    /// Severity.
    pub severity: Severity,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedDeadmanSwitch {
    /// Its team.
    pub team: TeamId,
    /// Its id.
    pub id: SwitchId,
    /// Name.
    pub name: String,
    /// Matcher.
    pub matcher: String,
    /// Timeout.
    pub timeout: String,
    /// Severity.
    pub severity: String,
}

impl ObservedDeadmanSwitch {
    /// From what the server lists of a team.
    pub fn from_fact(team: TeamId, switch: &api::Switch) -> Self {
        Self {
            team,
            id: switch.id,
            name: switch.name.clone(),
            matcher: switch.matcher.clone(),
            timeout: switch.timeout.clone(),
            severity: switch.severity.clone(),
        }
    }
}

impl DeadmanSwitchInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredDeadmanSwitch> {
        let team = check::team(findings, &self.team_id);
        let name = check::required(findings, &Path::of("name"), &self.name);
        let matcher = check::required(findings, &Path::of("matcher"), &self.matcher);
        let timeout =
            check::duration(findings, &Path::of("timeout"), &self.timeout, SWITCH_TIMEOUT);
        let path = Path::of("severity");
        let severity = check::defaulted(findings, &path, &self.severity, DEFAULT_SEVERITY);
        warn_unknown(findings, path, severity.as_ref());
        Some(DesiredDeadmanSwitch {
            team: team?,
            name: name?,
            matcher: matcher?,
            timeout: timeout?,
            severity: severity?,
        })
    }
}

fn warn_unknown(findings: &mut Findings, path: Path, severity: Option<&Field<Severity>>) {
    if let Some(Field::Known(severity)) = severity
        && !severity.is_known()
    {
        let known = SEVERITIES.join(", ");
        let detail = format!("{severity:?} is none of {known}.", severity = severity.as_str());
        let problem = Problem::new(path, "Unknown severity", detail)
            .hint("It is sent as it is; the server may refuse it.");
        findings.warn(problem);
    }
}

impl DeadmanSwitch {
    fn wire(&self) -> NewSwitch {
        NewSwitch {
            name: self.name.to_string(),
            matcher: self.matcher.to_string(),
            timeout: self.timeout.to_string(),
            severity: self.severity.to_string(),
        }
    }
}

impl Model for DeadmanSwitch {
    const KIND: Kind = Kind::DeadmanSwitch;
    const ADOPTS_BY_REPLACING: bool = true;
    const REPLACE_WARNING: Option<(&'static str, &'static str)> = Some((
        "Not watched while it is replaced",
        "terdut cannot change a dead man's switch: it is deleted and made again with another id. \
         Between the two nothing is watched, and the first heartbeat is waited for anew. With \
         create_before_destroy the server refuses the new one while the old one has its name \
         (409): remove create_before_destroy from this resource, unless the name changes too.",
    ));
    type Desired = DesiredDeadmanSwitch;
    type Observed = ObservedDeadmanSwitch;

    fn known(desired: &DesiredDeadmanSwitch) -> Option<Self> {
        Some(Self {
            team: *desired.team.known()?,
            name: desired.name.known()?.clone(),
            matcher: desired.matcher.known()?.clone(),
            timeout: *desired.timeout.known()?,
            severity: desired.severity.known()?.clone(),
        })
    }

    fn differences(
        desired: &DesiredDeadmanSwitch,
        observed: &ObservedDeadmanSwitch,
    ) -> Differences {
        const WHY: &str = "terdut cannot change a dead man's switch";
        let mut found = Differences::default();
        found.team(&desired.team, observed.team);
        found.replace_text("name", &desired.name, &observed.name, Name::is, WHY);
        found.replace_text("matcher", &desired.matcher, &observed.matcher, Matcher::is, WHY);
        found.replace_text("timeout", &desired.timeout, &observed.timeout, GoDuration::is, WHY);
        found.replace_text("severity", &desired.severity, &observed.severity, Severity::is, WHY);
        found
    }

    fn create(&self) -> Vec<Step> {
        vec![Step::CreateSwitch { team: self.team, switch: self.wire() }]
    }

    fn update(&self, _: &ObservedDeadmanSwitch, _: &Differences) -> Vec<Step> {
        Vec::new()
    }

    fn delete(observed: &ObservedDeadmanSwitch) -> Vec<Step> {
        vec![Step::DeleteSwitch { team: observed.team, switch: observed.id }]
    }

    fn import_id(observed: &ObservedDeadmanSwitch) -> String {
        format!("{}/{}", observed.team, observed.id)
    }

    fn label(observed: &ObservedDeadmanSwitch) -> String {
        observed.name.clone()
    }
}
