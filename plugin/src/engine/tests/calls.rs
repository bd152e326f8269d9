//! Whole calls: what is echoed, refused, caught and stopped.

use std::sync::Arc;

use terdut_proto::tfplugin6::{self as proto, provider_server::Provider as Service};
use tonic::Request;

use super::{Test, engine, read_wire, summaries, thing, wire};
use crate::prelude::*;

async fn plan(
    engine: &Engine<Test>,
    prior: &Value,
    config: &Value,
    write_only: bool,
) -> proto::plan_resource_change::Response {
    let request = proto::plan_resource_change::Request {
        type_name: "test_thing".to_owned(),
        prior_state: wire(prior),
        proposed_new_state: wire(config),
        config: wire(config),
        prior_private: br#"{"old":1}"#.to_vec().into(),
        client_capabilities: write_only.then_some(proto::ClientCapabilities {
            write_only_attributes_allowed: true,
            ..proto::ClientCapabilities::default()
        }),
        ..proto::plan_resource_change::Request::default()
    };
    engine.plan_resource_change(Request::new(request)).await.unwrap().into_inner()
}

async fn apply(
    engine: &Engine<Test>,
    prior: &Value,
    planned: &Value,
) -> proto::apply_resource_change::Response {
    let request = proto::apply_resource_change::Request {
        type_name: "test_thing".to_owned(),
        prior_state: wire(prior),
        planned_state: wire(planned),
        config: wire(planned),
        planned_private: br#"{"old":1}"#.to_vec().into(),
        ..proto::apply_resource_change::Request::default()
    };
    engine.apply_resource_change(Request::new(request)).await.unwrap().into_inner()
}

async fn read(
    engine: &Engine<Test>,
    state: &Value,
    identity: Option<proto::ResourceIdentityData>,
) -> proto::read_resource::Response {
    let request = proto::read_resource::Request {
        type_name: "test_thing".to_owned(),
        current_state: wire(state),
        private: br#"{"old":1}"#.to_vec().into(),
        current_identity: identity,
        ..proto::read_resource::Request::default()
    };
    engine.read_resource(Request::new(request)).await.unwrap().into_inner()
}

fn settled(mode: &str) -> Value {
    thing(&[("id", "7".into()), ("name", "a".into()), ("mode", mode.into())])
}

#[tokio::test]
async fn a_changed_name_is_replaced_and_the_plan_leaves_its_private_data() {
    let config = thing(&[("name", "b".into()), ("mode", "x".into())]);
    let answer = plan(&engine().await, &settled("x"), &config, true).await;
    assert_eq!(summaries(&answer.diagnostics), [""; 0]);
    assert_eq!(answer.requires_replace, [(&AttributePath::from("name")).into()]);
    let private: serde_json::Value = serde_json::from_slice(&answer.planned_private).unwrap();
    assert_eq!(private, serde_json::json!({"old": 1, "planned": true}));
    assert!(answer.planned_identity.is_some());
}

#[tokio::test]
async fn a_write_only_value_is_refused_where_the_host_would_store_it() {
    let config = thing(&[("name", "a".into()), ("secret_wo", "canary".into())]);
    let engine = engine().await;
    let refused = plan(&engine, &Value::Null, &config, false).await;
    assert_eq!(summaries(&refused.diagnostics), ["Write-only attributes are not possible here"]);
    let request = proto::validate_resource_config::Request {
        type_name: "test_thing".to_owned(),
        config: wire(&config),
        client_capabilities: None,
    };
    let answer = engine.validate_resource_config(Request::new(request)).await.unwrap().into_inner();
    assert_eq!(answer.diagnostics.len(), 1);
    let planned = plan(&engine, &Value::Null, &config, true).await;
    assert_eq!(
        read_wire(planned.planned_state.as_ref()).attribute("secret_wo"),
        Some(&Value::Null)
    );
}

#[tokio::test]
async fn a_panic_is_a_diagnostic_without_its_text() {
    let engine = engine().await;
    let config = thing(&[("name", "a".into()), ("mode", "panic in plan".into())]);
    let planned = plan(&engine, &Value::Null, &config, true).await;
    let applied = apply(&engine, &Value::Null, &settled("panic")).await;
    for diagnostics in [planned.diagnostics, applied.diagnostics] {
        assert_eq!(summaries(&diagnostics), ["The provider has a bug"]);
        assert!(!diagnostics[0].detail.contains("canary"));
    }
}

#[tokio::test]
async fn a_stop_ends_work_in_flight_and_its_state_is_answered() {
    let engine = Arc::new(engine().await);
    let working = Arc::clone(&engine);
    let work = tokio::spawn(async move { apply(&working, &Value::Null, &settled("hang")).await });
    tokio::task::yield_now().await;
    let request = Request::new(proto::stop_provider::Request {});
    engine.stop_provider(request).await.unwrap();
    let answer = work.await.unwrap();
    assert_eq!(summaries(&answer.diagnostics), ["Stopped"]);
    assert_eq!(read_wire(answer.new_state.as_ref()), settled("hang"));
    // What is asked for afterwards is not stopped.
    assert_eq!(apply(&engine, &Value::Null, &settled("x")).await.diagnostics, []);
}

#[tokio::test]
async fn an_apply_without_state_and_without_error_is_a_bug_that_is_named() {
    let answer = apply(&engine().await, &Value::Null, &settled("nothing")).await;
    assert_eq!(summaries(&answer.diagnostics), ["The provider has a bug"]);
}

