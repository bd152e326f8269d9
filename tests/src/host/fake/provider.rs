//! A provider of one resource in this process, good by itself, with a hook for each answer.
//!
//! The tests of the host spoil one answer and want the rule named.

use std::collections::BTreeMap;
use std::sync::Mutex;

use hyper_util::rt::TokioIo;
use serde_json::json;
use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::provider_server::{Provider, ProviderServer};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

use crate::host::json::config_from_json;
use crate::host::session::{Profile, Session, dynamic, undynamic};
use crate::host::types::Type;
use crate::host::value::Value;
use crate::host::world::World;

/// The one resource type.
pub(in crate::host) const THING: &str = "fake_thing";

type Hook<T> = fn(&mut T, usize);

/// What is done to answers before they leave; the number counts the calls of that RPC.
#[derive(Clone)]
pub(in crate::host) struct Hooks {
    pub(in crate::host) schema: Hook<proto::get_provider_schema::Response>,
    pub(in crate::host) upgrade: Hook<proto::upgrade_resource_state::Response>,
    pub(in crate::host) validate: Hook<proto::validate_resource_config::Response>,
    pub(in crate::host) read: Hook<proto::read_resource::Response>,
    pub(in crate::host) plan: Hook<proto::plan_resource_change::Response>,
    pub(in crate::host) apply: Hook<proto::apply_resource_change::Response>,
    pub(in crate::host) import: Hook<proto::import_resource_state::Response>,
    pub(in crate::host) identities: Hook<proto::get_resource_identity_schemas::Response>,
    pub(in crate::host) data: Hook<proto::read_data_source::Response>,
}

/// Leaves every answer as it is.
pub(in crate::host) fn good() -> Hooks {
    Hooks {
        schema: |_, _| {},
        upgrade: |_, _| {},
        validate: |_, _| {},
        read: |_, _| {},
        plan: |_, _| {},
        apply: |_, _| {},
        import: |_, _| {},
        identities: |_, _| {},
        data: |_, _| {},
    }
}

/// A world over the fake.
pub(in crate::host) async fn world(hooks: Hooks) -> World {
    World::over(Session::open(serve(hooks).await, Profile::modern()).await)
}

/// Serves the fake in this process.
pub(in crate::host) async fn serve(hooks: Hooks) -> Channel {
    let (client, server) = tokio::io::duplex(1 << 16);
    let fake = ProviderServer::new(Fake { hooks, calls: Mutex::default() });
    let incoming = tokio_stream::once(Ok::<_, std::io::Error>(server));
    tokio::spawn(Server::builder().add_service(fake).serve_with_incoming(incoming));
    let mut client = Some(client);
    let connector = tower::service_fn(move |_| {
        let client = client.take().ok_or_else(|| std::io::Error::other("one connection only"));
        async move { client.map(TokioIo::new) }
    });
    Endpoint::from_static("http://fake").connect_with_connector(connector).await.unwrap()
}

/// The type of a thing.
pub(in crate::host) fn thing() -> Type {
    Type::from_json(&json!(["object", {
        "id": "string", "name": "string", "size": "number", "secret": "string", "token": "string"
    }]))
    .unwrap()
}

fn identity_type() -> Type {
    Type::from_json(&json!(["object", { "id": "string" }])).unwrap()
}

/// Changes the value in an answer.
pub(in crate::host) fn edit(
    raw: &mut Option<proto::DynamicValue>,
    change: impl FnOnce(&mut BTreeMap<String, Value>),
) {
    let Value::Keyed(mut entries) = undynamic("fake", raw.as_ref(), &thing()) else {
        return;
    };
    change(&mut entries);
    *raw = Some(dynamic(&Value::Keyed(entries), &thing()));
}

struct Fake {
    hooks: Hooks,
    calls: Mutex<BTreeMap<&'static str, usize>>,
}

impl Fake {
    #[expect(clippy::unnecessary_wraps, reason = "it is what each method returns")]
    fn hooked<T>(&self, hook: Hook<T>, mut response: T) -> Result<Response<T>, Status> {
        let mut calls = self.calls.lock().unwrap();
        let count = calls.entry(std::any::type_name::<T>()).or_default();
        hook(&mut response, *count);
        *count += 1;
        Ok(Response::new(response))
    }
}

