//! Fixed vectors, as hosts write them, round trips over every type, and broken messages.

use proptest::prelude::*;

use super::{decode, encode};
use crate::codec::{CodecError, Reason, arbitrary};
use crate::ty::Type;
use crate::value::{Bound, Refinement, Value};

/// The value has these bytes, and the bytes are that value.
#[track_caller]
fn check(ty: &Type, value: &Value, bytes: &[u8]) {
    assert_eq!(encode(value, ty).unwrap(), bytes);
    assert_eq!(&decode(bytes, ty).unwrap(), value);
}

#[track_caller]
fn refused(ty: &Type, bytes: &[u8]) -> CodecError {
    decode(bytes, ty).unwrap_err()
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().unwrap())
}

#[test]
fn primitives_have_the_bytes_that_hosts_write() {
    check(&Type::Bool, &true.into(), &[0xc3]);
    check(&Type::String, &Value::Null, &[0xc0]);
    check(&Type::String, &"a".into(), &[0xa1, b'a']);
    check(&Type::Number, &1.into(), &[0x01]);
    check(&Type::Number, &(-1).into(), &[0xff]);
    check(&Type::Number, &300.into(), &[0xcd, 0x01, 0x2c]);
    check(&Type::Number, &number("0.5"), &[0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0]);
    check(&Type::Number, &number("0.1"), &[0xa3, b'0', b'.', b'1']);
    check(&Type::Number, &number("18446744073709551617"), b"\xb418446744073709551617");
}

