//! The list of service accounts' keys, without the keys themselves, which terdut shows once.
//!
//! Which accounts are asked can be narrowed by account, scope and team. An account that goes while
//! its turn comes has no keys any more.

use std::ops::ControlFlow;
use std::pin::pin;

use futures::TryStreamExt;
use terdut_client::Caller;
use terdut_core::api::{Account, Reply, Request, Shared};
use terdut_core::error::ApiError;
use terdut_core::ids::AccountId;
use terdut_core::model::ObservedServiceAccountKey;
use terdut_core::presence::is_own_404;
use terdut_plugin::schema::Attribute;

use super::below::{ahead, sorted};
use super::filter::{Filter, narrowing, scope};
use super::{Catalogue, Shelf};
use crate::object::lookup::{self, Listing};
use crate::resources::service_account_key::ServiceAccountKeyObject;

impl Catalogue for ServiceAccountKeyObject {
    fn filters() -> Vec<Attribute> {
        let account = "it is a key of the service account of this id.";
        let team = "its service account may act for the team of this id.";
        vec![narrowing("service_account_id", account), scope(), narrowing("team_id", team)]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let accounts = lookup::accounts(caller).await?;
        let fitting = accounts.iter().filter(|account| filter.fits_account(account));
        let fitting = sorted(fitting.cloned(), |account| account.id);
        let lists = ahead(fitting, async |account: Account| {
            keys(caller, account.id).await.map(|keys| (account, keys))
        });
        let mut lists = pin!(lists);
        while let Some((account, keys)) = lists.try_next().await? {
            for key in sorted(keys.iter().filter(|key| filter.fits(&key.name)), |key| key.id) {
                let observed = ObservedServiceAccountKey::from_fact(account.id, key);
                if shelf.add(label(&account, &key.name), &observed).await.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn label(account: &Account, key: &str) -> String {
    format!("{}/{}", account.name.trim(), key.trim())
}

async fn keys(caller: &Caller, account: AccountId) -> Listing<terdut_core::api::ApiKey> {
    match lookup::keys(caller, account).await {
        Err(error) if is_own_404(&error) => still_there(caller, account, error).await,
        listed => listed,
    }
}

async fn still_there<T>(
    caller: &Caller,
    account: AccountId,
    error: ApiError,
) -> Result<Shared<T>, ApiError> {
    match caller.call_fresh(Request::ListAccounts { name: None }).await? {
        Reply::Accounts(accounts) if accounts.iter().all(|one| one.id != account) => {
            Ok(Vec::new().into())
        }
        _ => Err(error),
    }
}