fn attribute(name: &str, ty: &str, mode: &str) -> proto::schema::Attribute {
    proto::schema::Attribute {
        name: name.into(),
        r#type: ty.as_bytes().to_vec().into(),
        required: mode == "required",
        optional: mode == "optional" || mode == "write_only",
        computed: mode == "computed" || mode == "secret",
        write_only: mode == "write_only",
        sensitive: mode == "secret",
        ..Default::default()
    }
}

fn schema(attributes: Vec<proto::schema::Attribute>) -> proto::Schema {
    let block = proto::schema::Block { attributes, ..Default::default() };
    proto::Schema { version: 1, block: Some(block) }
}

fn thing_schema() -> proto::Schema {
    schema(vec![
        attribute("id", "\"string\"", "computed"),
        attribute("name", "\"string\"", "required"),
        attribute("size", "\"number\"", "optional"),
        attribute("secret", "\"string\"", "write_only"),
        attribute("token", "\"string\"", "secret"),
    ])
}

#[expect(clippy::unnecessary_wraps, reason = "it is what messages hold")]
fn identity(id: Value) -> Option<proto::ResourceIdentityData> {
    let value = Value::Keyed([("id".to_owned(), id)].into());
    Some(proto::ResourceIdentityData { identity_data: Some(dynamic(&value, &identity_type())) })
}

fn private(given: &bytes::Bytes) -> bytes::Bytes {
    if given.is_empty() { bytes::Bytes::from_static(b"private") } else { given.clone() }
}

const CAPABILITIES: proto::ServerCapabilities = proto::ServerCapabilities {
    plan_destroy: true,
    get_provider_schema_optional: false,
    move_resource_state: false,
    generate_resource_config: false,
};

#[tonic::async_trait]
impl Provider for Fake {
    async fn get_metadata(
        &self,
        _: Request<proto::get_metadata::Request>,
    ) -> Result<Response<proto::get_metadata::Response>, Status> {
        Ok(Response::new(proto::get_metadata::Response {
            server_capabilities: Some(CAPABILITIES),
            resources: vec![proto::get_metadata::ResourceMetadata { type_name: THING.into() }],
            data_sources: vec![proto::get_metadata::DataSourceMetadata { type_name: THING.into() }],
            ..Default::default()
        }))
    }

    async fn get_provider_schema(
        &self,
        _: Request<proto::get_provider_schema::Request>,
    ) -> Result<Response<proto::get_provider_schema::Response>, Status> {
        let response = proto::get_provider_schema::Response {
            provider: Some(schema(Vec::new())),
            resource_schemas: [(THING.to_owned(), thing_schema())].into(),
            data_source_schemas: [(THING.to_owned(), thing_schema())].into(),
            server_capabilities: Some(CAPABILITIES),
            ..Default::default()
        };
        self.hooked(self.hooks.schema, response)
    }

    async fn get_resource_identity_schemas(
        &self,
        _: Request<proto::get_resource_identity_schemas::Request>,
    ) -> Result<Response<proto::get_resource_identity_schemas::Response>, Status> {
        let id = proto::resource_identity_schema::IdentityAttribute {
            name: "id".into(),
            r#type: b"\"string\"".to_vec().into(),
            required_for_import: true,
            ..Default::default()
        };
        let schema = proto::ResourceIdentitySchema { version: 1, identity_attributes: vec![id] };
        let response = proto::get_resource_identity_schemas::Response {
            identity_schemas: [(THING.to_owned(), schema)].into(),
            diagnostics: Vec::new(),
        };
        self.hooked(self.hooks.identities, response)
    }

    async fn validate_resource_config(
        &self,
        _: Request<proto::validate_resource_config::Request>,
    ) -> Result<Response<proto::validate_resource_config::Response>, Status> {
        self.hooked(self.hooks.validate, proto::validate_resource_config::Response::default())
    }

    async fn validate_data_resource_config(
        &self,
        _: Request<proto::validate_data_resource_config::Request>,
    ) -> Result<Response<proto::validate_data_resource_config::Response>, Status> {
        Ok(Response::new(proto::validate_data_resource_config::Response::default()))
    }

    async fn upgrade_resource_state(
        &self,
        request: Request<proto::upgrade_resource_state::Request>,
    ) -> Result<Response<proto::upgrade_resource_state::Response>, Status> {
        let raw = request.into_inner().raw_state.unwrap_or_default();
        let json = serde_json::from_slice(&raw.json).unwrap();
        let value = config_from_json(&json, &thing()).unwrap();
        let response = proto::upgrade_resource_state::Response {
            upgraded_state: Some(dynamic(&value, &thing())),
            diagnostics: Vec::new(),
        };
        self.hooked(self.hooks.upgrade, response)
    }

