//! Corner cases: every kind of attribute, equality by meaning, emptiness, and objects that fail.

use serde_json::{Value as Json, json};
use terdut_tests::harness::{Binary, Program, Workspace};
use terdut_tests::host::{Action, Failure, Host, ImportBy, Profile, World};

const THING: &str = "corner_thing";
const AT: &str = "corner_thing.a";

async fn world(profile: Profile) -> World {
    let binary = Binary::test_provider("corner").with_env("TF_LOG", "TRACE");
    let world = World::new(Host::start(&binary, profile).await);
    world.configure(&json!({})).await.expect("no setting is required");
    world
}

/// Everything that can be set together.
fn full() -> Json {
    json!({
        "name": "a", "word": "Word", "size": 7, "note": "n", "tags": { "k": "v" },
        "bag": ["x", "y"], "groups": { "owner": "o" },
        "steps": [{ "word": "One" }, { "word": "Two", "kind": "odd" }],
        "shelf": { "left": { "word": "Three" } },
        "any": { "type": ["tuple", ["string", "number"]], "value": ["x", 1] },
        "secret_version": 1
    })
}

fn with(attribute: &str, value: Json) -> Json {
    let mut config = full();
    config[attribute] = value;
    config
}

async fn settle(world: &mut World, config: &Json) -> Json {
    let applied = world.apply(AT, THING, config).await;
    let applied = applied.unwrap_or_else(|failure| panic!("{config}: {failure}"));
    world.plan(AT, THING, config).await.expect("a plan").expect_empty();
    applied.state
}

#[tokio::test]
async fn everything_at_once_settles_on_every_host() {
    for profile in Profile::all() {
        let mut world = world(profile).await;
        let state = settle(&mut world, &full()).await;
        assert_eq!(state["word"], json!("Word"), "the user's spelling");
        assert_eq!(state["steps"][0], json!({ "word": "One", "mark": "<One>", "kind": "plain" }));
        world.refresh(AT).await.expect("a read").expect("it is there");
        world.destroy(AT).await.expect("a destroy");
        world.close().await;
    }
}

#[tokio::test]
async fn another_spelling_is_no_change_and_another_word_is() {
    let mut world = world(Profile::modern()).await;
    settle(&mut world, &full()).await;
    for same in [
        with("word", json!("WORD")),
        with(
            "steps",
            json!([
                { "word": "ONE" }, { "word": "two", "kind": "odd" }
            ]),
        ),
    ] {
        world.plan(AT, THING, &same).await.unwrap().expect_empty();
    }
    let plan = world.plan(AT, THING, &with("word", json!("other"))).await.unwrap();
    plan.expect(Action::Update);
    assert_eq!(plan.changed(), ["word"]);
    world.close().await;
}

#[tokio::test]
async fn every_way_to_set_nothing_keeps_its_form() {
    let nothings: [(&str, Vec<Json>); 3] = [
        ("note", vec![json!(null), json!("")]),
        ("tags", vec![json!(null), json!({})]),
        ("groups", vec![json!(null), json!({}), json!({ "member": "", "owner": "" })]),
    ];
    let mut world = world(Profile::modern()).await;
    for (attribute, values) in &nothings {
        for first in values {
            for second in values {
                let state = settle(&mut world, &with(attribute, first.clone())).await;
                assert_eq!(state[attribute].is_null(), first.is_null(), "{attribute} {first}");
                settle(&mut world, &with(attribute, second.clone())).await;
            }
        }
    }
    world.close().await;
}