#[test]
fn numbers_are_read_in_every_form() {
    let reads = |bytes: &[u8]| decode(bytes, &Type::Number).unwrap();
    assert_eq!(
        reads(&[0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        number("18446744073709551615")
    );
    assert_eq!(reads(&[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]), (-2).into());
    assert_eq!(reads(&[0xca, 0x3f, 0xc0, 0, 0]), number("1.5"));
    assert_eq!(reads(&[0xa2, b'4', b'2']), 42.into());
    let infinity = [0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0];
    assert_eq!(refused(&Type::Number, &infinity).reason(), Reason::Number);
}

#[test]
fn unknown_is_extension_zero_and_every_extension_is_unknown() {
    check(&Type::String, &Value::UNKNOWN, &[0xd4, 0x00, 0x00]);
    for bytes in [&[0xd4, 0x05, 0x00][..], &[0xc7, 0x00, 0x00], &[0xc7, 0x02, 0x0c, 0xff, 0xff]] {
        assert_eq!(decode(bytes, &Type::Bool).unwrap(), Value::UNKNOWN);
    }
}

#[test]
fn refinements_are_extension_twelve() {
    let not_null = Value::from(Refinement::not_null());
    check(&Type::String, &not_null, &[0xc7, 0x03, 0x0c, 0x81, 0x01, 0xc2]);
    let min = Bound { value: 5.into(), inclusive: true };
    let range = Value::from(Refinement { number_min: Some(min), ..Refinement::not_null() });
    check(&Type::Number, &range, &[0xc7, 0x07, 0x0c, 0x82, 1, 0xc2, 3, 0x92, 5, 0xc3]);
    let later = [0xc7, 0x07, 0x0c, 0x82, 0x63, 0x92, 1, 0xc0, 1, 0xc2];
    assert_eq!(decode(&later, &Type::String).unwrap(), not_null);
}

#[test]
fn a_dynamic_value_carries_its_type_as_json() {
    let value = Value::Dynamic(Box::new((Type::String, "a".into())));
    check(&Type::Dynamic, &value, b"\x92\xc4\x08\"string\"\xa1a");
    check(&Type::Dynamic, &Value::UNKNOWN, &[0xd4, 0x00, 0x00]);
    let error = refused(&Type::Dynamic, b"\x92\xc4\x03\"x\"\xa1a");
    assert_eq!(error.reason(), Reason::DynamicType);
}

#[test]
fn a_set_is_an_array_in_any_order_without_repeats() {
    let ty = Type::set(Type::String);
    let value = Value::set(["b".into(), "a".into()]);
    check(&ty, &value, b"\x92\xa1a\xa1b");
    assert_eq!(decode(b"\x93\xa1b\xa1a\xa1b", &ty).unwrap(), value);
}

#[test]
fn strings_and_keys_come_in_normal_form() {
    assert_eq!(decode(b"\xa3e\xcc\x81", &Type::String).unwrap(), Value::String("\u{e9}".into()));
    let map = decode(b"\x81\xa3e\xcc\x81\x01", &Type::map(Type::Number)).unwrap();
    assert_eq!(map, Value::map([("\u{e9}", 1.into())]));
    let raw = Value::String("e\u{301}".into());
    assert_eq!(encode(&raw, &Type::String).unwrap(), b"\xa2\xc3\xa9");
}

#[test]
fn an_object_needs_every_attribute_and_nothing_else() {
    let ty = Type::object([("a", Type::Bool), ("b", Type::Bool)]);
    let whole = Value::object([("a", true.into()), ("b", Value::Null)]);
    check(&ty, &whole, b"\x82\xa1a\xc3\xa1b\xc0");
    let missing = refused(&ty, b"\x81\xa1a\xc3");
    assert_eq!(
        (missing.reason(), missing.to_string().as_str()),
        (Reason::Missing, "the attribute b is missing")
    );
    assert_eq!(refused(&ty, b"\x81\xa1x\xc3").reason(), Reason::Extra);
    let part = Value::object([("a", true.into())]);
    assert_eq!(encode(&part, &ty).unwrap_err().reason(), Reason::Missing);
    let more = Value::object([("a", true.into()), ("x", Value::Null)]);
    assert_eq!(encode(&more, &ty).unwrap_err().reason(), Reason::Extra);
}

#[test]
fn an_error_names_the_place_but_no_value() {
    let ty = Type::object([("a", Type::list(Type::map(Type::Bool)))]);
    let error = refused(&ty, b"\x81\xa1a\x91\x81\xa1k\xa6canary");
    assert_eq!(error.to_string(), r#"a[0]["k"] is a string instead of a bool"#);
}

#[test]
fn claimed_lengths_are_not_believed() {
    for bytes in [
        &[0xdd, 0xff, 0xff, 0xff, 0xff][..],
        &[0xdf, 0xff, 0xff, 0xff, 0xff],
        &[0xdb, 0xff, 0xff, 0xff, 0xff],
        &[0xc9, 0xff, 0xff, 0xff, 0xff, 0x00],
        &[],
    ] {
        for ty in [Type::list(Type::Bool), Type::map(Type::Bool), Type::String] {
            assert!(decode(bytes, &ty).is_err());
        }
    }
    assert_eq!(refused(&Type::Bool, &[0xc3, 0xc3]).reason(), Reason::Trailing);
    assert_eq!(refused(&Type::String, &[0xa1, 0xff]).reason(), Reason::Utf8);
    assert_eq!(refused(&Type::Bool, &[0xc1]).reason(), Reason::Kind("value", "reserved byte"));
}

#[test]
fn nesting_ends_somewhere() {
    let level = b"\x92\xc4\x09\"dynamic\"";
    let bytes = level.repeat(100_000);
    assert_eq!(refused(&Type::Dynamic, &bytes).reason(), Reason::Depth);
}

proptest! {
    #[test]
    fn every_value_of_every_type_survives((ty, value) in arbitrary::typed(true)) {
        let bytes = encode(&value, &ty).unwrap();
        prop_assert_eq!(decode(&bytes, &ty).unwrap(), value);
    }

    #[test]
    fn encoding_is_stable((ty, value) in arbitrary::typed(true)) {
        let bytes = encode(&value, &ty).unwrap();
        let again = encode(&decode(&bytes, &ty).unwrap(), &ty).unwrap();
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn a_cut_or_changed_message_never_panics(
        (ty, value) in arbitrary::typed(true),
        cut in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
    ) {
        let mut bytes = encode(&value, &ty).unwrap();
        let at = cut.index(bytes.len());
        prop_assert!(decode(&bytes[..at], &ty).is_err());
        bytes[at] ^= flip;
        let _ = decode(&bytes, &ty);
    }

    #[test]
    fn random_bytes_never_panic(
        ty in arbitrary::ty(),
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let _ = decode(&bytes, &ty);
    }
}
