//! The walks over a good provider, and one spoilt answer for each rule that only a walk can see.

use serde_json::json;
use terdut_proto::tfplugin6 as proto;

use super::*;
use crate::host::fake::provider::{Hooks, THING, edit, good, world};
use crate::host::session::Profile;

fn config() -> Json {
    json!({ "name": "a", "size": 3 })
}

#[tokio::test]
async fn a_good_provider_lives_through_every_walk() {
    let mut world = world(good()).await;
    let plan = world.plan("a", THING, &config()).await.unwrap();
    plan.expect(Action::Create);
    assert_eq!(plan.after["id"], json!({ "$unknown": true }));
    let applied = world.apply("a", THING, &config()).await.unwrap();
    assert_eq!(applied.state["id"], json!("7"));
    world.plan("a", THING, &config()).await.unwrap().expect_empty();
    let update = world.apply("a", THING, &json!({ "name": "a", "size": 4 })).await.unwrap();
    update.plan.expect(Action::Update);
    assert_eq!(update.plan.changed(), ["size"]);
    let replace = world.apply("a", THING, &json!({ "name": "b" })).await.unwrap();
    replace.plan.expect(Action::Replace);
    assert_eq!(replace.plan.replace_paths, ["name"]);
    world.create_before_destroy(true);
    world.apply("a", THING, &json!({ "name": "c" })).await.unwrap();
    assert_eq!(world.addresses(), ["a"]);
    world.import("b", THING, ImportBy::Id("x")).await.unwrap();
    world.import("c", THING, ImportBy::Identity(&json!({ "id": "7" }))).await.unwrap();
    assert_eq!(world.identity("c"), Some(&json!({ "id": "7" })));
    world.refresh("b").await.unwrap().unwrap();
    world.plan_destroy("a").await.unwrap().expect(Action::Delete);
    world.destroy("a").await.unwrap();
    assert_eq!(world.addresses(), ["b", "c"]);
    let data = world.read_data(THING, &json!({ "name": "a" })).await.unwrap();
    assert_eq!(data["id"], json!("7"));
}

#[tokio::test]
async fn an_unknown_is_filled_in_while_applying() {
    let mut world = world(good()).await;
    let unknown = json!({ "name": "a", "size": { "$unknown": true } });
    let applied = world.apply_resolved("a", THING, &unknown, &config()).await.unwrap();
    assert_eq!(applied.state["size"], json!(3));
}

#[tokio::test]
async fn an_object_that_is_gone_is_planned_for_creation() {
    let mut world = world(Hooks { read: |answer, _| answer.new_state = None, ..good() }).await;
    world.put_state("a", THING, 1, json!({ "id": "7", "name": "a" }));
    world.plan("a", THING, &config()).await.unwrap().expect(Action::Create);
    assert_eq!(world.refresh("a").await.unwrap(), None);
}

#[tokio::test]
async fn a_failed_create_with_a_state_is_kept_tainted_and_replaced() {
    let mut world = world(Hooks {
        apply: |answer, call| {
            if call == 0 {
                answer.diagnostics = vec![error()];
            }
        },
        ..good()
    })
    .await;
    let failure = world.apply("a", THING, &config()).await.unwrap_err();
    assert!(failure.says("no luck"), "{failure}");
    assert!(world.is_tainted("a"));
    world.plan("a", THING, &config()).await.unwrap().expect(Action::Replace);
    world.apply("a", THING, &config()).await.unwrap();
    assert!(!world.is_tainted("a"));
}

#[tokio::test]
async fn a_failed_create_without_a_state_leaves_nothing() {
    let mut world = world(Hooks {
        apply: |answer, _| {
            answer.diagnostics = vec![error()];
            answer.new_state = None;
        },
        ..good()
    })
    .await;
    world.apply("a", THING, &config()).await.unwrap_err();
    assert_eq!(world.state("a"), None);
}

fn error() -> proto::Diagnostic {
    proto::Diagnostic {
        severity: proto::diagnostic::Severity::Error.into(),
        summary: "no luck".into(),
        ..Default::default()
    }
}

