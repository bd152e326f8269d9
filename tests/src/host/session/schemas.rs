//! What a provider declares, asked for and checked once at the start.

use std::collections::{BTreeMap, BTreeSet};

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::provider_client::ProviderClient;
use tonic::Code;
use tonic::transport::Channel;

use super::{Profile, answered};
use crate::host::rules::asking::check_settings;
use crate::host::rules::identity::IdentitySchema;
use crate::host::rules::{Rule, Violations};
use crate::host::schema::Schema;
use crate::host::types::Type;
use crate::host::value::Path;

/// Every declaration of a provider.
#[derive(Debug, Default)]
pub struct Schemas {
    /// The provider block.
    pub provider: Schema,
    /// Managed resources by type name.
    pub resources: BTreeMap<String, Schema>,
    /// Data sources by type name.
    pub data_sources: BTreeMap<String, Schema>,
    /// Identities by type name; empty where the host does not ask.
    pub identities: BTreeMap<String, IdentitySchema>,
    /// Settings of lists by type name.
    pub lists: BTreeMap<String, Schema>,
    /// Actions by type name.
    pub actions: BTreeMap<String, Schema>,
    /// Ephemeral resources by type name.
    pub ephemeral: BTreeMap<String, Schema>,
    /// What the provider can do.
    pub capabilities: proto::ServerCapabilities,
    functions: BTreeMap<String, (Vec<Type>, Type)>,
}

impl Schemas {
    /// Asks and checks.
    pub(super) async fn ask(client: &mut ProviderClient<Channel>, profile: &Profile) -> Self {
        let mut violations = Violations::default();
        let request = proto::get_provider_schema::Request {};
        let answer = answered("GetProviderSchema", client.get_provider_schema(request).await);
        assert!(answer.diagnostics.is_empty(), "GetProviderSchema says {:?}", answer.diagnostics);
        if profile.metadata {
            let request = proto::get_metadata::Request {};
            let metadata = answered("GetMetadata", client.get_metadata(request).await);
            check_metadata(&metadata, &answer, &mut violations);
        }
        let mut schemas = Self::read(&answer, &mut violations);
        if profile.identity {
            schemas.ask_identities(client, &mut violations).await;
            schemas.check_lists(&mut violations);
        }
        violations.expect_none("the schemas");
        schemas
    }

    fn read(answer: &proto::get_provider_schema::Response, violations: &mut Violations) -> Self {
        let empty = proto::Schema { version: 0, block: Some(proto::schema::Block::default()) };
        let provider = answer.provider.as_ref().unwrap_or(&empty);
        let actions = answer.action_schemas.iter();
        let actions =
            actions.map(|(name, one)| (name.clone(), one.schema.clone().unwrap_or_default()));
        let actions: BTreeMap<_, _> = actions.collect();
        Self {
            provider: Schema::read("provider", provider, violations),
            resources: read_all(&answer.resource_schemas, violations),
            data_sources: read_all(&answer.data_source_schemas, violations),
            identities: BTreeMap::new(),
            lists: read_all(&answer.list_resource_schemas, violations),
            actions: read_all(&actions, violations),
            ephemeral: read_all(&answer.ephemeral_resource_schemas, violations),
            capabilities: answer.server_capabilities.unwrap_or_default(),
            functions: read_functions(&answer.functions, violations),
        }
    }

    async fn ask_identities(
        &mut self,
        client: &mut ProviderClient<Channel>,
        violations: &mut Violations,
    ) {
        let request = proto::get_resource_identity_schemas::Request {};
        let answer = client.get_resource_identity_schemas(request).await;
        if answer.as_ref().is_err_and(|status| status.code() == Code::Unimplemented) {
            return;
        }
        let answer = answered("GetResourceIdentitySchemas", answer);
        for (name, raw) in &answer.identity_schemas {
            let schema = IdentitySchema::read(name, raw, violations);
            self.identities.insert(name.clone(), schema);
        }
    }

    /// A list is of a managed kind that has an identity.
    fn check_lists(&self, violations: &mut Violations) {
        for name in self.lists.keys() {
            if !self.resources.contains_key(name) || !self.identities.contains_key(name) {
                let path = Path::root().attribute(name);
                violations.add(Rule::AskingSchema, &path, "is of no managed kind with an identity");
            }
        }
        for (name, schema) in self.lists.iter().chain(&self.actions) {
            check_settings(name, schema, violations);
        }
    }

