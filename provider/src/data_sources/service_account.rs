//! `terdut_service_account` and `terdut_service_accounts`.

use terdut_client::Caller;
use terdut_core::api::Account;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedServiceAccount;

use super::Browse;
use crate::object::lookup::{self, Listing};
use crate::resources::service_account::ServiceAccountObject;

impl Browse for ServiceAccountObject {
    type Fact = Account;

    const PLURAL: &'static str = "terdut_service_accounts";
    const LIST: &'static str = "service_accounts";

    async fn list(caller: &Caller, _: Option<TeamId>) -> Listing<Account> {
        lookup::accounts(caller).await
    }

    fn observed(account: &Account, _: Option<TeamId>) -> Option<ObservedServiceAccount> {
        Some(account.into())
    }
}
