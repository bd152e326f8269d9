//! The library's own example: a provider of a few lines in every host.

use serde_json::json;
use terdut_tests::harness::{Binary, Program, Workspace};
use terdut_tests::host::{Action, Host, Profile, Uninvited, World};

const GREETING: &str = "example_greeting";

const CONFIGURATION: &str = r#"
terraform {
  required_providers {
    example = { source = "ryuvia/example" }
  }
}

variable "name" {
  type = string
}

resource "example_greeting" "first" {
  name = var.name
}

resource "example_greeting" "second" {
  name = example_greeting.first.text
}

output "text" {
  value = example_greeting.second.text
}
"#;

fn example() -> Binary {
    Binary::plugin_example("minimal")
}

async fn world(profile: Profile) -> World {
    let world = World::new(Host::start(&example(), profile).await);
    world.configure(&json!({})).await.expect("no setting is required");
    world
}

#[tokio::test]
async fn every_host_leads_a_greeting_through_its_life() {
    for profile in Profile::all() {
        let mut world = world(profile).await;
        let config = json!({ "name": "Ada" });
        let created = world.apply("a", GREETING, &config).await.unwrap();
        created.plan.expect(Action::Create);
        assert_eq!(created.state["text"], json!("Hello, Ada!"));
        world.plan("a", GREETING, &config).await.unwrap().expect_empty();
        let renamed = json!({ "name": "Bob" });
        let updated = world.apply("a", GREETING, &renamed).await.unwrap();
        updated.plan.expect(Action::Update);
        assert_eq!(updated.state["id"], json!("Ada"), "the id is kept");
        world.plan("a", GREETING, &renamed).await.unwrap().expect_empty();
        world.destroy("a").await.unwrap();
        world.close().await;
    }
}

#[tokio::test]
async fn an_unknown_name_is_filled_in_while_applying() {
    let mut world = world(Profile::modern()).await;
    let unknown = json!({ "name": { "$unknown": { "not_null": true, "prefix": "A" } } });
    let known = json!({ "name": "Ada" });
    let applied = world.apply_resolved("a", GREETING, &unknown, &known).await.unwrap();
    assert_eq!(applied.state["text"], json!("Hello, Ada!"));
    world.close().await;
}

#[tokio::test]
async fn a_partial_state_is_filled_up() {
    let mut world = world(Profile::bare()).await;
    world.put_state("a", GREETING, 0, json!({ "id": "Ada", "name": "Ada" }));
    world.apply("a", GREETING, &json!({ "name": "Bob" })).await.unwrap();
    assert_eq!(world.state("a").unwrap()["text"], json!("Hello, Bob!"));
    world.close().await;
}

#[tokio::test]
async fn nobody_uninvited_is_served() {
    let host = Host::start(&example(), Profile::modern()).await;
    for how in [Uninvited::NoCertificate, Uninvited::OtherCertificate, Uninvited::Plain] {
        host.intrude(how).await.expect_err("an intruder is refused");
    }
    host.session().configure(&json!({})).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn one_process_serves_many_clients_and_configures_again() {
    let host = Host::start(&example(), Profile::bare()).await;
    let session = host.session().clone();
    let calls = (0..20).map(|_| {
        let session = session.clone();
        tokio::spawn(async move {
            session.configure(&json!({})).await.unwrap();
            session.validate(GREETING, &json!({ "name": "Ada" })).await.unwrap();
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    session.stop().await;
    host.shutdown().await;
}

#[tokio::test]
async fn run_by_hand_it_explains_itself() {
    let output = example().command().output().unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(said.contains("plugin") && said.contains("terraform"), "{said}");
}

#[tokio::test]
async fn trace_logs_keep_the_hosts_form() {
    let binary = example().with_env("TF_LOG", "TRACE");
    let mut world = World::new(Host::start(&binary, Profile::modern()).await);
    world.configure(&json!({})).await.unwrap();
    world.apply("a", GREETING, &json!({ "name": "Ada" })).await.unwrap();
    world.close().await;
}

#[tokio::test]
async fn every_program_applies_the_example() {
    for program in Program::all() {
        let workspace = Workspace::new(&program, &example(), "example");
        workspace.write("main.tf", CONFIGURATION);
        workspace.write("terraform.tfvars", "name = \"Ada\"\n");
        workspace.init().await;
        workspace.validate().await.expect_ok();
        let plan = workspace.plan().await;
        assert_eq!(plan.action("example_greeting.first"), "create", "{}", plan.text);
        workspace.apply_plan().await.expect_ok();
        workspace.plan().await.expect_empty();
        workspace.write("terraform.tfvars", "name = \"Bob\"\n");
        workspace.apply().await;
        let state = workspace.state().await;
        assert_eq!(state.outputs["text"], "Hello, Hello, Bob!!", "{}", program.label());
        assert_eq!(state.value("example_greeting.first", "id"), "Ada");
        workspace.plan().await.expect_empty();
        workspace.destroy().await;
        assert!(workspace.state().await.resources.is_empty());
    }
}
