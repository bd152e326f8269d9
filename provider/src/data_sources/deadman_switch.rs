//! `terdut_deadman_switch` and `terdut_deadman_switches`.

use terdut_client::Caller;
use terdut_core::api::Switch;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedDeadmanSwitch;

use super::{Browse, below};
use crate::object::lookup::{self, Listing};
use crate::resources::deadman_switch::DeadmanSwitchObject;

impl Browse for DeadmanSwitchObject {
    type Fact = Switch;

    const PLURAL: &'static str = "terdut_deadman_switches";
    const LIST: &'static str = "deadman_switches";

    async fn list(caller: &Caller, team: Option<TeamId>) -> Listing<Switch> {
        below(team, |team| lookup::switches(caller, team)).await
    }

    fn observed(switch: &Switch, team: Option<TeamId>) -> Option<ObservedDeadmanSwitch> {
        Some(ObservedDeadmanSwitch::from_fact(team?, switch))
    }
}
