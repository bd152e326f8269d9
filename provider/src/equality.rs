//! When two spellings mean the same.
//!
//! Schemas use it; what the meaning is stands in core's value types.

use std::str::FromStr;

use terdut_plugin::value::Value;

/// Whether two texts are the same value of core's: `equal_by(same::<GoDuration>)`.
pub fn same<T: FromStr + PartialEq>(one: &Value, other: &Value) -> bool {
    let parse = |value: &Value| value.as_str().and_then(|text| text.parse::<T>().ok());
    matches!((parse(one), parse(other)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use terdut_core::value::{GoDuration, Matcher};

    use super::*;

    #[test]
    fn spelling_is_not_meaning() {
        assert!(same::<GoDuration>(&"60m".into(), &"1h".into()));
        assert!(same::<Matcher>(&"a=1, b=2".into(), &"b=2,a=1".into()));
        assert!(!same::<GoDuration>(&"60m".into(), &"2h".into()));
        assert!(!same::<GoDuration>(&"soon".into(), &"soon".into()), "no value means nothing");
    }
}
