//! A team.
//!
//! Its name and its OIDC groups are updated in place; nothing replaces it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check;
use super::{Kind, Model};
use crate::api;
use crate::ids::TeamId;
use crate::plan::{Differences, Ref, Step};
use crate::problem::{Findings, Path};
use crate::value::{Field, Input, Name};

/// A team of people who share an on-call schedule, an escalation policy and alert sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamSpec {
    /// The team's name, unique on the server. Blanks around it do not count.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Which OIDC groups make somebody a member or an owner of the team. Absent and empty mean the
    /// same: no group does, and groups that were set by other means are cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<OidcSpec>,
}

/// The OIDC groups of a team.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcSpec {
    /// The OIDC group whose people are members of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub member_group: Option<String>,
    /// The OIDC group whose people are owners of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub owner_group: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct TeamInput {
    /// Name.
    pub name: Input<String>,
    /// OIDC groups.
    pub oidc: Input<OidcInput>,
}

/// What a user wrote about OIDC groups.
#[derive(Debug, Clone, Default)]
pub struct OidcInput {
    /// Members.
    pub member_group: Input<String>,
    /// Owners.
    pub owner_group: Input<String>,
}

impl From<&TeamSpec> for TeamInput {
    fn from(spec: &TeamSpec) -> Self {
        let oidc = |oidc: &OidcSpec| OidcInput {
            member_group: oidc.member_group.clone().into(),
            owner_group: oidc.owner_group.clone().into(),
        };
        Self { name: Input::Given(spec.name.clone()), oidc: spec.oidc.as_ref().map(oidc).into() }
    }
}

/// The validated wish. An empty group is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredTeam {
    /// Name.
    pub name: Field<Name>,
    /// Members' group.
    pub member_group: Field<String>,
    /// Owners' group.
    pub owner_group: Field<String>,
}

/// A team of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Name.
    pub name: Name,
    /// Members' group.
    pub member_group: String,
    /// Owners' group.
    pub owner_group: String,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedTeam {
    /// Its id.
    pub id: TeamId,
    /// Name, as the server or the state has it.
    pub name: String,
    /// Members' group; empty: none.
    pub member_group: String,
    /// Owners' group; empty: none.
    pub owner_group: String,
}

impl From<&api::Team> for ObservedTeam {
    fn from(team: &api::Team) -> Self {
        Self {
            id: team.id,
            name: team.name.clone(),
            member_group: team.oidc_member_group.clone().unwrap_or_default(),
            owner_group: team.oidc_owner_group.clone().unwrap_or_default(),
        }
    }
}

impl TeamInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredTeam> {
        let name = check::required(findings, &Path::of("name"), &self.name);
        let groups = self.groups(findings);
        let (member_group, owner_group) = groups?;
        Some(DesiredTeam { name: name?, member_group, owner_group })
    }

    fn groups(&self, findings: &mut Findings) -> Option<(Field<String>, Field<String>)> {
        let oidc = match &self.oidc {
            Input::Absent => &OidcInput::default(),
            Input::Unknown => return Some((Field::Unknown, Field::Unknown)),
            Input::Given(oidc) => oidc,
        };
        let path = Path::of("oidc");
        let member = check::text(findings, &path.field("member_group"), &oidc.member_group);
        let owner = check::text(findings, &path.field("owner_group"), &oidc.owner_group);
        Some((member?, owner?))
    }
}

impl Team {
    fn set_groups(&self, team: Ref<TeamId>) -> Step {
        let (member, owner) = (self.member_group.clone(), self.owner_group.clone());
        Step::SetGroups { team, member, owner }
    }
}

impl Model for Team {
    const KIND: Kind = Kind::Team;
    type Desired = DesiredTeam;
    type Observed = ObservedTeam;

    fn known(desired: &DesiredTeam) -> Option<Self> {
        Some(Self {
            name: desired.name.known()?.clone(),
            member_group: desired.member_group.known()?.clone(),
            owner_group: desired.owner_group.known()?.clone(),
        })
    }

    fn differences(desired: &DesiredTeam, observed: &ObservedTeam) -> Differences {
        let mut found = Differences::default();
        found.update("name", &desired.name, |name| name.is(&observed.name));
        found.update("oidc", &desired.member_group, |group| *group == observed.member_group);
        found.update("oidc", &desired.owner_group, |group| *group == observed.owner_group);
        found
    }

    fn create(&self) -> Vec<Step> {
        let mut steps = vec![Step::CreateTeam { name: self.name.to_string() }];
        if !self.member_group.is_empty() || !self.owner_group.is_empty() {
            steps.push(self.set_groups(Ref::Made));
        }
        steps
    }

    fn update(&self, observed: &ObservedTeam, differences: &Differences) -> Vec<Step> {
        let mut steps = Vec::new();
        if differences.updates("name") {
            steps.push(Step::RenameTeam { team: observed.id, name: self.name.to_string() });
        }
        if differences.updates("oidc") {
            steps.push(self.set_groups(Ref::Id(observed.id)));
        }
        steps
    }

    fn delete(observed: &ObservedTeam) -> Vec<Step> {
        vec![Step::DeleteTeam { team: observed.id }]
    }

    fn import_id(observed: &ObservedTeam) -> String {
        observed.id.to_string()
    }

    fn label(observed: &ObservedTeam) -> String {
        observed.name.clone()
    }
}
