//! One legal plan of each sort, and an illegal one for each rule.

use serde_json::{Value as Json, json};

use super::*;
use crate::host::fake::schema_of;
use crate::host::json::config_from_json;

fn judged(prior: &Json, config: &Json, planned: &Json) -> Violations {
    let schema = schema_of(&json!({
        "id": ["computed", "string"],
        "name": ["required", "string"],
        "topic": ["optional", "string"],
        "size": ["optional computed", "number"],
        "secret": ["optional write_only", "string"],
        "best": ["optional", { "single": { "word": ["optional", "string"] } }],
        "levels": ["optional", { "list": {
            "word": ["required", "string"], "mark": ["computed", "string"]
        }}],
        "shelf": ["optional", { "map": { "word": ["required", "string"] } }],
        "bag": ["optional", { "set": { "word": ["required", "string"] } }],
        "step": { "list": { "word": ["required", "string"] } },
    }));
    let read = |json| config_from_json(json, &schema.ty()).unwrap();
    let mut violations = Violations::default();
    check_plan(&schema, &read(prior), &read(config), &read(planned), &mut violations);
    violations
}

fn unknown() -> Json {
    json!({ "$unknown": true })
}

#[test]
fn configured_values_and_free_choices_pass() {
    let config = json!({ "name": "a", "levels": [{ "word": "x" }], "step": [] });
    let planned = json!({
        "id": unknown(), "name": "a", "size": 5, "step": [],
        "levels": [{ "word": "x", "mark": unknown() }]
    });
    judged(&json!(null), &config, &planned).expect_none("the plan");
}

#[test]
fn a_prior_spelling_may_stay_where_both_are_set() {
    let (prior, config) = (json!({ "topic": "60m" }), json!({ "topic": "1h" }));
    judged(&prior, &config, &prior).expect_none("the plan");
}

#[test]
fn a_third_spelling_is_refused() {
    let found = judged(
        &json!({ "topic": "60m" }),
        &json!({ "topic": "1h" }),
        &json!({ "topic": "1h0m0s" }),
    );
    found.expect_only(Rule::PlanConfigured);
}

#[test]
fn a_configured_value_may_not_become_null_or_unknown() {
    let config = json!({ "name": "a", "size": 3 });
    judged(&json!(null), &config, &json!({ "name": null, "size": 3 }))
        .expect_only(Rule::PlanConfigured);
    judged(&json!(null), &config, &json!({ "name": "a", "size": unknown() }))
        .expect_only(Rule::PlanConfigured);
}

#[test]
fn a_value_nobody_configured_is_refused_where_nothing_is_computed() {
    judged(&json!({ "topic": "x" }), &json!({}), &json!({ "topic": "x" }))
        .expect_only(Rule::PlanNotComputed);
    judged(&json!(null), &json!({ "topic": null }), &json!({ "topic": "" }))
        .expect_only(Rule::PlanNotComputed);
}

#[test]
fn empty_and_null_are_not_the_same_in_a_plan() {
    judged(&json!({ "topic": null }), &json!({ "topic": "" }), &json!({ "topic": null }))
        .expect_only(Rule::PlanConfigured);
}

#[test]
fn existence_must_match_the_configuration() {
    judged(&json!(null), &json!({}), &json!(null)).expect_only(Rule::PlanExistence);
    judged(&json!({}), &json!(null), &json!({})).expect_only(Rule::PlanExistence);
}

#[test]
fn a_configured_object_stays_an_object() {
    let config = json!({ "best": { "word": "x" } });
    judged(&json!(null), &config, &json!({ "best": null })).expect_only(Rule::PlanObject);
    judged(&json!(null), &config, &json!({ "best": unknown() })).expect_only(Rule::PlanObject);
    judged(&json!(null), &json!({ "best": unknown() }), &config).expect_only(Rule::PlanObject);
}

#[test]
fn counts_and_keys_must_match_the_configuration() {
    let two = json!({ "levels": [{ "word": "x" }, { "word": "y" }] });
    judged(&json!(null), &two, &json!({ "levels": [{ "word": "x" }] }))
        .expect_only(Rule::PlanCount);
    judged(
        &json!(null),
        &json!({ "shelf": { "a": { "word": "x" } } }),
        &json!({ "shelf": { "b": { "word": "x" } } }),
    )
    .expect_only(Rule::PlanCount);
    judged(
        &json!(null),
        &json!({ "bag": [{ "word": "x" }, { "word": "y" }] }),
        &json!({ "bag": [{ "word": "x" }] }),
    )
    .expect_only(Rule::PlanCount);
}

#[test]
fn a_value_inside_a_list_is_judged_as_one_outside() {
    let config = json!({ "levels": [{ "word": "x" }] });
    judged(&json!(null), &config, &json!({ "levels": [{ "word": "y" }] }))
        .expect_only(Rule::PlanConfigured);
}

#[test]
fn blocks_are_never_null_and_follow_unknown_ones() {
    judged(&json!(null), &json!({ "step": [] }), &json!({ "step": null }))
        .expect_only(Rule::PlanBlock);
    judged(&json!(null), &json!({ "step": unknown() }), &json!({ "step": [] }))
        .expect_only(Rule::PlanBlock);
}

#[test]
fn a_write_only_value_is_planned_null() {
    judged(&json!(null), &json!({ "secret": "x" }), &json!({})).expect_none("the plan");
}
