//! Bytes known from the wire format's description, and round trips over random values.

use proptest::prelude::*;

use super::*;

fn object(json: &str) -> Type {
    Type::from_json_bytes(json.as_bytes()).unwrap()
}

#[test]
fn known_bytes_are_written() {
    assert_eq!(encode(&Value::Null, &Type::String), [0xc0]);
    assert_eq!(encode(&Value::unknown(), &Type::String), [0xd4, 0, 0]);
    assert_eq!(encode(&Value::Number(Number::from(5)), &Type::Number), [5]);
    assert_eq!(encode(&Value::String("a".into()), &Type::String), [0xa1, b'a']);
    let big: Number = "340282366920938463463374607431768211456".parse().unwrap();
    assert_eq!(encode(&Value::Number(big), &Type::Number)[..2], [0xd9, 39]);
}

#[test]
fn every_extension_code_is_unknown() {
    assert_eq!(decode(&[0xd4, 7, 0], &Type::Bool), Ok(Value::unknown()));
    assert_eq!(decode(&[0xc7, 0, 0], &Type::Bool), Ok(Value::unknown()));
}

#[test]
fn a_refined_unknown_keeps_what_is_known() {
    let refinement = Refinement {
        null: Some(false),
        prefix: Some("http".into()),
        lower: Some((Number::from(2), true)),
        max_length: Some(9),
        ..Refinement::default()
    };
    let bytes = encode(&Value::Unknown(refinement.clone()), &Type::String);
    assert_eq!(decode(&bytes, &Type::String), Ok(Value::Unknown(refinement)));
}

#[test]
fn an_object_must_have_exactly_the_schemas_attributes() {
    let ty = object(r#"["object",{"a":"string"}]"#);
    let error = |ty: &Type, bytes: &[u8]| decode(bytes, ty).unwrap_err();
    assert!(error(&ty, &[0x80]).contains("missing"));
    assert!(error(&ty, &[0x82, 0xa1, b'a', 0xc0, 0xa1, b'b', 0xc0]).contains("unsupported"));
    assert!(error(&ty, &[0x82, 0xa1, b'a', 0xc0, 0xa1, b'a', 0xc0]).contains("twice"));
}

#[test]
fn a_wrong_kind_a_loose_text_and_trailing_bytes_are_refused() {
    assert!(decode(&[0xc3], &Type::String).is_err());
    assert!(decode(&[0xc0, 0xc0], &Type::String).is_err());
    let decomposed = [0xa3, b'e', 0xcc, 0x81];
    assert!(decode(&decomposed, &Type::String).unwrap_err().contains("NFC"));
}

#[test]
fn a_set_is_equal_in_any_order() {
    let ty = object(r#"["set","number"]"#);
    assert_eq!(decode(&[0x92, 1, 2], &ty), decode(&[0x92, 2, 1], &ty));
}

fn typed() -> impl Strategy<Value = (Type, Value)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|value| (Type::Bool, Value::Bool(value))),
        any::<i128>().prop_map(|n| (Type::Number, Value::Number(Number::from(n)))),
        (-1e9_f64..1e9).prop_map(|n| (Type::Number, Value::Number(exact(n).unwrap()))),
        "[a-z0-9 ]{0,12}".prop_map(|text| (Type::String, Value::String(text))),
        Just((Type::String, Value::Null)),
        Just((Type::Number, Value::unknown())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(ty, value)| {
                (Type::List(Box::new(ty)), Value::Seq(vec![value.clone(), value]))
            }),
            inner.clone().prop_map(|(ty, value)| {
                (Type::Set(Box::new(ty)), Value::set(vec![value, Value::Null]))
            }),
            inner
                .clone()
                .prop_map(|(ty, value)| { (Type::Dynamic, Value::Typed(ty, Box::new(value))) }),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4).prop_map(|fields| {
                let types = fields.iter().map(|(name, (ty, _))| (name.clone(), ty.clone()));
                let types = Type::Object(types.collect());
                let values = fields.into_iter().map(|(name, (_, value))| (name, value));
                (types, Value::Keyed(values.collect()))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back((ty, value) in typed()) {
        prop_assert_eq!(decode(&encode(&value, &ty), &ty), Ok(value));
    }
}
