//! `terdut_alert_source` and `terdut_alert_sources`, without what is shown only once.

use terdut_client::Caller;
use terdut_core::api::Integration;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedAlertSource;

use super::{Browse, below};
use crate::object::lookup::{self, Listing};
use crate::resources::alert_source::AlertSourceObject;

impl Browse for AlertSourceObject {
    type Fact = Integration;

    const PLURAL: &'static str = "terdut_alert_sources";
    const LIST: &'static str = "alert_sources";

    async fn list(caller: &Caller, team: Option<TeamId>) -> Listing<Integration> {
        below(team, |team| lookup::sources(caller, team)).await
    }

    fn observed(source: &Integration, team: Option<TeamId>) -> Option<ObservedAlertSource> {
        Some(ObservedAlertSource::from_fact(team?, source))
    }
}
