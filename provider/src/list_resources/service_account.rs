//! The list of service accounts, which can be narrowed to a scope or a team.

use std::ops::ControlFlow;

use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_plugin::schema::Attribute;

use super::below::sorted;
use super::filter::{Filter, narrowing, scope};
use super::{Catalogue, Shelf};
use crate::object::lookup;
use crate::resources::service_account::ServiceAccountObject;

impl Catalogue for ServiceAccountObject {
    fn filters() -> Vec<Attribute> {
        vec![scope(), narrowing("team_id", "it may act for the team of this id.")]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let accounts = lookup::accounts(caller).await?;
        let fits = |account: &&_| filter.fits_account(account);
        let fitting = accounts.iter().filter(fits).filter(|account| filter.fits(&account.name));
        for account in sorted(fitting, |account| account.id) {
            if shelf.add(account.name.clone(), &account.into()).await.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
