//! `terdut_user` and `terdut_users`. A user's `name` is the log-in name.

use terdut_client::Caller;
use terdut_core::api::User;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedUser;

use super::Browse;
use crate::object::lookup::{self, Listing};
use crate::resources::user::UserObject;

impl Browse for UserObject {
    type Fact = User;

    const PLURAL: &'static str = "terdut_users";
    const LIST: &'static str = "users";

    async fn list(caller: &Caller, _: Option<TeamId>) -> Listing<User> {
        lookup::users(caller).await
    }

    fn observed(user: &User, _: Option<TeamId>) -> Option<ObservedUser> {
        Some(user.into())
    }
}
