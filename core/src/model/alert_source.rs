//! An alert source; the REST API calls it an integration.
//!
//! Its name is updated in place. Its key is shown once, so that a replacement is also a new key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check;
use super::{Kind, Model};
use crate::api;
use crate::ids::{IntegrationId, TeamId};
use crate::plan::{Differences, Step};
use crate::problem::{Findings, Path, Problem};
use crate::value::{Field, Input, KindWord, Name};

/// The kind of an alert source that names none.
pub const DEFAULT_KIND: &str = "alertmanager";

/// An alert source: a webhook with a key of its own, to which alerts for a team are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertSourceSpec {
    /// What sends the alerts: `alertmanager`, or another lower-case word that the server knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), extend("default" = DEFAULT_KIND))]
    pub kind: Option<String>,
    /// The source's name.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct AlertSourceInput {
    /// The team's id.
    pub team_id: Input<String>,
    /// Kind.
    pub kind: Input<String>,
    /// Name.
    pub name: Input<String>,
}

impl AlertSourceSpec {
    /// The same as an input, in a team.
    pub fn input(&self, team_id: Input<String>) -> AlertSourceInput {
        let name = Input::Given(self.name.clone());
        AlertSourceInput { team_id, kind: self.kind.clone().into(), name }
    }
}

/// The validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredAlertSource {
    /// Team.
    pub team: Field<TeamId>,
    /// Kind.
    pub kind: Field<KindWord>,
    /// Name.
    pub name: Field<Name>,
}

/// An alert source of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertSource {
    /// Team.
    pub team: TeamId,
    /// Kind.
    pub kind: KindWord,
    /// Name.
    pub name: Name,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedAlertSource {
    /// Its team.
    pub team: TeamId,
    /// Its id.
    pub id: IntegrationId,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

impl ObservedAlertSource {
    /// From what the server lists of a team.
    pub fn from_fact(team: TeamId, source: &api::Integration) -> Self {
        Self { team, id: source.id, kind: source.kind.clone(), name: source.name.clone() }
    }
}

impl AlertSourceInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredAlertSource> {
        let team = check::team(findings, &self.team_id);
        let path = Path::of("kind");
        let kind = check::defaulted(findings, &path, &self.kind, DEFAULT_KIND);
        warn_unknown(findings, path, kind.as_ref());
        let name = check::required(findings, &Path::of("name"), &self.name);
        Some(DesiredAlertSource { team: team?, kind: kind?, name: name? })
    }
}

fn warn_unknown(findings: &mut Findings, path: Path, kind: Option<&Field<KindWord>>) {
    if let Some(Field::Known(kind)) = kind
        && !kind.is_known()
    {
        let detail = format!("{:?} is not alertmanager.", kind.as_str());
        let problem = Problem::new(path, "Unknown kind of alert source", detail)
            .hint("It is sent as it is; the server may refuse it.");
        findings.warn(problem);
    }
}

impl Model for AlertSource {
    const KIND: Kind = Kind::AlertSource;
    const REPLACE_WARNING: Option<(&'static str, &'static str)> = Some((
        "The alert source's key rotates",
        "The alert source is deleted and made again, with another key and webhook URL. Whatever \
         sends to the old URL is refused until it is given the new one. With create_before_destroy \
         the old one still has its name when the new one is made: remove create_before_destroy from \
         this resource, unless the name changes too.",
    ));
    const ADOPT_WARNING: Option<(&'static str, &'static str)> = Some((
        "The alert source's key cannot be read",
        "terdut shows the key and the webhook URL only when the source is made, so key and \
         webhook_url stay null. Replace the resource to get new ones; a change of \
         rotate_when_changed from one value to another does so too.",
    ));
    type Desired = DesiredAlertSource;
    type Observed = ObservedAlertSource;

    fn known(desired: &DesiredAlertSource) -> Option<Self> {
        Some(Self {
            team: *desired.team.known()?,
            kind: desired.kind.known()?.clone(),
            name: desired.name.known()?.clone(),
        })
    }

    fn differences(desired: &DesiredAlertSource, observed: &ObservedAlertSource) -> Differences {
        const WHY: &str = "terdut cannot change the kind of an existing alert source";
        let mut found = Differences::default();
        found.team(&desired.team, observed.team);
        found.replace_text("kind", &desired.kind, &observed.kind, KindWord::is, WHY);
        found.update("name", &desired.name, |name| name.is(&observed.name));
        found
    }

    fn create(&self) -> Vec<Step> {
        let (kind, name) = (self.kind.to_string(), self.name.to_string());
        vec![Step::CreateSource { team: self.team, kind, name }]
    }

    fn update(&self, observed: &ObservedAlertSource, differences: &Differences) -> Vec<Step> {
        if !differences.updates("name") {
            return Vec::new();
        }
        let (team, source) = (observed.team, observed.id);
        vec![Step::RenameSource { team, source, name: self.name.to_string() }]
    }

    fn delete(observed: &ObservedAlertSource) -> Vec<Step> {
        vec![Step::DeleteSource { team: observed.team, source: observed.id }]
    }

    fn import_id(observed: &ObservedAlertSource) -> String {
        format!("{}/{}", observed.team, observed.id)
    }

    fn label(observed: &ObservedAlertSource) -> String {
        observed.name.clone()
    }
}
