//! `terdut_server`: a key of its own on a terdut server, from the bootstrap or minted with a key
//! that is handed in.
//!
//! It never uses the provider's own URL and token: its requests go to its `url` with its own keys.
//! What happens on the server is the credential machine's to decide (`terdut_core::credential`).

mod change;
mod model;
mod notes;
mod plan;
mod read;
mod record;
mod schema;
mod work;

#[cfg(test)]
mod tests;

use terdut_core::model::server;
use terdut_core::value::{InvalidServerUrl, ServerUrl};
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::resource::{
    Context, Create, Delete, HasIdentity, Import, ImportBy, Outcome, Plan, Private, Read, Resource,
    Update,
};
use terdut_plugin::schema::{IdentityAttribute, IdentitySchema, Schema};
use terdut_plugin::value::Value;

pub use model::{BootstrapModel, ServerModel};

use change::Changed;
use record::Record;
use work::Work;

use crate::context::ProviderData;
use crate::{report, timeouts};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct ServerResource;

impl Resource for ServerResource {
    type Model = ServerModel;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        "terdut_server"
    }

    fn schema(&self) -> Schema {
        schema::schema()
    }

    fn validate(&self, config: &ServerModel, diagnostics: &mut Diagnostics) {
        report::findings(&server::validate(&model::input(config)), diagnostics);
        timeouts::validate(&config.timeouts, diagnostics);
    }

    fn plan(&self, _context: &Context<ProviderData>, plan: &mut Plan<ServerModel>) {
        let record = record(&plan.private);
        let before = plan.prior.as_ref().map(|prior| (prior, &record));
        let decided = plan::plan(&plan.config, before, &mut plan.planned);
        report::findings(&decided.findings, &mut plan.diagnostics);
    }

    async fn create(
        &self,
        context: &Context<ProviderData>,
        request: Create<ServerModel>,
    ) -> Outcome<ServerModel> {
        let Create { config, planned, private } = request;
        let work = match Work::new(context, &planned.url, timeouts::create(&planned.timeouts)) {
            Ok(work) => work,
            Err(told) => return Outcome::failed(told, private),
        };
        work.hide(&config);
        outcome(change::create(&work, &config, planned).await, private)
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        request: Read<ServerModel>,
    ) -> Outcome<ServerModel> {
        let Read { mut state, mut private } = request;
        let mut told = Diagnostics::new();
        if private.is_empty() && is_stub(&state) {
            told.push(notes::imported());
        }
        if state.url.is_null() {
            state.url = state.id.clone();
        }
        let work = match Work::new(context, &state.url, timeouts::read()) {
            Ok(work) => work,
            // While a certificate or proxy is not known, everything stays as it is.
            Err(_) if context.data().is_unknown() => return Outcome::state(state, private),
            Err(problems) => return Outcome::failed(problems, private),
        };
        work.hide(&state);
        let mut record = record(&private);
        read::read(&work.caller, &mut state, &mut record, &mut told).await;
        private.set(record::KEY, &record);
        Outcome::state(state, private).tell(told)
    }

    async fn update(
        &self,
        context: &Context<ProviderData>,
        request: Update<ServerModel>,
    ) -> Outcome<ServerModel> {
        let Update { config, prior, planned, private } = request;
        let work = match Work::new(context, &planned.url, timeouts::update(&planned.timeouts)) {
            Ok(work) => work,
            Err(told) => return Outcome::failed(told, private),
        };
        work.hide(&config);
        work.hide(&prior);
        let record = record(&private);
        outcome(change::update(&work, &config, (&prior, &record), planned).await, private)
    }

    async fn delete(
        &self,
        context: &Context<ProviderData>,
        request: Delete<ServerModel>,
    ) -> Outcome<ServerModel> {
        let Delete { prior, private } = request;
        let work = match Work::new(context, &prior.url, timeouts::delete(&prior.timeouts)) {
            Ok(work) => work,
            Err(told) => return Outcome::failed(told, private),
        };
        work.hide(&prior);
        outcome(change::delete(&work, &prior, &record(&private)).await, private)
    }
}

/// Whether nothing is known but where the server is: it was imported just now.
fn is_stub(state: &ServerModel) -> bool {
    state.token.is_null() && state.service_account_id.is_null() && state.bootstrapped.is_null()
}

fn record(private: &Private) -> Record {
    private.get(record::KEY).unwrap_or_default()
}

fn outcome(changed: Changed, mut private: Private) -> Outcome<ServerModel> {
    private.set(record::KEY, &changed.record);
    Outcome { state: changed.state, private, diagnostics: changed.diagnostics }
}

impl Import for ServerResource {
    async fn import(
        &self,
        context: &Context<ProviderData>,
        by: ImportBy,
    ) -> Result<ServerModel, Diagnostics> {
        let text = match &by {
            ImportBy::Id(id) => id.as_str(),
            ImportBy::Identity(_) => by.identity_text("url").unwrap_or_default(),
        };
        let url: ServerUrl = text.parse().map_err(|error: InvalidServerUrl| {
            Diagnostic::error(
                "Invalid import id",
                format!("A terdut_server is imported by its URL. {text:?}: {error}."),
            )
        })?;
        // No request: it only finds out whether there could be one.
        Work::new(context, &text.into(), timeouts::read())?;
        Ok(ServerModel { id: url.to_string().into(), url: text.into(), ..ServerModel::default() })
    }
}

impl HasIdentity for ServerResource {
    fn identity_schema(&self) -> IdentitySchema {
        IdentitySchema::new([IdentityAttribute::string("url", "The server's URL.").mutable()])
    }

    fn identity(&self, _data: &ProviderData, state: &ServerModel) -> Option<Value> {
        let url = plan::id(&state.url);
        Some(Value::object([("url", Value::from(url.into_known()?))]))
    }
}
