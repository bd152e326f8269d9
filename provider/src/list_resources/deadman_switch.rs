//! The list of dead man's switches: a team's, or all teams'.

use std::ops::ControlFlow;
use std::pin::pin;

use futures::TryStreamExt;
use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_core::model::ObservedDeadmanSwitch;
use terdut_plugin::schema::Attribute;

use super::below::{ahead, places, sorted, unless_gone};
use super::filter::{Filter, narrowing, team_id};
use super::{Catalogue, Shelf};
use crate::object::lookup;
use crate::resources::deadman_switch::DeadmanSwitchObject;

impl Catalogue for DeadmanSwitchObject {
    fn filters() -> Vec<Attribute> {
        vec![team_id(), narrowing("severity", "its severity is this.")]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let lists = ahead(places(caller, filter.team).await?, async |place| {
            let listed = lookup::switches(caller, place.team).await.map(|list| list.to_vec());
            unless_gone(caller, &place, listed).await.map(|switches| (place, switches))
        });
        let mut lists = pin!(lists);
        while let Some((place, switches)) = lists.try_next().await? {
            let fitting = switches.iter().filter(|switch| {
                filter.fits(&switch.name) && filter.fits_severity(&switch.severity)
            });
            for switch in sorted(fitting, |switch| switch.id) {
                let observed = ObservedDeadmanSwitch::from_fact(place.team, switch);
                if shelf.add(place.label(&switch.name), &observed).await.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
