//! `GetMetadata`, `GetProviderSchema`, `GetResourceIdentitySchemas`.

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::get_metadata as meta;

use super::Engine;
use crate::provider::Provider;

impl<P: Provider> Engine<P> {
    pub(super) fn metadata(&self) -> meta::Response {
        let resource = |name: &&str| meta::ResourceMetadata { type_name: (*name).to_owned() };
        let source = |name: &&str| meta::DataSourceMetadata { type_name: (*name).to_owned() };
        let ephemeral =
            |name: &&str| meta::EphemeralResourceMetadata { type_name: (*name).to_owned() };
        let list = |name: &&str| meta::ListResourceMetadata { type_name: (*name).to_owned() };
        let action = |name: &&str| meta::ActionMetadata { type_name: (*name).to_owned() };
        let function = |name: &&str| meta::FunctionMetadata { name: (*name).to_owned() };
        meta::Response {
            server_capabilities: Some(capabilities()),
            resources: self.resources.keys().map(resource).collect(),
            data_sources: self.data_sources.keys().map(source).collect(),
            functions: self.functions.keys().map(function).collect(),
            ephemeral_resources: self.ephemeral.keys().map(ephemeral).collect(),
            list_resources: self.lists.keys().map(list).collect(),
            actions: self.actions.keys().map(action).collect(),
            ..meta::Response::default()
        }
    }

    pub(super) fn provider_schema(&self) -> proto::get_provider_schema::Response {
        self.schemas.clone()
    }

    pub(super) fn identity_schemas(&self) -> proto::get_resource_identity_schemas::Response {
        let schemas = self.resources.iter().filter_map(|(name, resource)| {
            Some(((*name).to_owned(), resource.identity_schema()?.to_proto()))
        });
        proto::get_resource_identity_schemas::Response {
            identity_schemas: schemas.collect(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn all_schemas(&self) -> proto::get_provider_schema::Response {
        let resources = self.resources.iter();
        let sources = self.data_sources.iter();
        let ephemeral = self.ephemeral.iter();
        proto::get_provider_schema::Response {
            provider: Some(self.schema.to_proto()),
            resource_schemas: resources
                .map(|(name, resource)| ((*name).to_owned(), resource.schema().to_proto()))
                .collect(),
            data_source_schemas: sources
                .map(|(name, source)| ((*name).to_owned(), source.schema().to_proto()))
                .collect(),
            ephemeral_resource_schemas: ephemeral
                .map(|(name, resource)| ((*name).to_owned(), resource.schema().to_proto()))
                .collect(),
            list_resource_schemas: self
                .lists
                .iter()
                .map(|(name, list)| ((*name).to_owned(), list.schema().to_proto()))
                .collect(),
            action_schemas: self
                .actions
                .iter()
                .map(|(name, action)| {
                    let schema = Some(action.schema().to_proto());
                    ((*name).to_owned(), proto::ActionSchema { schema })
                })
                .collect(),
            functions: self.function_signatures(),
            server_capabilities: Some(capabilities()),
            ..proto::get_provider_schema::Response::default()
        }
    }
}

fn capabilities() -> proto::ServerCapabilities {
    proto::ServerCapabilities {
        plan_destroy: true,
        get_provider_schema_optional: true,
        move_resource_state: true,
        generate_resource_config: false,
    }
}
