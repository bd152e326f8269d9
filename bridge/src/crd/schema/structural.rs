//! A structural schema out of the JSON Schema of a type.
//!
//! Structural means: no references, one type a node, null nowhere. Whatever has no bound of its own
//! gets one, since an API server estimates what a rule costs from the largest object there can be.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::rules::{self, Rule};

/// The longest text, the longest list and the largest map that have no bound of their own.
const TEXT: u64 = 1024;
const LIST: u64 = 64;

/// Keywords that mean the same to an API server.
const KEPT: &[&str] =
    &["minimum", "maximum", "maxLength", "minItems", "maxItems", "maxProperties", "pattern"];

/// Lists whose elements have a key of their own, so that two managers may each own some.
const KEYED: &[(&str, &str)] = &[("env", "name")];

/// One type on its way.
pub(super) struct Projection<'r> {
    root: Value,
    rules: &'r [Rule],
}

impl<'r> Projection<'r> {
    /// Of a type, with the rules for its nodes.
    pub(super) fn of<T: JsonSchema>(rules: &'r [Rule]) -> Self {
        Self { root: schemars::schema_for!(T).to_value(), rules }
    }

    /// The schema of the whole.
    pub(super) fn whole(&self) -> Value {
        self.node(&self.root, "", true)
    }

    /// One node. `path` leads to it, as `levels[].timeout`; what is not required may be empty.
    fn node(&self, given: &Value, path: &str, required: bool) -> Value {
        let here = self.resolve(given);
        let mut made = Map::new();
        if let Some(text) = description(given, here) {
            made.insert("description".to_owned(), text.into());
        }
        let kind = type_of(here);
        made.insert("type".to_owned(), kind.into());
        for keyword in KEPT {
            if let Some(value) = here.get(*keyword) {
                made.insert((*keyword).to_owned(), value.clone());
            }
        }
        match kind {
            "object" => self.object(here, path, &mut made),
            "array" => self.array(here, path, &mut made),
            "string" => string(here, required, &mut made),
            "integer" => number(here, &mut made),
            _ => {}
        }
        let mut made = Value::Object(made);
        rules::attach(&mut made, self.rules, path);
        made
    }

    fn object(&self, here: &Value, path: &str, made: &mut Map<String, Value>) {
        if let Some(values) = here.get("additionalProperties").filter(|values| values.is_object()) {
            made.entry("maxProperties").or_insert(LIST.into());
            let values = self.node(values, &format!("{path}{{}}"), true);
            made.insert("additionalProperties".to_owned(), values);
            return;
        }
        let required = here["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let properties = here["properties"].as_object().into_iter().flatten();
        let projected = properties.map(|(name, property)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let needed = required.iter().any(|one| one == name);
            (name.clone(), self.node(property, &path, needed))
        });
        made.insert("properties".to_owned(), Value::Object(projected.collect()));
        if !required.is_empty() {
            made.insert("required".to_owned(), required.into());
        }
    }

    fn array(&self, here: &Value, path: &str, made: &mut Map<String, Value>) {
        made.entry("maxItems").or_insert(LIST.into());
        match KEYED.iter().find(|(list, _)| *list == path) {
            Some((_, key)) => {
                made.insert("x-kubernetes-list-type".to_owned(), "map".into());
                made.insert("x-kubernetes-list-map-keys".to_owned(), json!([key]));
            }
            None => {
                made.insert("x-kubernetes-list-type".to_owned(), "atomic".into());
            }
        }
        made.insert("items".to_owned(), self.node(&here["items"], &format!("{path}[]"), true));
    }

    /// What a node says once its reference is followed and null is left out.
    fn resolve<'s>(&'s self, given: &'s Value) -> &'s Value {
        let choices = given["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let here = choices.iter().find(|one| one["type"] != "null").unwrap_or(given);
        let followed = here["$ref"]
            .as_str()
            .and_then(|reference| self.root.pointer(reference.trim_start_matches('#')));
        followed.unwrap_or(here)
    }
}

/// What people read, on one line, with the default that core fills in.
fn description(given: &Value, here: &Value) -> Option<String> {
    let text = given["description"].as_str().or_else(|| here["description"].as_str())?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(match given.get("default") {
        None | Some(Value::Array(_) | Value::Object(_)) => text,
        Some(Value::String(default)) if default.is_empty() => text,
        Some(Value::String(default)) => format!("{text} Default: {default}."),
        Some(default) => format!("{text} Default: {default}."),
    })
}

fn type_of(here: &Value) -> &str {
    if here.get("oneOf").is_some() {
        return "string";
    }
    let one = here["type"].as_str();
    let of_several = || here["type"].as_array()?.iter().find_map(Value::as_str);
    one.or_else(of_several).unwrap_or("object")
}

/// An optional text may be empty, which means that there is none.
fn string(here: &Value, required: bool, made: &mut Map<String, Value>) {
    let mut words = words(here);
    if words.is_empty() {
        made.entry("maxLength").or_insert(TEXT.into());
        if let Some(least) = here.get("minLength").filter(|_| required) {
            made.insert("minLength".to_owned(), least.clone());
        }
        return;
    }
    if !required && !words.contains(&json!("")) {
        words.push(json!(""));
    }
    made.insert("enum".to_owned(), words.into());
}

fn words(here: &Value) -> Vec<Value> {
    let variants = here["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = here["enum"].as_array().map(Vec::as_slice).unwrap_or_default();
    variants.iter().map(|one| one["const"].clone()).chain(listed.iter().cloned()).collect()
}

fn number(here: &Value, made: &mut Map<String, Value>) {
    if let Some(format) = here.get("format") {
        made.insert("format".to_owned(), format.clone());
    }
}