#[tokio::test]
async fn an_unknown_anywhere_is_filled_in() {
    let mut world = world(Profile::modern()).await;
    let places = [
        "/name",
        "/word",
        "/size",
        "/note",
        "/tags",
        "/tags/k",
        "/bag",
        "/bag/0",
        "/groups",
        "/groups/owner",
        "/steps",
        "/steps/0",
        "/steps/0/word",
        "/steps/1/kind",
        "/shelf",
        "/shelf/left",
        "/shelf/left/word",
        "/any",
        "/secret_version",
    ];
    for place in places {
        let mut config = full();
        *config.pointer_mut(place).expect("a place") = json!({ "$unknown": true });
        for _ in 0..2 {
            let applied = world.apply_resolved(AT, THING, &config, &full()).await;
            applied.unwrap_or_else(|failure| panic!("{place}: {failure}"));
        }
        settle(&mut world, &full()).await;
        world.destroy(AT).await.expect("a destroy");
    }
    world.close().await;
}

#[tokio::test]
async fn nested_objects_may_come_go_and_change_places() {
    let mut world = world(Profile::modern()).await;
    for steps in [
        json!([{ "word": "One" }]),
        json!([{ "word": "Zero" }, { "word": "One" }]),
        json!([{ "word": "One" }, { "word": "Zero" }, { "word": "Two", "kind": "odd" }]),
        json!([]),
        json!(null),
    ] {
        settle(&mut world, &with("steps", steps)).await;
    }
    for shelf in [json!({ "right": { "word": "x" } }), json!({}), json!(null)] {
        settle(&mut world, &with("shelf", shelf)).await;
    }
    world.close().await;
}

#[tokio::test]
async fn a_default_comes_back_when_nothing_is_set() {
    let mut world = world(Profile::modern()).await;
    settle(&mut world, &full()).await;
    let state = settle(&mut world, &with("size", json!(null))).await;
    assert_eq!(state["size"], json!(5));
    world.close().await;
}

#[tokio::test]
async fn a_write_only_value_reaches_the_resource_and_nothing_else() {
    let mut world = world(Profile::modern()).await;
    let mut config = with("secret", json!("hunter2-hunter2"));
    let state = settle(&mut world, &config).await;
    assert_eq!((&state["secret"], &state["secret_length"]), (&json!(null), &json!(15)));
    config["secret"] = json!("another-secret");
    world.plan(AT, THING, &config).await.unwrap().expect_empty();
    config["secret_version"] = json!(2);
    let state = settle(&mut world, &config).await;
    assert_eq!(state["secret_length"], json!(14));
    world.close().await;
}

#[tokio::test]
async fn a_write_only_value_is_refused_where_it_would_be_stored() {
    for profile in [Profile::terraform_1_5(), Profile::bare()] {
        let world = world(profile).await;
        let config = with("secret", json!("hunter2-hunter2"));
        let failure = world.session().validate(THING, &config).await.unwrap_err();
        assert_eq!(failure.paths(), ["secret"], "{failure}");
        world.close().await;
    }
}

async fn failing(mood: &str) -> (World, Failure) {
    let mut world = world(Profile::modern()).await;
    let failure = world.apply(AT, THING, &with("mood", json!(mood))).await.expect_err("it fails");
    (world, failure)
}

#[tokio::test]
async fn a_panic_is_an_error_and_the_process_lives_on() {
    let mut world =
        World::new(Host::start(&Binary::test_provider("corner"), Profile::modern()).await);
    world.configure(&json!({})).await.expect("no setting is required");
    let failure = world.apply(AT, THING, &with("mood", json!("panic"))).await.unwrap_err();
    assert!(!failure.diagnostics.is_empty());
    assert_eq!(world.state(AT), None);
    settle(&mut world, &full()).await;
    world.close().await;
}

#[tokio::test]
async fn a_panic_tells_the_log_what_happened_and_nobody_a_secret() {
    let host = Host::start(&Binary::test_provider("corner"), Profile::modern()).await;
    let mut world = World::over(host.session().clone());
    world.configure(&json!({})).await.expect("no setting is required");
    let mut config = with("mood", json!("panic"));
    config["secret"] = json!("panic-canary-4711");
    let failure = world.apply(AT, THING, &config).await.unwrap_err();
    assert!(!failure.to_string().contains("canary"), "{failure}");
    let log = host.logs().join("\n");
    assert!(log.contains("panic: a corner case, ***"), "{log}");
    assert!(!log.contains("canary"), "{log}");
    host.shutdown().await;
}

