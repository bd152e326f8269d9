//! When `rotate_when_changed` asks for a new key.
//!
//! Used by the faces to fill [`crate::plan::Policy::rotate`].

use std::collections::BTreeMap;

use crate::value::Input;

/// Whether the change of the map asks for a rotation: only between two different, non-empty maps,
/// or when the new one is not all known and the one before was not empty. Coming from nothing or
/// going to nothing rotates nothing.
pub fn rotates(
    before: Option<&BTreeMap<String, Option<String>>>,
    now: &Input<BTreeMap<String, Input<String>>>,
) -> bool {
    let Some(before) = before.filter(|map| !map.is_empty()) else { return false };
    match now {
        Input::Absent => false,
        Input::Unknown => true,
        Input::Given(now) if now.is_empty() => false,
        Input::Given(now) => {
            before.len() != now.len()
                || now.iter().any(|(key, value)| {
                    before.get(key).is_none_or(|old| !same(old.as_deref(), value))
                })
        }
    }
}

fn same(old: Option<&str>, new: &Input<String>) -> bool {
    match (old, new) {
        (None, Input::Absent) => true,
        (Some(old), Input::Given(new)) => old == new,
        (None | Some(_), Input::Absent | Input::Unknown | Input::Given(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(pairs: &[(&str, &str)]) -> BTreeMap<String, Option<String>> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned()))).collect()
    }

    fn new(pairs: &[(&str, Input<&str>)]) -> Input<BTreeMap<String, Input<String>>> {
        let own = |value: &Input<&str>| value.map(str::to_owned);
        Input::Given(pairs.iter().map(|(key, value)| ((*key).to_owned(), own(value))).collect())
    }

    #[test]
    fn only_a_change_between_two_maps_rotates() {
        let before = old(&[("quarter", "1")]);
        let cases = [
            (Some(&before), new(&[("quarter", Input::Given("2"))]), true),
            (Some(&before), new(&[("quarter", Input::Given("1"))]), false),
            (Some(&before), new(&[("quarter", Input::Unknown)]), true),
            (Some(&before), new(&[("year", Input::Given("1"))]), true),
            (Some(&before), new(&[]), false),
            (Some(&before), Input::Absent, false),
            (Some(&before), Input::Unknown, true),
            (None, new(&[("quarter", Input::Given("2"))]), false),
            (None, Input::Unknown, false),
        ];
        for (before, now, expected) in cases {
            assert_eq!(rotates(before, &now), expected, "{now:?}");
        }
        assert!(!rotates(Some(&old(&[])), &new(&[("quarter", Input::Unknown)])));
    }
}
