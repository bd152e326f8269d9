//! Values as the host's own library writes them: `vectors.tsv` was made by go-cty 1.16.
//!
//! A line is a type, the value as msgpack in hex, and as JSON in hex (`2d`, a dash, where the value
//! has unknown parts).

use super::{json, msgpack};
use crate::ty::Type;

fn bytes(hex: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(pair).collect()
}

fn vectors() -> impl Iterator<Item = (Type, Vec<u8>, Option<Vec<u8>>)> {
    include_str!("vectors.tsv").lines().map(|line| {
        let [ty, msgpack, json] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let json = Some(bytes(json)).filter(|json| json != b"-");
        (Type::from_json_bytes(ty.as_bytes()).unwrap(), bytes(msgpack), json)
    })
}

#[test]
fn what_a_host_writes_is_read_and_written_back() {
    for (ty, wire, _) in vectors() {
        let value = msgpack::decode(&wire, &ty).unwrap();
        let ours = msgpack::encode(&value, &ty).unwrap();
        assert_eq!(msgpack::decode(&ours, &ty).unwrap(), value);
        // The order within a set is the host's own; everything else is byte for byte the same.
        if !String::from_utf8_lossy(&ty.to_json_bytes()).contains("set") && ty != Type::Dynamic {
            assert_eq!(ours, wire, "{ty}");
        }
    }
}

#[test]
fn both_forms_hold_the_same_value() {
    let mut compared = 0;
    for (ty, wire, json) in vectors() {
        let Some(json) = json else { continue };
        let value = json::decode(&json, &ty, json::Mode::Strict).unwrap();
        assert_eq!(value, msgpack::decode(&wire, &ty).unwrap(), "{ty}");
        compared += 1;
    }
    assert!(compared > 20);
}