    /// The settings of a list.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn list(&self, type_name: &str) -> &Schema {
        self.lists.get(type_name).unwrap_or_else(|| panic!("no list {type_name:?}"))
    }

    /// The schema of an action.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn action(&self, name: &str) -> &Schema {
        self.actions.get(name).unwrap_or_else(|| panic!("no action {name:?}"))
    }

    /// The schema of an ephemeral resource.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn ephemeral(&self, type_name: &str) -> &Schema {
        let found = self.ephemeral.get(type_name);
        found.unwrap_or_else(|| panic!("no ephemeral resource {type_name:?}"))
    }

    /// The schema of a managed resource.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn resource(&self, type_name: &str) -> &Schema {
        let known: Vec<_> = self.resources.keys().collect();
        self.resources
            .get(type_name)
            .unwrap_or_else(|| panic!("no resource {type_name:?} among {known:?}"))
    }

    /// The schema of a data source.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn data_source(&self, type_name: &str) -> &Schema {
        let known: Vec<_> = self.data_sources.keys().collect();
        self.data_sources
            .get(type_name)
            .unwrap_or_else(|| panic!("no data source {type_name:?} among {known:?}"))
    }

    /// Parameter types and result type of a function.
    ///
    /// # Panics
    /// If the provider has none of that name.
    #[track_caller]
    pub fn function(&self, name: &str) -> (&[Type], &Type) {
        let (parameters, result) =
            self.functions.get(name).unwrap_or_else(|| panic!("no function {name:?}"));
        (parameters, result)
    }
}

fn read_all(
    schemas: &BTreeMap<String, proto::Schema>,
    violations: &mut Violations,
) -> BTreeMap<String, Schema> {
    let read = |(name, raw): (&String, _)| (name.clone(), Schema::read(name, raw, violations));
    schemas.iter().map(read).collect()
}

fn read_functions(
    functions: &BTreeMap<String, proto::Function>,
    violations: &mut Violations,
) -> BTreeMap<String, (Vec<Type>, Type)> {
    let mut ty = |bytes: &[u8]| {
        Type::from_json_bytes(bytes).unwrap_or_else(|error| {
            violations.add_root(Rule::SchemaType, &error);
            Type::String
        })
    };
    let mut read = |function: &proto::Function| {
        let parameters = function.parameters.iter().map(|parameter| ty(&parameter.r#type));
        let parameters = parameters.collect();
        let result = function.r#return.as_ref().map(|result| ty(&result.r#type));
        (parameters, result.unwrap_or(Type::String))
    };
    functions.iter().map(|(name, function)| (name.clone(), read(function))).collect()
}

fn check_metadata(
    metadata: &proto::get_metadata::Response,
    schema: &proto::get_provider_schema::Response,
    violations: &mut Violations,
) {
    let resources: BTreeSet<_> = metadata.resources.iter().map(|it| &it.type_name).collect();
    let data: BTreeSet<_> = metadata.data_sources.iter().map(|it| &it.type_name).collect();
    let functions: BTreeSet<_> = metadata.functions.iter().map(|it| &it.name).collect();
    let lists: BTreeSet<_> = metadata.list_resources.iter().map(|it| &it.type_name).collect();
    let actions: BTreeSet<_> = metadata.actions.iter().map(|it| &it.type_name).collect();
    let ephemeral: BTreeSet<_> =
        metadata.ephemeral_resources.iter().map(|it| &it.type_name).collect();
    let same = resources == schema.resource_schemas.keys().collect()
        && data == schema.data_source_schemas.keys().collect()
        && functions == schema.functions.keys().collect()
        && lists == schema.list_resource_schemas.keys().collect()
        && actions == schema.action_schemas.keys().collect()
        && ephemeral == schema.ephemeral_resource_schemas.keys().collect();
    if !same {
        violations.add_root(Rule::SchemaMetadata, "differs");
    }
    if metadata.server_capabilities != schema.server_capabilities {
        violations.add_root(Rule::SchemaMetadata, "names other capabilities");
    }
}
