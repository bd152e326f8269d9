//! Fixed vectors, round trips over every type, and stored state of other schema versions.

use proptest::prelude::*;

use super::*;
use crate::codec::arbitrary;

#[track_caller]
fn check(ty: &Type, value: &Value, json: &str) {
    assert_eq!(String::from_utf8(encode(value, ty).unwrap()).unwrap(), json);
    assert_eq!(&decode(json.as_bytes(), ty, Mode::Strict).unwrap(), value);
}

fn team() -> Type {
    Type::object([("id", Type::String), ("size", Type::Number)])
}

#[test]
fn values_have_the_json_that_state_files_hold() {
    check(&Type::Bool, &true.into(), "true");
    check(&Type::Number, &Value::Number("1.50".parse().unwrap()), "1.5");
    check(&Type::Number, &Value::Number("1e20".parse().unwrap()), "100000000000000000000");
    check(&Type::set(Type::String), &Value::set(["b".into(), "a".into()]), r#"["a","b"]"#);
    check(&Type::map(Type::Bool), &Value::map([("k", false.into())]), r#"{"k":false}"#);
    check(
        &Type::Dynamic,
        &Value::Dynamic(Box::new((Type::list(Type::Bool), vec![true].into()))),
        r#"{"type":["list","bool"],"value":[true]}"#,
    );
}

#[test]
fn stored_state_of_another_schema_is_read_as_far_as_it_goes() {
    let state = br#"{"id":"1","gone":{"x":[1]}}"#;
    let value = decode(state, &team(), Mode::Lenient).unwrap();
    assert_eq!(value, Value::object([("id", "1".into()), ("size", Value::Null)]));
    let reason = |json: &str| decode(json.as_bytes(), &team(), Mode::Strict).unwrap_err().reason();
    assert_eq!(reason(r#"{"id":"1"}"#), Reason::Missing);
    assert_eq!(reason(r#"{"id":"1","size":1,"x":1}"#), Reason::Extra);
}

#[test]
fn primitives_convert_as_the_language_converts_them() {
    let read = |json: &str, ty| decode(json.as_bytes(), &ty, Mode::Strict).unwrap();
    assert_eq!(read(r#""true""#, Type::Bool), true.into());
    assert_eq!(read(r#""12""#, Type::Number), 12.into());
    assert_eq!(read("12.0", Type::String), "12".into());
    assert_eq!(read("false", Type::String), "false".into());
    assert!(decode(br#""yes""#, &Type::Bool, Mode::Strict).is_err());
}

#[test]
fn unknown_has_no_json() {
    let value = Value::object([("id", Value::UNKNOWN), ("size", Value::Null)]);
    let error = encode(&value, &team()).unwrap_err();
    assert_eq!(error.to_string(), "id is unknown, which is not possible here");
}

#[test]
fn broken_json_is_an_error_and_no_panic() {
    let deep = "[".repeat(100_000);
    for json in ["", "{", "nul", r#"{"id":"#, deep.as_str(), "1e999999999", "\"\\ud800\""] {
        for ty in [team(), Type::Number, Type::Dynamic, Type::list(Type::String)] {
            assert!(decode(json.as_bytes(), &ty, Mode::Lenient).is_err(), "{ty}");
        }
    }
}

#[test]
fn an_error_names_the_place_but_no_value() {
    let error = decode(br#"{"id":"1","size":"canary"}"#, &team(), Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "size is not a number that Terraform can hold");
}

proptest! {
    #[test]
    fn every_known_value_of_every_type_survives((ty, value) in arbitrary::typed(false)) {
        let bytes = encode(&value, &ty).unwrap();
        prop_assert_eq!(&decode(&bytes, &ty, Mode::Strict).unwrap(), &value);
        prop_assert_eq!(&decode(&bytes, &ty, Mode::Lenient).unwrap(), &value);
    }

    #[test]
    fn every_type_survives(ty in arbitrary::ty()) {
        prop_assert_eq!(Type::from_json_bytes(&ty.to_json_bytes()).unwrap(), ty);
    }

    #[test]
    fn random_text_never_panics(ty in arbitrary::ty(), text in any::<String>()) {
        let _ = decode(text.as_bytes(), &ty, Mode::Lenient);
    }
}
