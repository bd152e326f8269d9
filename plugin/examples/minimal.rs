//! A whole provider with one resource: a greeting.
//!
//! `cargo build -p terdut-plugin --example minimal` builds it; Terraform runs it under the name
//! `terraform-provider-example`.

use std::process::ExitCode;

use terdut_plugin::prelude::*;

terdut_plugin::model! {
    struct GreetingModel { id: Attr<String>, name: Attr<String>, text: Attr<String> }
}

struct Greeting;

impl GreetingModel {
    fn greeted(mut self, private: Private) -> Outcome<Self> {
        let name = self.name.clone().unwrap_or_default();
        self.text.set(format!("Hello, {name}!"));
        self.id = self.id.if_unknown(name.into());
        Outcome::state(self, private)
    }
}

impl Resource for Greeting {
    type Model = GreetingModel;
    type Data = ();

    fn type_name(&self) -> &'static str {
        "example_greeting"
    }

    fn schema(&self) -> Schema {
        Schema::new("A greeting.")
            .attribute(Attribute::string("id").computed().keep().describe("The first name."))
            .attribute(Attribute::string("name").required().describe("Who is greeted."))
            .attribute(Attribute::string("text").computed().describe("The greeting."))
    }

    async fn create(&self, _: &Context<()>, it: Create<GreetingModel>) -> Outcome<GreetingModel> {
        it.planned.greeted(it.private)
    }

    async fn read(&self, _: &Context<()>, it: Read<GreetingModel>) -> Outcome<GreetingModel> {
        Outcome::state(it.state, it.private)
    }

    async fn update(&self, _: &Context<()>, it: Update<GreetingModel>) -> Outcome<GreetingModel> {
        it.planned.greeted(it.private)
    }

    async fn delete(&self, _: &Context<()>, _: Delete<GreetingModel>) -> Outcome<GreetingModel> {
        Outcome::gone()
    }
}

struct Example;

impl Provider for Example {
    type Config = ();
    type Data = ();

    fn source(&self) -> &'static str {
        "example/example"
    }

    fn schema(&self) -> Schema {
        Schema::new("Greets people.")
    }

    async fn configure(&self, (): (), _: &mut Diagnostics) -> Option<()> {
        Some(())
    }

    fn register(&self, registry: &mut Registry<()>) {
        registry.resource(ResourceEntry::new(Greeting));
    }
}

fn main() -> ExitCode {
    serve(Engine::new(Example), &ServeOptions::new("example", "example/example"))
}
