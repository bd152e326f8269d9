//! The data sources: for each kind one, by id or by name, and one that lists; who is on call;
//! what a server is run by.
//!
//! A kind that has a resource says here only what its list is ([`Browse`]); attributes and values
//! are the resource's, read only.

pub mod alert_source;
pub mod deadman_switch;
mod escalation_rule;
mod many;
mod on_call;
mod one;
mod server_manifests;
pub mod service_account;
pub mod team;
#[cfg(test)]
mod tests;
pub mod user;

use std::marker::PhantomData;

use terdut_client::Caller;
use terdut_core::explain::Doing;
use terdut_core::ids::TeamId;
use terdut_core::lookup::Listed;
use terdut_core::model::Model as CoreModel;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::ToValue;
use terdut_plugin::provider::Registry;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use crate::context::{ProviderData, caller};
use crate::object::lookup::Listing;
use crate::object::{Object, Observed};
use crate::{report, timeouts};

/// A kind that can be looked up in a list.
pub trait Browse: Object {
    /// What the list says of one.
    type Fact: Listed + Clone + Send + Sync;

    /// The name of the data source that lists.
    const PLURAL: &'static str;
    /// Its attribute that holds the list.
    const LIST: &'static str;

    /// The list: of a team where the kind belongs to one.
    fn list(
        caller: &Caller,
        team: Option<TeamId>,
    ) -> impl Future<Output = Listing<Self::Fact>> + Send;

    /// The fact as core says it; `None` where a needed team is missing.
    fn observed(fact: &Self::Fact, team: Option<TeamId>) -> Option<Observed<Self>>;
}

/// The data source of one object.
#[derive(Debug)]
struct One<O>(PhantomData<O>);

/// The data source of a list.
#[derive(Debug)]
struct Many<O>(PhantomData<O>);

/// Lists them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    browse::<crate::resources::alert_source::AlertSourceObject>(registry);
    browse::<crate::resources::deadman_switch::DeadmanSwitchObject>(registry);
    registry.data_source(escalation_rule::TeamsRule).data_source(on_call::OnCall);
    registry.data_source(server_manifests::ServerManifests);
    browse::<crate::resources::service_account::ServiceAccountObject>(registry);
    browse::<crate::resources::team::TeamObject>(registry);
    browse::<crate::resources::user::UserObject>(registry);
}

fn browse<O: Browse>(registry: &mut Registry<ProviderData>) {
    registry.data_source(One::<O>(PhantomData)).data_source(Many::<O>(PhantomData));
}

/// Resource attributes that are no property of the object on the server.
const OWN: [&str; 3] = ["adopt_existing", "rotate_when_changed", "timeouts"];

/// What is shown of an object: the resource's attributes, but for secrets and what is its own.
fn shown<O: Object>() -> Vec<Attribute> {
    let all = O::schema().all().to_vec();
    let shown =
        |attribute: &Attribute| !attribute.is_sensitive() && !OWN.contains(&attribute.name());
    all.into_iter().filter(shown).map(|attribute| attribute.read_only(&as_fact)).collect()
}

/// How a sentence begins that is about writing an attribute, not about what it is.
const OF_WRITING: [&str; 4] = ["Default: ", "Required with ", "Absent and empty ", "Another "];

/// What a resource's description says of an object that is only read.
fn as_fact(description: &str) -> String {
    let of_writing = |sentence: &&str| OF_WRITING.iter().any(|start| sentence.starts_with(start));
    let facts = description.split_inclusive(". ").filter(|sentence| !of_writing(sentence));
    facts.collect::<String>().trim_end().to_owned()
}

/// An object with the attributes of `shown`.
fn record<O: Browse>(fact: &O::Fact, team: Option<TeamId>, shown: &[Attribute]) -> Option<Value> {
    let mut model = O::Model::default();
    O::fill(&mut model, &O::observed(fact, team)?);
    Some(record_of(model.to_value(), shown))
}

/// What of a model's value is shown.
fn record_of(mut value: Value, shown: &[Attribute]) -> Value {
    let member = |attribute: &Attribute| {
        (attribute.name().to_owned(), value.take_attribute(attribute.name()))
    };
    Value::object(shown.iter().map(member).collect::<Vec<_>>())
}

/// A list below a team. The team is always there: its attribute is required.
async fn below<T, F>(team: Option<TeamId>, list: impl FnOnce(TeamId) -> F) -> Listing<T>
where
    F: Future<Output = Listing<T>>,
{
    match team {
        Some(team) => list(team).await,
        None => Ok(Vec::new().into()),
    }
}

fn in_team<O: Browse>() -> bool {
    O::PATH.iter().any(|(name, _)| *name == "team_id")
}

/// The attribute that says which team's list is meant.
fn team_attribute() -> Attribute {
    Attribute::string("team_id").required().describe("Id of the team that it belongs to.")
}

fn of_schema<O: Browse>(text: &str, attributes: Vec<Attribute>) -> Schema {
    Schema::new(format!("{text} {}", O::schema().description())).attributes(attributes)
}

/// A text that is set; an empty one is not.
fn text<'v>(config: &'v Value, name: &str) -> Option<&'v str> {
    config.attribute(name)?.as_str().filter(|text| !text.is_empty())
}

/// The kind's list, of the team that the configuration names.
async fn listed<O: Browse>(
    context: &Context<ProviderData>,
    config: &Value,
) -> Result<(Option<TeamId>, terdut_core::api::Shared<O::Fact>), Diagnostics> {
    let team = if in_team::<O>() { Some(team(config)?) } else { None };
    let caller = caller(context, timeouts::read())?;
    let label = team.map_or_else(|| "all".to_owned(), |team| format!("all of team {team}"));
    let doing = Doing::new("looking up", <O::Core as CoreModel>::KIND, label);
    let list = O::list(&caller, team).await.map_err(|error| report::api(&doing, &error))?;
    Ok((team, list))
}

fn team(config: &Value) -> Result<TeamId, Diagnostic> {
    let text = text(config, "team_id").unwrap_or_default();
    let invalid = |error| Diagnostic::error("Invalid team_id", format!("{error}.")).at("team_id");
    text.parse().map_err(invalid)
}
