//! The list resources: what there is on a server, for a team that takes it over.
//!
//! A file for each kind says how its objects are found and what the list can be narrowed by
//! (`Catalogue`); the states that are handed over are made as a read after an import makes them.
//! There is no list of `terdut_server`: a server is known by its URL, which whoever asks one has
//! written down already, and no server knows of others.

mod alert_source;
mod below;
mod deadman_switch;
mod escalation_rule;
mod filter;
mod service_account;
mod service_account_key;
mod team;
#[cfg(test)]
mod tests;
mod user;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use terdut_client::Caller;
use terdut_core::error::{ApiError, Class};
use terdut_core::explain::{Doing, explain};
use terdut_core::model::{Kind, Model as CoreModel};
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::list::{ListResource, Listing};
use terdut_plugin::provider::Registry;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use crate::context::{ProviderData, caller};
use crate::object::{Object, Observed};
use crate::{report, timeouts};

use filter::Filter;

/// A kind whose objects can be listed.
pub(crate) trait Catalogue: Object + Sized {
    /// What a list can be narrowed by, beside names.
    fn filters() -> Vec<Attribute>;

    /// Hands over each object that the filter lets through, in the order of ids.
    fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> impl Future<Output = Result<ControlFlow<()>, ApiError>> + Send;
}

/// Where a kind's objects are handed over.
pub(crate) struct Shelf<'a, O: Object> {
    listing: &'a mut Listing<O::Model>,
}

impl<O: Object> Shelf<'_, O> {
    /// Hands an object over as a read would show it.
    async fn add(&mut self, name: String, observed: &Observed<O>) -> ControlFlow<()> {
        let mut model = O::Model::default();
        O::fill(&mut model, observed);
        self.listing.add(name, model).await
    }
}

/// The list of a kind.
#[derive(Debug)]
struct All<O>(PhantomData<O>);

/// Offers all of them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    use crate::resources as of;
    registry
        .list_resource(All::<of::alert_source::AlertSourceObject>(PhantomData))
        .list_resource(All::<of::deadman_switch::DeadmanSwitchObject>(PhantomData))
        .list_resource(All::<of::escalation_rule::EscalationRuleObject>(PhantomData))
        .list_resource(All::<of::service_account::ServiceAccountObject>(PhantomData))
        .list_resource(All::<of::service_account_key::ServiceAccountKeyObject>(PhantomData))
        .list_resource(All::<of::team::TeamObject>(PhantomData))
        .list_resource(All::<of::user::UserObject>(PhantomData));
}

impl<O: Catalogue> ListResource for All<O> {
    type Config = Value;
    type Object = O::Model;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        <O::Core as CoreModel>::KIND.resource_type()
    }

    fn schema(&self) -> Schema {
        let noun = <O::Core as CoreModel>::KIND.noun();
        let text = format!(
            "Lists each {noun} on the server, or those that all settings fit. {}",
            O::schema().description()
        );
        Schema::new(text).attributes(O::filters()).attributes(filter::names::<O>())
    }

    fn validate(&self, config: &Value, diagnostics: &mut Diagnostics) {
        diagnostics.take(Filter::read(config));
    }

    async fn list(
        &self,
        context: &Context<ProviderData>,
        config: Value,
        listing: &mut Listing<O::Model>,
    ) -> Result<(), Diagnostics> {
        let filter = Filter::read(&config)?;
        let caller = caller(context, timeouts::read())?;
        let walked = O::walk(&caller, &filter, &mut Shelf { listing }).await;
        let doing = Doing::new("listing", <O::Core as CoreModel>::KIND, filter.label());
        walked.map(drop).map_err(|error| refused::<O>(&filter, &doing, &error).into())
    }
}

/// A list that failed. A team's key may list what is its team's, but not all teams.
fn refused<O: Object>(filter: &Filter, doing: &Doing, error: &ApiError) -> Diagnostic {
    let mut problem = explain(doing, error);
    let may_not = error.class == Class::Denied && error.status != Some(401);
    if let Some(way) = way_of_a_team(<O::Core as CoreModel>::KIND, filter).filter(|_| may_not) {
        problem.hint = format!(
            "The provider's token (TERDUT_TOKEN) may not list all teams: that needs an admin or \
             instance key. With a team's own key {way}."
        );
    }
    report::error(&problem)
}

/// How the list could be made with a team's key, if it is one of all teams.
fn way_of_a_team(kind: Kind, filter: &Filter) -> Option<&'static str> {
    match kind {
        Kind::EscalationRule if filter.is_by_name() => {
            Some("set team_id to its team's id, and nothing by name")
        }
        Kind::EscalationRule | Kind::DeadmanSwitch | Kind::AlertSource if filter.team.is_none() => {
            Some("set team_id to its team's id")
        }
        _ => None,
    }
}
