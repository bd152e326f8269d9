//! `terdut_team`: a team and its OIDC groups.

use terdut_client::Caller;
use terdut_client::execute::Found;
use terdut_core::api::{Reply, Request};
use terdut_core::dependents::{self, Dependents};
use terdut_core::error::ApiError;
use terdut_core::model::{DesiredTeam, Kind, ObservedTeam, OidcInput, Team, TeamInput, TeamSpec};
use terdut_core::problem::Findings;
use terdut_core::value::Name;
use terdut_plugin::attr::Attr;
use terdut_plugin::schema::Schema;

use crate::attributes::{adopt_existing, id, input, optional, parsed};
use crate::equality::same;
use crate::object::looks::Look;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A team.
    pub struct TeamModel {
        pub id: Attr<String>,
        pub name: Attr<String>,
        pub oidc: Attr<OidcModel>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }

    /// A team's OIDC groups.
    pub struct OidcModel {
        pub member_group: Attr<String>,
        pub owner_group: Attr<String>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct TeamObject;

impl Object for TeamObject {
    type Model = TeamModel;
    type Core = Team;

    const PATH: &'static [(&'static str, Kind)] = &[("id", Kind::Team)];
    const REPLACED_BY: Option<&'static str> = None;

    fn schema() -> Schema {
        let spec = Spec::of::<TeamSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the team."))
            .attributes(spec.attributes(|path, attribute| match path {
                "name" => attribute.equal_by(same::<Name>),
                _ => attribute,
            }))
            .attribute(adopt_existing())
            .attribute(timeouts::attribute())
    }

    fn desired(model: &TeamModel, findings: &mut Findings) -> Option<DesiredTeam> {
        let oidc = |oidc: OidcModel| OidcInput {
            member_group: input(&oidc.member_group),
            owner_group: input(&oidc.owner_group),
        };
        TeamInput { name: input(&model.name), oidc: input(&model.oidc).map(oidc) }
            .validate(findings)
    }

    fn stored(state: &TeamModel) -> Option<ObservedTeam> {
        let oidc = state.oidc.clone().unwrap_or_default();
        Some(ObservedTeam {
            id: parsed(&state.id)?,
            name: state.name.clone().unwrap_or_default(),
            member_group: oidc.member_group.unwrap_or_default(),
            owner_group: oidc.owner_group.unwrap_or_default(),
        })
    }

    fn fill(state: &mut TeamModel, observed: &ObservedTeam) {
        state.id.set(observed.id.to_string());
        state.name.set(observed.name.clone());
        state.oidc = groups(observed).into();
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedTeam,
    ) -> Result<Option<ObservedTeam>, ApiError> {
        Ok(lookup::top(lookup::teams(caller), stored.id).await?.as_ref().map(Into::into))
    }

    fn found(found: Found, _wanted: &TeamModel) -> Option<ObservedTeam> {
        if let Found::Team(team) = found { Some((&team).into()) } else { None }
    }

    async fn dependents(look: &Look<'_>, stored: &ObservedTeam) -> Option<Dependents> {
        let team = stored.id;
        let Reply::Switches(switches) = look.at(Request::ListSwitches { team }).await? else {
            return None;
        };
        let Reply::Integrations(sources) = look.at(Request::ListIntegrations { team }).await?
        else {
            return None;
        };
        let Reply::Policy(policy) = look.at(Request::GetPolicy { team }).await? else {
            return None;
        };
        // A team's own key may not see accounts.
        let accounts = match look.at(Request::ListAccounts { name: None }).await {
            Some(Reply::Accounts(accounts)) => accounts,
            _ => Vec::new().into(),
        };
        Some(dependents::of_team(team, &switches, &sources, policy.as_ref(), &accounts))
    }
}

fn groups(observed: &ObservedTeam) -> Option<OidcModel> {
    let groups = OidcModel {
        member_group: optional(&observed.member_group),
        owner_group: optional(&observed.owner_group),
    };
    (groups != OidcModel::default()).then_some(groups)
}
