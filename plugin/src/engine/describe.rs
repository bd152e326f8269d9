//! All schemas of a provider as JSON, for people and tools without a host.

use serde_json::{Map, Value as Json, json};

use super::Engine;
use crate::provider::Provider;
use crate::schema::Schema;

impl<P: Provider> Engine<P> {
    /// The provider's entry in what `terraform providers schema -json` writes.
    pub fn describe(&self) -> Json {
        let resources = self.resources.iter().map(|(name, one)| (*name, one.schema()));
        let sources = self.data_sources.iter().map(|(name, one)| (*name, one.schema()));
        let ephemeral = self.ephemeral.iter().map(|(name, one)| (*name, one.schema()));
        let lists = self.lists.iter().map(|(name, one)| (*name, one.schema()));
        // An action has no state, and so no version.
        let actions = self.actions.iter().map(|(name, one)| {
            let block = one.schema().to_json()["block"].take();
            ((*name).to_owned(), json!({ "block": block }))
        });
        let functions = self.functions.iter();
        let functions =
            functions.map(|(name, one)| ((*name).to_owned(), one.signature().to_json()));
        let identities = self.resources.iter().filter_map(|(name, one)| {
            one.identity_schema().map(|schema| ((*name).to_owned(), schema.to_json()))
        });
        json!({
            "provider": self.schema.to_json(),
            "resource_schemas": named(resources),
            "data_source_schemas": named(sources),
            "ephemeral_resource_schemas": named(ephemeral),
            "list_resource_schemas": named(lists),
            "action_schemas": actions.collect::<Map<_, _>>(),
            "functions": functions.collect::<Map<_, _>>(),
            "resource_identity_schemas": identities.collect::<Map<_, _>>(),
        })
    }
}

fn named<'s>(schemas: impl Iterator<Item = (&'static str, &'s Schema)>) -> Json {
    let entry = |(name, schema): (&'static str, &Schema)| (name.to_owned(), schema.to_json());
    schemas.map(entry).collect::<Map<_, _>>().into()
}
