//! The list of teams.

use std::ops::ControlFlow;

use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_plugin::schema::Attribute;

use super::below::sorted;
use super::filter::Filter;
use super::{Catalogue, Shelf};
use crate::object::lookup;
use crate::resources::team::TeamObject;

impl Catalogue for TeamObject {
    fn filters() -> Vec<Attribute> {
        Vec::new()
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let teams = lookup::teams(caller).await?;
        for team in sorted(teams.iter().filter(|team| filter.fits(&team.name)), |team| team.id) {
            if shelf.add(team.name.clone(), &team.into()).await.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
