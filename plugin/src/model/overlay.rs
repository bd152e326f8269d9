//! Carrying a model's changes back to the value that it came from.
//!
//! The engine calls it after a resource has changed its planned model. A model may hold less than
//! its value (a list that is partly unknown, a refinement): what the resource did not touch must
//! stay as the host sent it.

use crate::value::Value;

/// Writes into `target` what differs between `before` and `after`, and leaves the rest alone.
///
/// `before` and `after` are the model as a value, as it was made from `target` and as it is now.
pub fn overlay(target: &mut Value, before: &Value, after: Value) {
    if *before == after {
        return;
    }
    match (target, before, after) {
        (Value::Object(target), Value::Object(before), Value::Object(after))
        | (Value::Map(target), Value::Map(before), Value::Map(after))
            if target.keys().eq(after.keys()) && before.keys().eq(after.keys()) =>
        {
            let pairs = target.values_mut().zip(before.values());
            pairs.zip(after.into_values()).for_each(|((to, was), is)| overlay(to, was, is));
        }
        (Value::List(target), Value::List(before), Value::List(after))
            if target.len() == after.len() && before.len() == after.len() =>
        {
            let pairs = target.iter_mut().zip(before);
            pairs.zip(after).for_each(|((to, was), is)| overlay(to, was, is));
        }
        (target, _, after) => *target = after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(name: &str, groups: Value) -> Value {
        Value::object([("name", name.into()), ("groups", groups)])
    }

    fn partly() -> Value {
        Value::List(vec!["a".into(), Value::UNKNOWN])
    }

    #[test]
    fn what_the_model_could_not_hold_survives_a_change_elsewhere() {
        let mut target = vec![team("x", partly()), team("y", partly())].into();
        let before = vec![team("x", Value::UNKNOWN), team("y", Value::UNKNOWN)].into();
        let after = vec![team("x", Value::UNKNOWN), team("z", Value::UNKNOWN)].into();
        overlay(&mut target, &before, after);
        assert_eq!(target, vec![team("x", partly()), team("z", partly())].into());
    }

    #[test]
    fn what_the_model_changed_is_replaced() {
        let mut target = team("x", partly());
        overlay(&mut target, &team("x", Value::UNKNOWN), team("x", Value::Null));
        assert_eq!(target, team("x", Value::Null));
        overlay(&mut target, &team("x", Value::Null), Value::Null);
        assert_eq!(target, Value::Null);
    }
}
