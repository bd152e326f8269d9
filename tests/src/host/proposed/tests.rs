//! The merge, case by case.

use serde_json::{Value as Json, json};

use super::super::json::{config_from_json, to_json};
use super::*;
use crate::host::fake::schema_of;

/// `name` required, `id` computed, `size` optional and computed, `levels` a list of
/// `{word, mark}` where `mark` is computed, `best` a computed and optional object.
fn schema() -> Schema {
    schema_of(&json!({
        "name": ["required", "string"],
        "id": ["computed", "string"],
        "size": ["optional computed", "number"],
        "levels": ["optional", { "list": {
            "word": ["required", "string"], "mark": ["computed", "string"]
        }}],
        "best": ["optional computed", { "single": {
            "word": ["optional", "string"], "mark": ["computed", "string"]
        }}],
        "bag": ["optional", { "set": {
            "word": ["required", "string"], "mark": ["computed", "string"]
        }}],
    }))
}

fn proposed(prior: &Json, config: &Json) -> Json {
    let schema = schema();
    let read = |json| config_from_json(json, &schema.ty()).unwrap();
    to_json(&proposed_new(&schema, &read(prior), &read(config)))
}

#[test]
fn a_computed_value_is_kept_when_not_configured() {
    let after = proposed(&json!({ "id": "7", "size": 3, "name": "a" }), &json!({ "name": "b" }));
    assert_eq!(
        (&after["id"], &after["size"], &after["name"]),
        (&json!("7"), &json!(3), &json!("b"))
    );
}

#[test]
fn a_configured_value_wins_even_when_unknown() {
    let after = proposed(&json!({ "size": 3 }), &json!({ "size": { "$unknown": true } }));
    assert_eq!(after["size"], json!({ "$unknown": true }));
}

#[test]
fn list_elements_are_matched_by_index() {
    let prior = json!({ "levels": [{ "word": "x", "mark": "m" }] });
    let after = proposed(&prior, &json!({ "levels": [{ "word": "y" }, { "word": "z" }] }));
    assert_eq!(
        after["levels"],
        json!([{ "word": "y", "mark": "m" }, { "word": "z", "mark": null }])
    );
}

#[test]
fn set_elements_are_matched_by_what_was_configured() {
    let prior = json!({ "bag": [{ "word": "x", "mark": "m" }] });
    let after = proposed(&prior, &json!({ "bag": [{ "word": "a" }, { "word": "x" }] }));
    assert_eq!(after["bag"], json!([{ "mark": null, "word": "a" }, { "mark": "m", "word": "x" }]));
}

#[test]
fn an_object_that_was_configured_is_not_kept_when_it_is_left_out() {
    let kept = proposed(&json!({ "best": { "mark": "m" } }), &json!({}));
    assert_eq!(kept["best"], json!({ "mark": "m", "word": null }));
    let dropped = proposed(&json!({ "best": { "word": "w", "mark": "m" } }), &json!({}));
    assert_eq!(dropped["best"], json!(null));
}

#[test]
fn nothing_of_nothing_is_nothing() {
    assert_eq!(proposed(&json!(null), &json!(null)), json!(null));
}
