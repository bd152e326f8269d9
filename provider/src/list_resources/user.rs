//! The list of people.

use std::ops::ControlFlow;

use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_plugin::schema::Attribute;

use super::below::sorted;
use super::filter::Filter;
use super::{Catalogue, Shelf};
use crate::object::lookup;
use crate::resources::user::UserObject;

impl Catalogue for UserObject {
    fn filters() -> Vec<Attribute> {
        Vec::new()
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let users = lookup::users(caller).await?;
        let fitting = users.iter().filter(|user| filter.fits(&user.username));
        for user in sorted(fitting, |user| user.id) {
            if shelf.add(user.username.clone(), &user.into()).await.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