    async fn upgrade_resource_identity(
        &self,
        request: Request<proto::upgrade_resource_identity::Request>,
    ) -> Result<Response<proto::upgrade_resource_identity::Response>, Status> {
        let raw = request.into_inner().raw_identity.unwrap_or_default();
        let json: serde_json::Value = serde_json::from_slice(&raw.json).unwrap();
        let id = Value::String(json["id"].as_str().unwrap().to_owned());
        Ok(Response::new(proto::upgrade_resource_identity::Response {
            upgraded_identity: identity(id),
            diagnostics: Vec::new(),
        }))
    }

    async fn read_resource(
        &self,
        request: Request<proto::read_resource::Request>,
    ) -> Result<Response<proto::read_resource::Response>, Status> {
        let request = request.into_inner();
        let response = proto::read_resource::Response {
            new_state: request.current_state,
            private: request.private,
            new_identity: request.current_identity.or_else(|| identity(Value::String("7".into()))),
            ..Default::default()
        };
        self.hooked(self.hooks.read, response)
    }

    async fn plan_resource_change(
        &self,
        request: Request<proto::plan_resource_change::Request>,
    ) -> Result<Response<proto::plan_resource_change::Response>, Status> {
        let request = request.into_inner();
        let new = undynamic("fake", request.prior_state.as_ref(), &thing()).is_null();
        let mut planned_state = request.proposed_new_state;
        edit(&mut planned_state, |planned| {
            planned.insert("secret".to_owned(), Value::Null);
            if new {
                planned.insert("id".to_owned(), Value::unknown());
                planned.insert("token".to_owned(), Value::unknown());
            }
        });
        let step = proto::attribute_path::step::Selector::AttributeName("name".into());
        let step = proto::attribute_path::Step { selector: Some(step) };
        let response = proto::plan_resource_change::Response {
            planned_state,
            requires_replace: vec![proto::AttributePath { steps: vec![step] }],
            planned_private: private(&request.prior_private),
            planned_identity: request
                .prior_identity
                .filter(|_| !new)
                .or_else(|| identity(Value::unknown())),
            ..Default::default()
        };
        self.hooked(self.hooks.plan, response)
    }

    async fn apply_resource_change(
        &self,
        request: Request<proto::apply_resource_change::Request>,
    ) -> Result<Response<proto::apply_resource_change::Response>, Status> {
        let request = request.into_inner();
        let mut new_state = request.planned_state;
        edit(&mut new_state, |state| {
            for (name, value) in [("id", "7"), ("token", "t0ken-of-the-thing")] {
                if !state[name].is_known() {
                    state.insert(name.to_owned(), Value::String(value.into()));
                }
            }
        });
        let response = proto::apply_resource_change::Response {
            new_state,
            private: private(&request.planned_private),
            new_identity: identity(Value::String("7".into())),
            ..Default::default()
        };
        self.hooked(self.hooks.apply, response)
    }

    async fn import_resource_state(
        &self,
        request: Request<proto::import_resource_state::Request>,
    ) -> Result<Response<proto::import_resource_state::Response>, Status> {
        let json = json!({ "id": "7", "name": request.into_inner().id });
        let value = config_from_json(&json, &thing()).unwrap();
        let imported = proto::import_resource_state::ImportedResource {
            type_name: THING.into(),
            state: Some(dynamic(&value, &thing())),
            private: b"private".to_vec().into(),
            identity: identity(Value::String("7".into())),
        };
        let response = proto::import_resource_state::Response {
            imported_resources: vec![imported],
            ..Default::default()
        };
        self.hooked(self.hooks.import, response)
    }

    async fn move_resource_state(
        &self,
        _: Request<proto::move_resource_state::Request>,
    ) -> Result<Response<proto::move_resource_state::Response>, Status> {
        Ok(Response::new(proto::move_resource_state::Response::default()))
    }

    async fn read_data_source(
        &self,
        request: Request<proto::read_data_source::Request>,
    ) -> Result<Response<proto::read_data_source::Response>, Status> {
        let mut state = request.into_inner().config;
        edit(&mut state, |state| {
            state.insert("id".to_owned(), Value::String("7".into()));
        });
        let response = proto::read_data_source::Response { state, ..Default::default() };
        self.hooked(self.hooks.data, response)
    }
}
