//! A kind of object, as far as it differs from the others.
//!
//! A resource file implements [`Object`]; [`Managed`] makes a whole resource of it. What is planned
//! and which steps are carried out is core's to say, how they are carried out is the client's.

mod apply;
mod identity;
mod import;
mod leaving;
pub mod looks;
pub mod lookup;
pub mod names;
pub mod outlook;
mod planning;
mod read;

#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use terdut_client::Caller;
use terdut_client::execute::{Found, Made};
use terdut_core::claims::Claim;
use terdut_core::dependents::Dependents;
use terdut_core::error::ApiError;
use terdut_core::model::{Kind, Model as CoreModel};
use terdut_core::problem::Findings;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::{Model, ToValue};
use terdut_plugin::resource::{
    Context, Create, Delete, Outcome, Plan, Read, Resource, ResourceEntry, Update,
};
use terdut_plugin::schema::Schema;

use crate::context::ProviderData;
use crate::{report, timeouts};
use looks::Look;
use outlook::Outlook;

/// What is wanted of a kind, as core says it.
pub type Desired<O> = <<O as Object>::Core as CoreModel>::Desired;
/// What is there of a kind, as core says it.
pub type Observed<O> = <<O as Object>::Core as CoreModel>::Observed;

/// A kind of object.
///
/// The model has the attributes `id`, `timeouts`, and those of [`Object::PATH`]; all three are
/// found by their names.
pub trait Object: Send + Sync + 'static {
    /// The attributes as a struct.
    type Model: Model;
    /// Core's known form of it.
    type Core: CoreModel<Desired: Send + Sync, Observed: Send + Sync> + Send + Sync;

    /// The way to an object: the attributes that hold the ids from the outermost in, and what they
    /// are ids of. Import ids and identities follow it.
    const PATH: &'static [(&'static str, Kind)];

    /// Which change of an object makes another one, and what that means.
    const REPLACED_BY: Option<&'static str>;

    /// The attributes and how they behave.
    fn schema() -> Schema;

    /// What the user wants, or all that is wrong with it. Values may be unknown.
    fn desired(model: &Self::Model, findings: &mut Findings) -> Option<Desired<Self>>;

    /// What is there as far as the state knows; `None` without a usable id.
    fn stored(state: &Self::Model) -> Option<Observed<Self>>;

    /// Writes what the server says into the state: every attribute that it holds.
    fn fill(state: &mut Self::Model, observed: &Observed<Self>);

    /// Looks for the object that the state knows, by its ids. `None` only if it is gone: absent
    /// from a complete list ([`lookup`]).
    fn find(
        caller: &Caller,
        stored: &Observed<Self>,
    ) -> impl Future<Output = Result<Option<Observed<Self>>, ApiError>> + Send;

    /// What had the name before, as core says it.
    fn found(found: Found, wanted: &Self::Model) -> Option<Observed<Self>>;

    /// Takes over what only its making shows. The id is written already.
    fn settle(_state: &mut Self::Model, _made: Option<Made>) {}

    /// Whether the change asks for a new key.
    fn rotates(_prior: &Self::Model, _planned: &Self::Model) -> bool {
        false
    }

    /// Says what is lost where a state is read for the first time, after an import.
    fn imported(_diagnostics: &mut Diagnostics) {}

    /// Whether many may have the same name. Then those are named beside which one was made: one of
    /// them may be what an apply that was killed has left.
    const NAMES_REPEAT: bool = false;

    /// The own ids of all that have the object's name, where many may.
    fn namesakes(
        _caller: &Caller,
        _observed: &Observed<Self>,
    ) -> impl Future<Output = Result<Vec<String>, ApiError>> + Send {
        std::future::ready(Ok(Vec::new()))
    }

    /// What came with an object that is taken over and that nobody may know of.
    fn came_along(
        _caller: &Caller,
        _there: &Observed<Self>,
    ) -> impl Future<Output = Option<Diagnostic>> + Send {
        async { None }
    }

    /// What goes with the object when it is deleted, or refers to it. `None` where that cannot be
    /// told.
    fn dependents(
        _look: &Look<'_>,
        _stored: &Observed<Self>,
    ) -> impl Future<Output = Option<Dependents>> + Send {
        async { None }
    }

    /// Says what others may rely on once the plan is carried out.
    fn foresee(_outlook: &Outlook, _planned: &Self::Model) {}

    /// For a kind whose making overwrites: the claim to hold meanwhile. (A kind that is made by a
    /// POST is claimed by the client.)
    fn claim(_wanted: &Self::Core, _server: &str) -> Option<Claim> {
        None
    }

    /// For a kind whose making overwrites: what is there before.
    fn occupant(
        _caller: &Caller,
        _wanted: &Self::Core,
    ) -> impl Future<Output = Result<Option<Observed<Self>>, ApiError>> + Send {
        async { Ok(None) }
    }
}

/// The resource of a kind.
#[derive(Debug)]
pub struct Managed<O>(PhantomData<O>);

/// The kind as the provider lists it.
pub fn resource<O: Object>() -> ResourceEntry<Managed<O>> {
    ResourceEntry::new(Managed(PhantomData)).importable().identified()
}

fn kind<O: Object>() -> Kind {
    <O::Core as CoreModel>::KIND
}

impl<O: Object> Resource for Managed<O> {
    type Model = O::Model;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        kind::<O>().resource_type()
    }

    fn schema(&self) -> Schema {
        match O::REPLACED_BY {
            Some(text) => O::schema().paragraph(text),
            None => O::schema(),
        }
    }

    fn validate(&self, config: &O::Model, diagnostics: &mut Diagnostics) {
        let mut findings = Findings::default();
        O::desired(config, &mut findings);
        report::findings(&findings, diagnostics);
        timeouts::validate(&timeouts::of(&config.to_value()), diagnostics);
    }

    fn plan(&self, context: &Context<ProviderData>, plan: &mut Plan<O::Model>) {
        planning::plan::<O>(plan);
        O::foresee(context.data().outlook(), &plan.planned);
    }

    async fn plan_delete(
        &self,
        context: &Context<ProviderData>,
        prior: &O::Model,
        diagnostics: &mut Diagnostics,
    ) {
        leaving::plan_delete::<O>(context, prior, diagnostics).await;
    }

    async fn create(
        &self,
        context: &Context<ProviderData>,
        request: Create<O::Model>,
    ) -> Outcome<O::Model> {
        apply::create::<O>(context, request).await
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        request: Read<O::Model>,
    ) -> Outcome<O::Model> {
        read::read::<O>(context, request).await
    }

    async fn update(
        &self,
        context: &Context<ProviderData>,
        request: Update<O::Model>,
    ) -> Outcome<O::Model> {
        apply::update::<O>(context, request).await
    }

    async fn delete(
        &self,
        context: &Context<ProviderData>,
        request: Delete<O::Model>,
    ) -> Outcome<O::Model> {
        apply::delete::<O>(context, request).await
    }
}

/// How an object is called in a message, as far as its model tells.
fn label(model: &impl Model) -> String {
    let value = model.to_value();
    let named = ["name", "username", "id", "team_id"];
    let mut texts = named.iter().filter_map(|name| value.attribute(name)?.as_str());
    texts.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}