#[tokio::test]
async fn an_object_half_made_is_stored_tainted() {
    let (world, failure) = failing("half").await;
    assert!(failure.says("second step"), "{failure}");
    assert!(world.is_tainted(AT));
    assert_eq!(world.state(AT).unwrap()["secret_length"], json!(null));
    world.plan(AT, THING, &full()).await.unwrap().expect(Action::Replace);
    world.close().await;
}

#[tokio::test]
async fn nothing_made_is_nothing_stored() {
    let (world, failure) = failing("nothing").await;
    assert!(failure.says("Not made"), "{failure}");
    assert_eq!(world.state(AT), None);
    world.close().await;
}

#[tokio::test]
async fn a_failed_update_keeps_what_was() {
    let mut world = world(Profile::modern()).await;
    let before = settle(&mut world, &full()).await;
    world.apply(AT, THING, &with("mood", json!("nothing"))).await.unwrap_err();
    assert_eq!(world.state(AT), Some(&before));
    assert!(!world.is_tainted(AT));
    world.close().await;
}

#[tokio::test]
async fn a_warning_does_not_taint() {
    let mut world = world(Profile::modern()).await;
    let applied = world.apply(AT, THING, &with("mood", json!("warn"))).await.unwrap();
    assert!(applied.warns("second step"));
    assert!(!world.is_tainted(AT));
    world.close().await;
}

#[tokio::test]
async fn a_stop_ends_work_and_its_state_is_kept() {
    let mut world = world(Profile::modern()).await;
    let session = world.session().clone();
    let config = with("mood", json!("slow"));
    let apply = world.apply(AT, THING, &config);
    let stop = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        session.stop().await;
    };
    let (failure, ()) = tokio::join!(apply, stop);
    assert!(failure.unwrap_err().says("wanted an end"));
    assert!(world.is_tainted(AT));
    world.close().await;
}

#[tokio::test]
async fn an_object_that_is_gone_is_created_again_and_an_unreadable_one_stays() {
    let mut world = world(Profile::modern()).await;
    world.apply(AT, THING, &with("mood", json!("gone"))).await.unwrap();
    world.plan(AT, THING, &full()).await.unwrap().expect(Action::Create);
    assert_eq!(world.refresh(AT).await.unwrap(), None);
    world.apply(AT, THING, &with("mood", json!("unreadable"))).await.unwrap();
    let before = world.state(AT).cloned();
    world.refresh(AT).await.unwrap_err();
    assert_eq!(world.state(AT).cloned(), before);
    world.close().await;
}

#[tokio::test]
async fn a_failed_delete_keeps_the_object() {
    let mut world = world(Profile::modern()).await;
    world.apply(AT, THING, &with("mood", json!("stays"))).await.unwrap();
    world.destroy(AT).await.unwrap_err();
    assert!(world.state(AT).is_some());
    world.close().await;
}

#[tokio::test]
async fn a_changed_name_replaces_in_either_order() {
    let mut world = world(Profile::modern()).await;
    settle(&mut world, &full()).await;
    for (first, name) in [(false, "b"), (true, "c")] {
        world.create_before_destroy(first);
        let applied = world.apply(AT, THING, &with("name", json!(name))).await.unwrap();
        applied.plan.expect(Action::Replace);
        assert_eq!(applied.plan.replace_paths, ["name"]);
    }
    world.close().await;
}

#[tokio::test]
async fn an_import_by_id_or_identity_settles() {
    let mut world = world(Profile::modern()).await;
    world.import(AT, THING, ImportBy::Id("thing-1")).await.unwrap();
    assert_eq!(world.identity(AT), Some(&json!({ "id": "thing-1" })));
    settle(&mut world, &json!({ "name": "imported" })).await;
    world.import("b", THING, ImportBy::Identity(&json!({ "id": "thing-2" }))).await.unwrap();
    assert_eq!(world.state("b").unwrap()["id"], json!("thing-2"));
    world.close().await;
}

