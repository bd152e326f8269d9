//! `terdut_team` and `terdut_teams`.

use terdut_client::Caller;
use terdut_core::api::Team;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedTeam;

use super::Browse;
use crate::object::lookup::{self, Listing};
use crate::resources::team::TeamObject;

impl Browse for TeamObject {
    type Fact = Team;

    const PLURAL: &'static str = "terdut_teams";
    const LIST: &'static str = "teams";

    async fn list(caller: &Caller, _: Option<TeamId>) -> Listing<Team> {
        lookup::teams(caller).await
    }

    fn observed(team: &Team, _: Option<TeamId>) -> Option<ObservedTeam> {
        Some(team.into())
    }
}
