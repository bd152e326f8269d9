//! The engine against a provider made for it: one resource that does whatever a test needs.

mod asking;
mod calls;
mod moving;
mod proposals;
mod replacing;
mod settling;

use std::future::pending;

use terdut_proto::tfplugin6::{self as proto, provider_server::Provider as Service};
use tonic::Request;

use crate::codec;
use crate::prelude::*;

crate::model! {
    pub(super) struct Thing {
        pub(super) id: Attr<String>,
        pub(super) name: Attr<String>,
        pub(super) mode: Attr<String>,
        pub(super) secret_wo: Attr<Sensitive>,
    }
}

fn panic_now() -> ! {
    panic!("canary")
}

/// What it does is its `mode`: panic, hang until the stop, fail with a state, lose the identity.
pub(super) struct Things;

impl Things {
    async fn make(
        &self,
        context: &Context<String>,
        mut thing: Thing,
        private: Private,
    ) -> Outcome<Thing> {
        let mode = thing.mode.clone().unwrap_or_default();
        thing.id = thing.id.if_unknown("7".into());
        match mode.as_str() {
            "panic" => panic!("canary"),
            "hang" => {
                tokio::select! {
                    () = context.stop().cancelled() => {}
                    () = pending() => {}
                }
                let stopped = Diagnostic::error("Stopped", "The host asked for it.");
                Outcome::state(thing, private).tell([stopped])
            }
            "nothing" => Outcome::gone(),
            "half" => {
                thing.mode = Attr::Null;
                let failed = Diagnostic::error("Half", "The mode could not be set.");
                Outcome::state(thing, private).tell([failed])
            }
            _ => Outcome::state(thing, private),
        }
    }
}

impl Resource for Things {
    type Model = Thing;
    type Data = String;

    fn type_name(&self) -> &'static str {
        "test_thing"
    }

    fn schema(&self) -> Schema {
        Schema::new("A thing.")
            .attribute(Attribute::string("id").computed().keep())
            .attribute(Attribute::string("name").required().replace())
            .attribute(Attribute::string("mode").optional())
            .attribute(Attribute::string("secret_wo").optional().sensitive().write_only())
    }

    fn plan(&self, _: &Context<String>, plan: &mut Plan<Thing>) {
        plan.private.set("planned", &true);
        if plan.config.mode.known().is_some_and(|mode| mode == "panic in plan") {
            panic_now();
        }
    }

    async fn create(&self, context: &Context<String>, it: Create<Thing>) -> Outcome<Thing> {
        self.make(context, it.planned, it.private).await
    }

    async fn read(&self, _: &Context<String>, it: Read<Thing>) -> Outcome<Thing> {
        let mode = it.state.mode.clone().unwrap_or_default();
        match mode.as_str() {
            "gone" => Outcome::gone(),
            "error" => Outcome::failed(Diagnostic::error("No", "No."), Private::default()),
            "other" => Outcome::state(Thing { id: "8".into(), ..it.state }, it.private),
            _ => Outcome::state(it.state, it.private),
        }
    }

    async fn update(&self, context: &Context<String>, it: Update<Thing>) -> Outcome<Thing> {
        self.make(context, it.planned, it.private).await
    }

    async fn delete(&self, _: &Context<String>, it: Delete<Thing>) -> Outcome<Thing> {
        match it.prior.mode.known().map(String::as_str) {
            Some("stuck") => Outcome::failed(Diagnostic::error("Stuck", "Stuck."), it.private),
            _ => Outcome::gone(),
        }
    }
}

impl Import for Things {
    async fn import(&self, _: &Context<String>, by: ImportBy) -> Result<Thing, Diagnostics> {
        let id = match &by {
            ImportBy::Id(id) => id.clone(),
            ImportBy::Identity(_) => by.identity_text("id").unwrap_or_default().to_owned(),
        };
        Ok(Thing { id: id.into(), secret_wo: Attr::Known("canary".into()), ..Thing::default() })
    }
}

impl HasIdentity for Things {
    fn identity_schema(&self) -> IdentitySchema {
        IdentitySchema::new([
            IdentityAttribute::string("url", "The server.").optional().mutable(),
            IdentityAttribute::string("id", "The id."),
        ])
    }

    fn identity(&self, url: &String, state: &Thing) -> Option<Value> {
        if state.mode.known().is_some_and(|mode| mode == "panic afterwards") {
            panic_now();
        }
        let id = state.id.known()?.as_str();
        Some(Value::object([("url", url.as_str().into()), ("id", id.into())]))
    }
}

pub(super) struct Test;

impl Provider for Test {
    type Config = ();
    type Data = String;

    fn source(&self) -> &'static str {
        "example/test"
    }

    fn schema(&self) -> Schema {
        Schema::new("A test.")
    }

    async fn configure(&self, (): (), _: &mut Diagnostics) -> Option<String> {
        Some("https://one".to_owned())
    }

    fn register(&self, registry: &mut Registry<String>) {
        registry.resource(ResourceEntry::new(Things).importable().identified());
        registry.list_resource(asking::ListThings).action(asking::Knock);
    }
}

/// An engine that was configured.
pub(super) async fn engine() -> Engine<Test> {
    let engine = Engine::new(Test);
    let request = proto::configure_provider::Request::default();
    let answer = engine.configure_provider(Request::new(request)).await.unwrap().into_inner();
    assert_eq!(answer.diagnostics, []);
    engine
}

/// A thing's value; what is not named is null.
pub(super) fn thing(members: &[(&'static str, Value)]) -> Value {
    let mut thing = Value::empty_object(&Things.schema().ty());
    for (name, value) in members {
        *thing.attribute_mut(name).unwrap() = value.clone();
    }
    thing
}

/// Requests hold options.
#[expect(clippy::unnecessary_wraps, reason = "it reads better at a field of a request")]
pub(super) fn wire(value: &Value) -> Option<proto::DynamicValue> {
    Some(codec::encode(value, &Things.schema().ty()).unwrap())
}

pub(super) fn read_wire(value: Option<&proto::DynamicValue>) -> Value {
    codec::decode(value, &Things.schema().ty()).unwrap()
}

pub(super) fn summaries(diagnostics: &[proto::Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic.summary.as_str()).collect()
}