/// Runs every walk, so that any spoilt answer meets its rule.
async fn all_walks(hooks: Hooks) {
    let mut world = world(hooks).await;
    world.apply("a", THING, &config()).await.ok();
    world.apply("a", THING, &json!({ "name": "a", "size": 4 })).await.ok();
    world.apply("a", THING, &json!({ "name": "b" })).await.ok();
    world.import("b", THING, ImportBy::Id("x")).await.ok();
    world.read_data(THING, &json!({ "name": "a" })).await.ok();
    world.destroy("a").await.ok();
}

macro_rules! refused {
    ($($name:ident: $rule:literal, $field:ident = $hook:expr;)+) => {
        $(
            #[tokio::test]
            #[should_panic(expected = $rule)]
            async fn $name() {
                all_walks(Hooks { $field: $hook, ..good() }).await;
            }
        )+
    };
}

refused! {
    metadata_must_match_the_schemas: "host rule SchemaMetadata",
        schema = |answer, _| { answer.data_source_schemas.clear(); };
    capabilities_must_match_the_metadata: "host rule SchemaMetadata",
        schema = |answer, _| answer.server_capabilities = None;
    a_bad_schema_is_refused_at_the_start: "host rule SchemaMode",
        schema = |answer, _| {
            let schema = answer.resource_schemas.get_mut(THING).unwrap();
            schema.block.as_mut().unwrap().attributes[0].computed = false;
        };
    the_legacy_type_system_is_refused_in_a_plan: "host rule LegacyTypeSystem",
        plan = |answer, _| answer.legacy_type_system = true;
    the_legacy_type_system_is_refused_in_an_apply: "host rule LegacyTypeSystem",
        apply = |answer, _| answer.legacy_type_system = true;
    a_deferred_plan_is_refused: "host rule Deferred",
        plan = |answer, _| answer.deferred = Some(proto::Deferred { reason: 1 });
    a_deferred_read_is_refused: "host rule Deferred",
        read = |answer, _| answer.deferred = Some(proto::Deferred { reason: 1 });
    a_plan_that_differs_the_second_time_is_refused: "host rule PlanDeterministic",
        plan = |answer, call| edit(&mut answer.planned_state, |planned| {
            planned.insert("id".into(), Value::String(format!("{call}")));
        });
    a_last_plan_that_changes_a_known_value_is_refused: "host rule PlanFinal",
        plan = |answer, call| edit(&mut answer.planned_state, |planned| {
            let id = if call < 2 { "1" } else { "2" };
            planned.insert("id".into(), Value::String(id.into()));
        });
    a_replace_path_into_nothing_is_refused: "host rule PlanReplacePath",
        plan = |answer, _| {
            let step = proto::attribute_path::step::Selector::AttributeName("nix".into());
            let step = proto::attribute_path::Step { selector: Some(step) };
            answer.requires_replace.push(proto::AttributePath { steps: vec![step] });
        };
    a_planned_write_only_value_is_refused: "host rule WriteOnly",
        plan = |answer, _| edit(&mut answer.planned_state, |planned| {
            planned.insert("secret".into(), Value::unknown());
        });
    a_stored_unknown_is_refused: "host rule ResultKnown",
        apply = |answer, _| edit(&mut answer.new_state, |state| {
            state.insert("id".into(), Value::unknown());
        });
    a_read_with_an_unknown_is_refused: "host rule ResultKnown",
        read = |answer, _| edit(&mut answer.new_state, |state| {
            state.insert("id".into(), Value::unknown());
        });
    a_create_without_an_object_is_refused: "host rule ResultExistence",
        apply = |answer, _| answer.new_state = None;
    another_value_than_planned_is_refused: "host rule ResultPlanned",
        apply = |answer, _| edit(&mut answer.new_state, |state| {
            state.insert("name".into(), Value::String("A".into()));
        });
    private_data_that_a_read_drops_is_refused: "host rule Private",
        read = |answer, _| answer.private = bytes::Bytes::new();
    private_data_that_an_apply_drops_is_refused: "host rule Private",
        apply = |answer, _| answer.private = bytes::Bytes::new();
    an_identity_that_a_read_drops_is_refused: "host rule IdentityEcho",
        read = |answer, _| answer.new_identity = None;
    an_identity_that_an_apply_drops_is_refused: "host rule IdentityEcho",
        apply = |answer, _| answer.new_identity = None;
    an_import_of_nothing_is_refused: "host rule ImportOne",
        import = |answer, _| answer.imported_resources.clear();
    an_import_of_a_null_is_refused: "host rule ImportOne",
        import = |answer, _| answer.imported_resources[0].state = None;
    an_upgrade_that_changes_a_present_state_is_refused: "host rule UpgradeShape",
        upgrade = |answer, _| edit(&mut answer.upgraded_state, |state| {
            state.insert("size".into(), Value::Null);
        });
    a_data_source_without_an_object_is_refused: "host rule DataObject",
        data = |answer, _| answer.state = None;
    an_answer_in_json_is_refused: "host rule Wire",
        data = |answer, _| {
            let raw = answer.state.as_mut().unwrap();
            raw.json = b"{}".to_vec().into();
            raw.msgpack = bytes::Bytes::new();
        };
    a_truncated_answer_is_refused: "host rule Wire",
        read = |answer, _| answer.new_state.as_mut().unwrap().msgpack.truncate(3);
}