#[tokio::test]
async fn a_delete_that_failed_keeps_state_and_private_data() {
    let answer = apply(&engine().await, &settled("stuck"), &Value::Null).await;
    assert_eq!(read_wire(answer.new_state.as_ref()), settled("stuck"));
    assert_eq!(&answer.private[..], br#"{"old":1}"#);
    let gone = apply(&engine().await, &settled("x"), &Value::Null).await;
    assert!(read_wire(gone.new_state.as_ref()).is_null());
}

#[tokio::test]
async fn a_failed_read_echoes_everything() {
    let engine = engine().await;
    let identity = read(&engine, &settled("x"), None).await.new_identity;
    assert!(identity.is_some());
    let failed = read(&engine, &settled("error"), identity.clone()).await;
    assert_eq!(summaries(&failed.diagnostics), ["No"]);
    assert_eq!(read_wire(failed.new_state.as_ref()), settled("error"));
    assert_eq!(&failed.private[..], br#"{"old":1}"#);
    assert_eq!(failed.new_identity, identity);
    let gone = read(&engine, &settled("gone"), identity).await;
    assert!(read_wire(gone.new_state.as_ref()).is_null());
}

#[tokio::test]
async fn another_identity_is_refused_and_a_missing_one_is_made() {
    let engine = engine().await;
    let identity = read(&engine, &settled("x"), None).await.new_identity;
    let refused = read(&engine, &settled("other"), identity).await;
    assert_eq!(summaries(&refused.diagnostics), ["The object's identity changed"]);
    let all_null = proto::ResourceIdentityData { identity_data: None };
    let made = read(&engine, &settled("other"), Some(all_null)).await;
    assert_eq!(made.diagnostics, []);
}

#[tokio::test]
async fn an_import_answers_a_stub_with_its_identity_and_nothing_write_only() {
    let request = proto::import_resource_state::Request {
        type_name: "test_thing".to_owned(),
        id: "7".to_owned(),
        ..proto::import_resource_state::Request::default()
    };
    let engine = engine().await;
    let answer = engine.import_resource_state(Request::new(request)).await.unwrap().into_inner();
    let imported = &answer.imported_resources[0];
    assert_eq!(read_wire(imported.state.as_ref()), thing(&[("id", "7".into())]));
    assert!(imported.identity.is_some());
}

#[tokio::test]
async fn a_stored_part_of_an_object_is_read_and_another_version_is_refused() {
    let engine = engine().await;
    let ask = |version, json: &str| proto::upgrade_resource_state::Request {
        type_name: "test_thing".to_owned(),
        version,
        raw_state: Some(proto::RawState {
            json: json.as_bytes().to_vec().into(),
            ..proto::RawState::default()
        }),
    };
    let request = Request::new(ask(0, r#"{"id":"7","gone_attribute":1,"secret_wo":"canary"}"#));
    let answer = engine.upgrade_resource_state(request).await.unwrap().into_inner();
    assert_eq!(read_wire(answer.upgraded_state.as_ref()), thing(&[("id", "7".into())]));
    let refused = engine.upgrade_resource_state(Request::new(ask(3, "{}"))).await.unwrap();
    assert_eq!(summaries(&refused.into_inner().diagnostics), ["State of another version"]);
}

#[tokio::test]
async fn work_before_the_configuration_is_an_error_and_later_calls_are_unimplemented() {
    let engine = Engine::new(Test);
    let answer = read(&engine, &settled("x"), None).await;
    assert_eq!(summaries(&answer.diagnostics), ["Provider not configured"]);
    assert_eq!(read_wire(answer.new_state.as_ref()), settled("x"));
    let request = proto::generate_resource_config::Request::default();
    let status = engine.generate_resource_config(Request::new(request)).await;
    assert_eq!(status.err().map(|status| status.code()), Some(tonic::Code::Unimplemented));
}

#[tokio::test]
async fn what_was_done_before_an_error_is_stored_as_it_is() {
    let answer = apply(&engine().await, &Value::Null, &settled("half")).await;
    assert_eq!(summaries(&answer.diagnostics), ["Half"]);
    let state = read_wire(answer.new_state.as_ref());
    assert_eq!(state.attribute("id"), Some(&"7".into()));
    assert_eq!(state.attribute("mode"), Some(&Value::Null));
}

#[tokio::test]
async fn a_host_that_validated_with_write_only_values_may_plan_them() {
    let config = thing(&[("name", "a".into()), ("secret_wo", "canary".into())]);
    let engine = engine().await;
    let request = proto::validate_resource_config::Request {
        type_name: "test_thing".to_owned(),
        config: wire(&config),
        client_capabilities: Some(proto::ClientCapabilities {
            write_only_attributes_allowed: true,
            ..proto::ClientCapabilities::default()
        }),
    };
    let answer = engine.validate_resource_config(Request::new(request)).await.unwrap();
    assert_eq!(answer.into_inner().diagnostics, []);
    let planned = plan(&engine, &Value::Null, &config, false).await;
    assert_eq!(planned.diagnostics, []);
}

#[tokio::test]
async fn a_panic_after_the_work_is_done_loses_no_state() {
    let done = settled("panic afterwards");
    let answer = apply(&engine().await, &Value::Null, &done).await;
    assert_eq!(summaries(&answer.diagnostics), ["The provider has a bug"]);
    assert_eq!(read_wire(answer.new_state.as_ref()), done);
    assert_eq!(&answer.private[..], br#"{"old":1}"#);
}
