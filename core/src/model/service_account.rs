//! A service account.
//!
//! Nothing of it can be changed. Its first key is revoked at once (the create machine's work): keys
//! come only from the key resource.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{self, note};
use super::{Kind, Model};
use crate::api::{self, AccountScope};
use crate::ids::{AccountId, TeamId};
use crate::plan::{Differences, Step};
use crate::problem::{Findings, Path, Problem};
use crate::value::{Field, Input, Name};

/// A service account: an identity for a machine, whose keys may do what its scope says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountSpec {
    /// The account's name, unique on the server.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// What its keys may do. `instance`: manage teams, team-scoped accounts and everything below
    /// any team; making one needs an admin key. `team`: manage what belongs to one team.
    #[schemars(extend("enum" = ["instance", "team"]))]
    pub scope: String,
    /// The id of the team. Required with the scope `team`, not allowed otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct ServiceAccountInput {
    /// Name.
    pub name: Input<String>,
    /// Scope.
    pub scope: Input<String>,
    /// The team's id.
    pub team_id: Input<String>,
}

/// What an account's keys may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything but people and instance-scoped accounts.
    Instance,
    /// One team's objects.
    Team,
}

/// The validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredServiceAccount {
    /// Name.
    pub name: Field<Name>,
    /// Scope.
    pub scope: Field<Scope>,
    /// Team; known to be none with the scope instance.
    pub team: Field<Option<TeamId>>,
}

/// An account of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAccount {
    /// Name.
    pub name: Name,
    /// Scope, with its team.
    pub scope: AccountScope,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedServiceAccount {
    /// Its id.
    pub id: AccountId,
    /// Name.
    pub name: String,
    /// Scope; an empty other one where a partial state lacks it.
    pub scope: AccountScope,
}

impl From<&api::Account> for ObservedServiceAccount {
    fn from(account: &api::Account) -> Self {
        Self { id: account.id, name: account.name.clone(), scope: account.scope.clone() }
    }
}

impl ServiceAccountInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredServiceAccount> {
        let name = check::required(findings, &Path::of("name"), &self.name);
        let scope = scope(findings, &self.scope);
        let team_id = none_if_empty(&self.team_id);
        let team = team(findings, &team_id);
        pairs(findings, scope.as_ref(), &team_id);
        Some(DesiredServiceAccount { name: name?, scope: scope?, team: team? })
    }
}

fn scope(findings: &mut Findings, input: &Input<String>) -> Option<Field<Scope>> {
    let path = Path::of("scope");
    match input {
        Input::Absent => check::missing(findings, &path),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) => {
            let scope = match text.as_str() {
                "instance" => Ok(Scope::Instance),
                "team" => Ok(Scope::Team),
                other => Err(format!("{other:?} is no scope: write \"instance\" or \"team\"")),
            };
            note(findings, &path, scope).map(Field::Known)
        }
    }
}

fn none_if_empty(input: &Input<String>) -> Input<String> {
    match input {
        Input::Given(text) if text.is_empty() => Input::Absent,
        input => input.clone(),
    }
}

fn team(findings: &mut Findings, input: &Input<String>) -> Option<Field<Option<TeamId>>> {
    match input {
        Input::Absent => Some(Field::Known(None)),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) => {
            note(findings, &Path::of("team_id"), text.parse()).map(|id| Field::Known(Some(id)))
        }
    }
}

/// A team is named if and only if the scope is a team's.
fn pairs(findings: &mut Findings, scope: Option<&Field<Scope>>, team: &Input<String>) {
    let detail = match (scope, team) {
        (Some(Field::Known(Scope::Team)), Input::Absent) => {
            "The scope is \"team\": team_id is required."
        }
        (Some(Field::Known(Scope::Instance)), Input::Given(_)) => {
            "The scope is \"instance\": team_id must not be set."
        }
        _ => return,
    };
    findings.error(Problem::new(Path::of("team_id"), "Scope and team do not fit", detail));
}

impl Model for ServiceAccount {
    const KIND: Kind = Kind::ServiceAccount;
    type Desired = DesiredServiceAccount;
    type Observed = ObservedServiceAccount;

    fn known(desired: &DesiredServiceAccount) -> Option<Self> {
        let scope = match (desired.scope.known()?, desired.team.known()?) {
            (Scope::Instance, _) => AccountScope::Instance,
            (Scope::Team, team) => AccountScope::Team((*team)?),
        };
        Some(Self { name: desired.name.known()?.clone(), scope })
    }

    fn differences(desired: &DesiredServiceAccount, there: &ObservedServiceAccount) -> Differences {
        const WHY: &str = "terdut cannot change a service account";
        let mut found = Differences::default();
        found.replace_text("name", &desired.name, &there.name, Name::is, WHY);
        if there.scope == AccountScope::Other(String::new()) {
            return found;
        }
        let same = |scope: &Scope| match scope {
            Scope::Instance => there.scope == AccountScope::Instance,
            Scope::Team => matches!(there.scope, AccountScope::Team(_)),
        };
        found.replace("scope", &desired.scope, same, WHY);
        let team_there = match there.scope {
            AccountScope::Team(team) => Some(team),
            AccountScope::Instance | AccountScope::Other(_) => None,
        };
        found.replace("team_id", &desired.team, |team| *team == team_there, WHY);
        found
    }

    fn create(&self) -> Vec<Step> {
        vec![Step::CreateAccount { name: self.name.to_string(), scope: self.scope.clone() }]
    }

    fn update(&self, _: &ObservedServiceAccount, _: &Differences) -> Vec<Step> {
        Vec::new()
    }

    fn delete(observed: &ObservedServiceAccount) -> Vec<Step> {
        vec![Step::DeleteAccount { account: observed.id }]
    }

    fn import_id(observed: &ObservedServiceAccount) -> String {
        observed.id.to_string()
    }

    fn label(observed: &ObservedServiceAccount) -> String {
        observed.name.clone()
    }
}