#[tokio::test]
#[should_panic(expected = "host rule PlanDestroy")]
async fn a_destroy_plan_that_is_not_null_is_refused() {
    let mut world = world(Hooks {
        plan: |answer, _| {
            let json = json!({ "id": "7", "name": "a" });
            let ty = crate::host::fake::provider::thing();
            let value = config_from_json(&json, &ty).unwrap();
            answer.planned_state = Some(crate::host::session::dynamic(&value, &ty));
        },
        ..good()
    })
    .await;
    world.put_state("a", THING, 1, json!({ "id": "7", "name": "a" }));
    world.plan_destroy("a").await.ok();
}

#[tokio::test]
#[should_panic(expected = "host rule PlanAction")]
async fn a_last_plan_with_another_action_is_refused() {
    let mut world = world(Hooks {
        plan: |answer, call| {
            edit(&mut answer.planned_state, |planned| {
                planned.insert("id".into(), Value::unknown());
            });
            if call >= 2 {
                let step = proto::attribute_path::step::Selector::AttributeName("id".into());
                let step = proto::attribute_path::Step { selector: Some(step) };
                answer.requires_replace.push(proto::AttributePath { steps: vec![step] });
            }
        },
        ..good()
    })
    .await;
    world.put_state("a", THING, 1, json!({ "id": "7", "name": "a" }));
    world.apply("a", THING, &config()).await.ok();
}

#[tokio::test]
#[should_panic(expected = "host rule WriteOnlyRefused")]
async fn a_write_only_value_must_be_refused_for_an_old_host() {
    let channel = crate::host::fake::provider::serve(good()).await;
    let session = Session::open(channel, Profile::terraform_1_5()).await;
    session.validate(THING, &json!({ "name": "a", "secret": "x" })).await.ok();
}

#[tokio::test]
#[should_panic(expected = "host rule Rpc")]
async fn an_rpc_that_fails_is_refused() {
    let world = world(good()).await;
    world.session().call_function_unchecked("nix").await;
}

#[tokio::test]
#[should_panic(expected = "host rule MoveObject")]
async fn a_move_to_nothing_is_refused() {
    let world = world(good()).await;
    world.session().move_state(("a/b/c", THING), 0, &json!({}), THING).await.ok();
}

#[tokio::test]
#[should_panic(expected = "host rule Health")]
async fn a_process_without_health_is_refused() {
    let channel = crate::host::fake::provider::serve(good()).await;
    crate::host::process::check_side_services(&channel).await;
}

#[tokio::test]
#[should_panic(expected = "host rule IdentityType")]
async fn an_identity_without_a_declaration_is_refused() {
    let mut world =
        world(Hooks { identities: |answer, _| answer.identity_schemas.clear(), ..good() }).await;
    world.apply("a", THING, &config()).await.ok();
}