#[tokio::test]
async fn a_state_of_an_older_version_is_upgraded() {
    let mut world = world(Profile::modern()).await;
    world.put_state(AT, THING, 1, json!({ "id": "thing-1", "label": "a", "leftover": true }));
    let plan = world.plan(AT, THING, &json!({ "name": "a" })).await.unwrap();
    assert!(matches!(plan.action, Action::Update | Action::NoOp), "{:?}", plan.changes());
    assert_eq!(plan.before["name"], json!("a"));
    world.close().await;
}

#[tokio::test]
async fn a_state_moves_over_from_the_same_provider_of_any_registry() {
    let world = world(Profile::modern()).await;
    let stored = json!({ "id": "thing-1", "name": "a" });
    for registry in terdut_plugin::registries::HOSTS {
        let source = format!("{registry}/example/corner");
        let moved = world.session().move_state((&source, THING), 2, &stored, THING).await;
        assert_eq!(terdut_tests::host::to_json(&moved.unwrap())["name"], json!("a"));
    }
    for source in [("registry.terraform.io/example/other", THING), ("x/example/corner", "nix")] {
        world.session().move_state(source, 2, &stored, THING).await.unwrap_err();
    }
    world.close().await;
}

#[tokio::test]
async fn big_numbers_and_any_unicode_come_back_as_they_were() {
    let mut world = world(Profile::modern()).await;
    let big: Json = serde_json::from_str("123456789012345678901234567890.5").unwrap();
    for value in [
        json!({ "type": "number", "value": big }),
        json!({ "type": ["map", "string"], "value": { "é": "日本語 \u{1F600}" } }),
        json!({ "type": ["set", "bool"], "value": [true, false] }),
        json!({ "type": ["object", { "a": ["list", "number"] }], "value": { "a": [0, -1, 0.25] } }),
    ] {
        settle(&mut world, &with("any", value)).await;
    }
    world.close().await;
}

#[tokio::test]
async fn unknown_rpcs_are_unimplemented() {
    use terdut_proto::tfplugin6 as proto;
    let world = world(Profile::modern()).await;
    let request = proto::get_states::Request { type_name: "x".to_owned() };
    let status = world.session().raw().get_states(request).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unimplemented);
    world.close().await;
}

const CONFIGURATION: &str = r#"
terraform {
  required_providers {
    corner = { source = "ryuvia/corner" }
  }
}

resource "corner_thing" "a" {
  name   = "a"
  word   = "Word"
  note   = ""
  tags   = {}
  bag    = ["y", "x"]
  groups = {}
  steps  = [{ word = "One" }, { word = "Two", kind = "odd" }]
  shelf  = { left = { word = "Three" } }
  any    = ["x", 1]
}

resource "corner_thing" "b" {
  name  = corner_thing.a.id
  word  = corner_thing.a.steps[0].mark
  steps = [for step in corner_thing.a.steps : { word = coalesce(step.mark, "none") }]
}
"#;

#[tokio::test]
async fn every_program_settles_everything_at_once() {
    for program in Program::all() {
        let workspace = Workspace::new(&program, &Binary::test_provider("corner"), "corner");
        workspace.write("main.tf", CONFIGURATION);
        workspace.init().await;
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        let respelt = CONFIGURATION.replace("\"Word\"", "\"WORD\"").replace("\"\"", "null");
        workspace.write("main.tf", &respelt);
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        workspace.write("main.tf", &respelt.replace("name   = \"a\"", "name   = \"z\""));
        let plan = workspace.plan().await;
        assert_eq!(plan.action("corner_thing.a"), "replace", "{}", plan.text);
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        workspace.destroy().await;
    }
}
