//! Whether a later value keeps the promises of an earlier one.
//!
//! Used for the state after apply and for the plan that is made while applying: every known
//! planned value comes back, an unknown one may become anything its refinement allows.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rule, Violations};
use crate::host::value::{Path, Refinement, Value};

/// Checks a value against the plan; `rule` is the one that a difference breaks.
pub(in crate::host) fn check_kept(
    rule: Rule,
    planned: &Value,
    actual: &Value,
    violations: &mut Violations,
) {
    compare(rule, planned, actual, &Path::root(), violations);
}

fn compare(rule: Rule, planned: &Value, actual: &Value, path: &Path, violations: &mut Violations) {
    match (planned, actual) {
        (Value::Unknown(refinement), _) => refined(refinement, actual, path, violations),
        (Value::Seq(planned), Value::Seq(actual)) if planned.len() == actual.len() => {
            for (index, (planned, actual)) in planned.iter().zip(actual).enumerate() {
                compare(rule, planned, actual, &path.index(index), violations);
            }
        }
        (Value::Keyed(planned), Value::Keyed(actual)) => {
            compare_keyed(rule, planned, actual, path, violations);
        }
        (Value::Set(planned), Value::Set(actual)) => {
            if !sets_match(rule, planned, actual) {
                let found = format!("was {planned:?}, but now {actual:?}");
                violations.add(rule, path, &found);
            }
        }
        (Value::Typed(planned_ty, planned), Value::Typed(actual_ty, actual))
            if planned_ty == actual_ty =>
        {
            compare(rule, planned, actual, path, violations);
        }
        (planned, actual) if planned == actual => {}
        _ => violations.add(rule, path, &format!("was {planned:?}, but now {actual:?}")),
    }
}

fn compare_keyed(
    rule: Rule,
    planned: &BTreeMap<String, Value>,
    actual: &BTreeMap<String, Value>,
    path: &Path,
    violations: &mut Violations,
) {
    let keys: BTreeSet<_> = planned.keys().chain(actual.keys()).collect();
    for key in keys {
        let path = path.attribute(key);
        match (planned.get(key), actual.get(key)) {
            (Some(planned), Some(actual)) => compare(rule, planned, actual, &path, violations),
            (Some(_), None) => violations.add(rule, &path, "has vanished"),
            _ => violations.add(rule, &path, "has appeared"),
        }
    }
}

/// Each planned element needs an element of its own; wholly known sets are compared by value.
fn sets_match(rule: Rule, planned: &[Value], actual: &[Value]) -> bool {
    let fits = |planned: &Value, actual: &Value| {
        let mut violations = Violations::default();
        compare(rule, planned, actual, &Path::root(), &mut violations);
        violations.0.is_empty()
    };
    let all_planned = planned.iter().all(|p| actual.iter().any(|a| fits(p, a)));
    let all_actual = actual.iter().all(|a| planned.iter().any(|p| fits(p, a)));
    let unknown = planned.iter().any(|element| !element.is_wholly_known());
    all_planned && all_actual && (unknown || planned.len() == actual.len())
}

fn refined(refinement: &Refinement, actual: &Value, path: &Path, violations: &mut Violations) {
    let length = match actual {
        Value::Seq(elements) | Value::Set(elements) => Some(elements.len() as u64),
        Value::Keyed(entries) => Some(entries.len() as u64),
        _ => None,
    };
    let broken = match actual {
        Value::Unknown(_) => false,
        Value::Null => refinement.null == Some(false),
        Value::String(text) => {
            refinement.prefix.as_ref().is_some_and(|prefix| !text.starts_with(prefix.as_str()))
        }
        Value::Number(number) => {
            let low =
                |(bound, included): &(_, bool)| number < bound || (number == bound && !included);
            let high =
                |(bound, included): &(_, bool)| number > bound || (number == bound && !included);
            refinement.lower.as_ref().is_some_and(low)
                || refinement.upper.as_ref().is_some_and(high)
        }
        _ => length.is_some_and(|length| {
            refinement.min_length.is_some_and(|least| length < least)
                || refinement.max_length.is_some_and(|most| length > most)
        }),
    };
    if broken || (refinement.null == Some(true) && actual.is_known() && !actual.is_null()) {
        violations.add(Rule::ResultRefined, path, &format!("is {actual:?} against {refinement:?}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::host::fake::schema_of;
    use crate::host::json::config_from_json;

    fn judged(planned: &Json, actual: &Json) -> Violations {
        let schema = schema_of(&json!({
            "id": ["computed", "string"],
            "topic": ["optional", "string"],
            "words": ["optional", ["list", "string"]],
            "bag": ["optional", ["set", "string"]],
            "map": ["optional", ["map", "string"]],
            "any": ["optional", "dynamic"],
        }));
        let read = |json| config_from_json(json, &schema.ty()).unwrap();
        let mut violations = Violations::default();
        check_kept(Rule::ResultPlanned, &read(planned), &read(actual), &mut violations);
        violations
    }

    #[test]
    fn an_unknown_may_become_anything() {
        for id in [json!("7"), json!(null)] {
            judged(&json!({ "id": { "$unknown": true } }), &json!({ "id": id }))
                .expect_none("the result");
        }
    }

    #[test]
    fn a_known_value_may_not_change() {
        for (planned, actual) in [
            (json!({ "topic": "60m" }), json!({ "topic": "1h0m0s" })),
            (json!({ "topic": null }), json!({ "topic": "" })),
            (json!({ "topic": "x" }), json!({ "topic": { "$unknown": true } })),
            (json!({ "words": null }), json!({ "words": [] })),
            (json!({ "words": ["a"] }), json!({ "words": ["a", "b"] })),
            (json!({ "words": ["a", "b"] }), json!({ "words": ["b", "a"] })),
            (json!({ "bag": ["a"] }), json!({ "bag": ["b"] })),
            (json!({ "map": { "a": "x" } }), json!({ "map": { "b": "x" } })),
            (
                json!({ "any": { "type": "string", "value": "1" } }),
                json!({ "any": { "type": "number", "value": 1 } }),
            ),
        ] {
            judged(&planned, &actual).expect_only(Rule::ResultPlanned);
        }
    }

    #[test]
    fn a_set_may_come_back_in_any_order_and_fill_its_unknowns() {
        judged(&json!({ "bag": ["a", "b"] }), &json!({ "bag": ["b", "a"] })).expect_none("it");
        judged(&json!({ "bag": ["a", { "$unknown": true }] }), &json!({ "bag": ["a", "z"] }))
            .expect_none("it");
    }

    #[test]
    fn a_refinement_binds() {
        let planned = json!({ "id": { "$unknown": { "not_null": true, "prefix": "a" } } });
        judged(&planned, &json!({ "id": "abc" })).expect_none("the result");
        judged(&planned, &json!({ "id": "xyz" })).expect_only(Rule::ResultRefined);
        judged(&planned, &json!({ "id": null })).expect_only(Rule::ResultRefined);
    }
}
