//! A total order of values: what makes sets comparable.
//!
//! Used by [`Value`]'s equality and by set construction. The order across kinds means nothing; it
//! only has to be stable.

use std::cmp::Ordering;

use super::Value;

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Unknown(left), Value::Unknown(right)) => left.cmp(right),
            (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
            (Value::Number(left), Value::Number(right)) => left.cmp(right),
            (Value::String(left), Value::String(right)) => left.cmp(right),
            (Value::List(left), Value::List(right)) | (Value::Tuple(left), Value::Tuple(right)) => {
                left.cmp(right)
            }
            (Value::Set(left), Value::Set(right)) => compare_sets(left, right),
            (Value::Map(left), Value::Map(right)) | (Value::Object(left), Value::Object(right)) => {
                left.cmp(right)
            }
            (Value::Dynamic(left), Value::Dynamic(right)) => {
                left.1.cmp(&right.1).then_with(|| left.0.cmp(&right.0))
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By their elements in order, each known one counted once.
fn compare_sets(left: &[Value], right: &[Value]) -> Ordering {
    // Sets from the decoder are sorted already, so this is the common case.
    let plain = left.cmp(right);
    if plain == Ordering::Equal { plain } else { canonical(left).cmp(&canonical(right)) }
}

fn canonical(elements: &[Value]) -> Vec<&Value> {
    let mut sorted: Vec<&Value> = elements.iter().collect();
    sorted.sort();
    sorted.dedup_by(|right, left| left == right && left.is_wholly_known());
    sorted
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Unknown(_) => 1,
        Value::Bool(_) => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::List(_) => 5,
        Value::Set(_) => 6,
        Value::Map(_) => 7,
        Value::Object(_) => 8,
        Value::Tuple(_) => 9,
        Value::Dynamic(_) => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_equal_whatever_their_order() {
        let forth = Value::Set(vec![1.into(), 2.into(), 2.into()]);
        let back = Value::Set(vec![2.into(), 1.into()]);
        assert_eq!(forth, back);
        assert_eq!(Value::set([2.into(), 1.into(), 2.into()]), back);
        assert_ne!(Value::Set(vec![1.into()]), back);
        assert_ne!(Value::List(vec![1.into(), 2.into()]), Value::List(vec![2.into(), 1.into()]));
    }

    #[test]
    fn unknown_elements_of_a_set_stay_apart() {
        let two = Value::set([Value::UNKNOWN, Value::UNKNOWN]);
        assert_eq!(two.elements().map(<[_]>::len), Some(2));
        assert_ne!(two, Value::set([Value::UNKNOWN]));
    }
}
