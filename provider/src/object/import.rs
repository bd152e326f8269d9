//! Import: by ids, by names, by identity.
//!
//! The answer is a stub with ids only; the host reads the rest. What is imported by ids is not
//! looked up here: the read that follows tells if it is missing.

use std::fmt::Display;

use terdut_client::Caller;
use terdut_core::explain::Doing;
use terdut_core::ids::{AccountId, TeamId};
use terdut_core::import_id::{self, InvalidImportId, Pick};
use terdut_core::lookup::{self as core_lookup, Listed};
use terdut_core::model::Kind;
use terdut_core::value::ServerUrl;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::{FromValue, ToValue};
use terdut_plugin::resource::{Context, Import, ImportBy};
use terdut_plugin::value::Value;

use super::{Managed, Object, kind, lookup};
use crate::context::{ProviderData, caller};
use crate::{report, timeouts};

impl<O: Object> Import for Managed<O> {
    async fn import(
        &self,
        context: &Context<ProviderData>,
        by: ImportBy,
    ) -> Result<O::Model, Diagnostics> {
        let caller = caller(context, timeouts::read())?;
        let ids = match &by {
            ImportBy::Id(text) => ids_of_text::<O>(&caller, text).await?,
            ImportBy::Identity(_) => ids_of_identity::<O>(&caller, &by)?,
        };
        stub::<O>(&ids)
    }
}

fn stub<O: Object>(ids: &[String]) -> Result<O::Model, Diagnostics> {
    let mut value = O::Model::default().to_value();
    let last = ids.last().map(|id| ("id", id));
    let all = O::PATH.iter().map(|(name, _)| *name).zip(ids).chain(last);
    for (name, id) in all {
        if let Some(place) = value.attribute_mut(name) {
            *place = Value::from(id.as_str());
        }
    }
    Ok(O::Model::from_value(value)?)
}

fn ids_of_identity<O: Object>(caller: &Caller, by: &ImportBy) -> Result<Vec<String>, Diagnostics> {
    if let Some(url) = by.identity_text("url") {
        same_server(caller, url)?;
    }
    let id = |(name, _): &(&'static str, Kind)| {
        let text = by.identity_text(name).unwrap_or_default();
        let parsed: Result<TeamId, _> = text.parse();
        parsed.map(|id| id.to_string()).map_err(|error| invalid::<O>(&error))
    };
    O::PATH.iter().map(id).collect()
}

/// An identity of another server names another object.
fn same_server(caller: &Caller, url: &str) -> Result<(), Diagnostics> {
    let ours = caller.client().server();
    if url.parse::<ServerUrl>().is_ok_and(|url| url == *ours) {
        return Ok(());
    }
    let detail = format!(
        "The identity is of {url:?}, the provider's url (TERDUT_URL) is {ours}. Choose the provider \
         configuration of that server, or leave url out of the identity."
    );
    Err(Diagnostic::error("The identity is of another server", detail).into())
}

async fn ids_of_text<O: Object>(caller: &Caller, text: &str) -> Result<Vec<String>, Diagnostics> {
    let invalid = |error: InvalidImportId| invalid::<O>(&error);
    match kind::<O>() {
        Kind::Team | Kind::EscalationRule => {
            let team = import_id::single(text).map_err(invalid)?;
            Ok(vec![pick_team(caller, &team).await?.to_string()])
        }
        Kind::User => {
            let pick = import_id::single(text).map_err(invalid)?;
            Ok(vec![pick_in(Kind::User, lookup::users(caller), &pick).await?.to_string()])
        }
        Kind::ServiceAccount => {
            let pick = import_id::single(text).map_err(invalid)?;
            Ok(vec![pick_account(caller, &pick).await?.to_string()])
        }
        Kind::DeadmanSwitch => {
            let (team, pick) = import_id::nested(text).map_err(invalid)?;
            let team = pick_team(caller, &team).await?;
            let id = pick_in(kind::<O>(), lookup::switches(caller, team), &pick).await?;
            Ok(vec![team.to_string(), id.to_string()])
        }
        Kind::AlertSource => {
            let (team, pick) = import_id::nested(text).map_err(invalid)?;
            let team = pick_team(caller, &team).await?;
            let id = pick_in(kind::<O>(), lookup::sources(caller, team), &pick).await?;
            Ok(vec![team.to_string(), id.to_string()])
        }
        Kind::ServiceAccountKey => {
            let (account, pick) = import_id::nested(text).map_err(invalid)?;
            let account = pick_account(caller, &account).await?;
            let id = pick_in(kind::<O>(), lookup::keys(caller, account), &pick).await?;
            Ok(vec![account.to_string(), id.to_string()])
        }
        Kind::Server => Ok(vec![text.to_owned()]),
    }
}

async fn pick_team(caller: &Caller, pick: &Pick<TeamId>) -> Result<TeamId, Diagnostics> {
    pick_in(Kind::Team, lookup::teams(caller), pick).await
}

async fn pick_account(caller: &Caller, pick: &Pick<AccountId>) -> Result<AccountId, Diagnostics> {
    pick_in(Kind::ServiceAccount, lookup::accounts(caller), pick).await
}

/// The id, looked up only where a name is given.
async fn pick_in<T: Listed>(
    kind: Kind,
    list: impl Future<Output = lookup::Listing<T>>,
    pick: &Pick<T::Id>,
) -> Result<T::Id, Diagnostics> {
    if let Pick::Id(id) = pick {
        return Ok(*id);
    }
    let doing = || Doing::new("looking up", kind, pick.to_string());
    let list = list.await.map_err(|error| report::api(&doing(), &error))?;
    let found = core_lookup::find(&list, pick).map_err(|error| report::error(&error.problem()))?;
    Ok(found.id())
}

fn invalid<O: Object>(error: &dyn Display) -> Diagnostics {
    Diagnostic::error(
        "Invalid import id",
        format!("This names no {}: {error}.", kind::<O>().resource_type()),
    )
    .into()
}
