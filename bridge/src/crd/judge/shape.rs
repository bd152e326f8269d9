//! Whether an object has the shape that a structural schema demands.
//!
//! Only what the project's own schemas use. A `pattern` is left out: wherever there is one, a rule
//! beside it says the same in words.

use serde_json::Value;

use super::Fault;

/// All places where the object has another shape.
pub(super) fn faults(schema: &Value, object: &Value) -> Vec<Fault> {
    let mut found = Vec::new();
    node(schema, object, "", &mut found);
    found
}

fn node(schema: &Value, value: &Value, path: &str, found: &mut Vec<Fault>) {
    let kind = schema["type"].as_str().unwrap_or_default();
    match (kind, value) {
        ("object", Value::Object(_)) => object(schema, value, path, found),
        ("array", Value::Array(items)) => array(schema, items, path, found),
        ("string", Value::String(text)) => string(schema, text, path, found),
        ("integer", Value::Number(number)) if number.is_i64() => {
            integer(schema, number.as_i64().unwrap_or_default(), path, found);
        }
        ("boolean", Value::Bool(_)) => {}
        _ => found.push(Fault::error(path, format!("it must be {}", a(kind)))),
    }
}

fn object(schema: &Value, value: &Value, path: &str, found: &mut Vec<Fault>) {
    let fields = value.as_object().into_iter().flatten();
    let given = fields.clone().filter(|(_, value)| !value.is_null());
    if let Some(values) = schema.get("additionalProperties") {
        given.for_each(|(name, value)| node(values, value, &join(path, name), found));
        return bounded(schema, "maxProperties", fields.count(), "entries", path, found);
    }
    // Kubernetes' own, such as the metadata.
    let Some(known) = schema["properties"].as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value[name].is_null() {
            found.push(Fault::error(join(path, name), "it is required"));
        }
    }
    for (name, value) in given {
        let path = join(path, name);
        if let Some(property) = known.get(name) {
            node(property, value, &path, found);
        } else {
            let message = format!("there is no field {name:?}; it would be dropped");
            found.push(Fault::error(path, message));
        }
    }
}

fn array(schema: &Value, items: &[Value], path: &str, found: &mut Vec<Fault>) {
    bounded(schema, "maxItems", items.len(), "elements", path, found);
    if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
        found.push(Fault::error(path, format!("it has at least {} element", schema["minItems"])));
    }
    for (index, item) in items.iter().enumerate() {
        node(&schema["items"], item, &format!("{path}[{index}]"), found);
    }
    if let Some(key) = schema["x-kubernetes-list-map-keys"][0].as_str() {
        for (index, item) in items.iter().enumerate() {
            if items[..index].iter().any(|other| other[key] == item[key]) {
                let message = format!("{} is there twice", item[key]);
                found.push(Fault::error(format!("{path}[{index}].{key}"), message));
            }
        }
    }
}

fn string(schema: &Value, text: &str, path: &str, found: &mut Vec<Fault>) {
    if let Some(words) = schema["enum"].as_array() {
        if !words.iter().any(|word| word == text) {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
            let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
            let message = format!("{text:?} is none of {}", words.join(", "));
            found.push(Fault::error(path, message));
        }
        return;
    }
    let length = text.chars().count();
    bounded(schema, "maxLength", length, "characters", path, found);
    if schema["minLength"].as_u64().is_some_and(|least| (length as u64) < least) {
        found.push(Fault::error(path, "it must not be empty"));
    }
}

fn integer(schema: &Value, value: i64, path: &str, found: &mut Vec<Fault>) {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    let low = least.is_some_and(|least| value < least);
    let high = most.is_some_and(|most| value > most);
    if let (true, Some(least), Some(most)) = (low || high, least, most) {
        found.push(Fault::error(path, format!("{value} is outside {least} to {most}")));
    }
}

fn bounded(
    schema: &Value,
    bound: &str,
    count: usize,
    what: &str,
    path: &str,
    found: &mut Vec<Fault>,
) {
    if let Some(most) = schema[bound].as_u64()
        && count as u64 > most
    {
        found
            .push(Fault::error(path, format!("it has {count} {what}, at most {most} are allowed")));
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn a(kind: &str) -> &'static str {
    match kind {
        "object" => "a map",
        "array" => "a list",
        "string" => "a text: write it in quotes",
        "integer" => "a whole number",
        "boolean" => "true or false",
        _ => "something else",
    }
}
