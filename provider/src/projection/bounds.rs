//! The bounds of a field, as a check of what was written.

use serde_json::Value as Json;
use terdut_plugin::schema::Attribute;
use terdut_plugin::value::Value;

/// How much there may be, both ends included.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: u64,
    most: u64,
}

/// The attribute with a check of the property's bounds.
pub(super) fn check(attribute: Attribute, property: &Json) -> Attribute {
    let length = bounds(property, "minLength", "maxLength");
    let items = bounds(property, "minItems", "maxItems");
    let members = bounds(property, "minProperties", "maxProperties");
    let inner = bounds(&property["items"], "minLength", "maxLength");
    let number = (property["minimum"].as_i64(), property["maximum"].as_i64());
    attribute.check(move |value| match value {
        Value::String(text) => within(text.chars().count(), length, "characters"),
        Value::Number(_) => whole(value.as_i64(), number),
        Value::Map(map) => within(map.len(), members, "entries"),
        Value::List(list) => {
            within(list.len(), items, "elements")?;
            let texts = list.iter().filter_map(Value::as_str);
            let mut faults = texts.map(|text| within(text.chars().count(), inner, "characters"));
            faults.find(Result::is_err).unwrap_or(Ok(()))
        }
        _ => Ok(()),
    })
}

fn bounds(property: &Json, least: &str, most: &str) -> Option<Bounds> {
    let (least, most) = (property[least].as_u64(), property[most].as_u64());
    let bounds = Bounds { least: least.unwrap_or(0), most: most.unwrap_or(u64::MAX) };
    (least.is_some() || most.is_some()).then_some(bounds)
}

fn within(count: usize, bounds: Option<Bounds>, of_what: &str) -> Result<(), String> {
    let Some(Bounds { least, most }) = bounds else { return Ok(()) };
    match count as u64 {
        0 if least > 0 => Err("It must not be empty.".to_owned()),
        count if count < least => {
            Err(format!("It has {count} {of_what}, at least {least} are needed."))
        }
        count if count > most => {
            Err(format!("It has {count} {of_what}, at most {most} are possible."))
        }
        _ => Ok(()),
    }
}

fn whole(number: Option<i64>, (least, most): (Option<i64>, Option<i64>)) -> Result<(), String> {
    let Some(number) = number else { return Err("It must be a whole number.".to_owned()) };
    let (least, most) = (least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX));
    if (least..=most).contains(&number) {
        Ok(())
    } else {
        Err(format!("{number} is outside {least} to {most}."))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_ends_of_a_bound_belong_to_it() {
        let length = bounds(&json!({"minLength": 1, "maxLength": 2}), "minLength", "maxLength");
        let told = |count| within(count, length, "characters").err();
        assert_eq!(told(0).as_deref(), Some("It must not be empty."));
        assert_eq!((told(1), told(2)), (None, None));
        assert_eq!(told(3).as_deref(), Some("It has 3 characters, at most 2 are possible."));
        assert!(within(9, None, "characters").is_ok());
    }

    #[test]
    fn a_number_is_whole_and_within() {
        assert!(whole(None, (None, None)).is_err());
        assert!(whole(Some(0), (Some(0), Some(10))).is_ok());
        assert_eq!(whole(Some(11), (Some(0), Some(10))).unwrap_err(), "11 is outside 0 to 10.");
    }
}
