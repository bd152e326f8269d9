//! `MoveResourceState`: from which addresses, and what comes along.

use super::*;

#[expect(clippy::unnecessary_wraps, reason = "it reads better at a field of a request")]
fn raw(json: &str) -> Option<proto::RawState> {
    let json = json.as_bytes().to_vec().into();
    Some(proto::RawState { json, ..proto::RawState::default() })
}

fn from(address: &str) -> proto::move_resource_state::Request {
    proto::move_resource_state::Request {
        source_provider_address: address.to_owned(),
        source_type_name: "test_thing".to_owned(),
        target_type_name: "test_thing".to_owned(),
        source_state: raw(r#"{"id":"7","secret_wo":"canary","leftover":1}"#),
        source_private: br#"{"old":1}"#.to_vec().into(),
        source_identity: raw(r#"{"url":"https://old","id":"7"}"#),
        ..proto::move_resource_state::Request::default()
    }
}

async fn moved(
    request: proto::move_resource_state::Request,
) -> proto::move_resource_state::Response {
    let answer = engine().await.move_resource_state(Request::new(request)).await;
    answer.unwrap().into_inner()
}

#[tokio::test]
async fn state_moves_between_the_registries_of_one_provider_and_from_nowhere_else() {
    for (address, moves) in [
        ("registry.terraform.io/example/test", true),
        ("registry.opentofu.org/example/test", true),
        ("registry.terraform.io/other/test", false),
        ("registry.terraform.io/bexample/test", false),
        ("registry.example.com/example/test", true),
        ("registry.example.com/another/example/test", false),
        ("example/test", false),
        ("", false),
    ] {
        let answer = moved(from(address)).await;
        assert_eq!(answer.target_state.is_some(), moves, "{address}");
        if moves {
            assert_eq!(answer.diagnostics, [], "{address}");
            continue;
        }
        let detail = &answer.diagnostics[0].detail;
        assert!(detail.contains("of example/test, from any registry"), "{detail}");
        assert!(answer.target_private.is_empty() && answer.target_identity.is_none());
    }
}

#[tokio::test]
async fn private_data_and_identity_come_along_and_nothing_else_does() {
    let answer = moved(from("registry.opentofu.org/example/test")).await;
    assert_eq!(read_wire(answer.target_state.as_ref()), thing(&[("id", "7".into())]));
    assert_eq!(&answer.target_private[..], br#"{"old":1}"#);
    let identity = answer.target_identity.and_then(|data| data.identity_data);
    let identity = codec::decode(identity.as_ref(), &Things.identity_schema().ty()).unwrap();
    assert_eq!(identity, Value::object([("id", "7".into()), ("url", "https://old".into())]));
}

#[tokio::test]
async fn a_state_without_an_identity_moves_without_one() {
    for identity in [None, raw("null"), raw("{}"), raw("not json"), raw(r#"{"id":null}"#)] {
        let source = "registry.terraform.io/example/test";
        let request = proto::move_resource_state::Request {
            source_identity: identity.clone(),
            ..from(source)
        };
        let answer = moved(request).await;
        assert_eq!(answer.diagnostics, [], "{identity:?}");
        assert!(answer.target_state.is_some() && answer.target_identity.is_none(), "{identity:?}");
    }
}

#[tokio::test]
async fn what_a_newer_provider_wrote_and_what_is_of_another_type_does_not_move() {
    let source = "registry.terraform.io/example/test";
    let newer = proto::move_resource_state::Request { source_schema_version: 1, ..from(source) };
    assert_eq!(summaries(&moved(newer).await.diagnostics), ["State of another version"]);
    let newer =
        proto::move_resource_state::Request { source_identity_schema_version: 1, ..from(source) };
    assert_eq!(summaries(&moved(newer).await.diagnostics), ["A newer identity"]);
    let other = proto::move_resource_state::Request {
        source_type_name: "test_other".to_owned(),
        ..from(source)
    };
    let told = moved(other).await.diagnostics;
    assert_eq!(summaries(&told), ["Cannot move from there"]);
    assert!(told[0].detail.contains("a test_other"), "{told:?}");
}
