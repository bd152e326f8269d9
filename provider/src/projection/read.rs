//! What a configuration says, as core's spec reads it.

use serde_json::Value as Json;
use terdut_plugin::value::Value;

use super::names::snake;
use super::{Spec, type_of};

impl Spec {
    /// The JSON of an object of the configuration. What is null or not known yet is absent, or
    /// empty where the spec demands it; so is a number that no field of core's can hold, of which
    /// its bounds tell.
    pub fn read(&self, value: &Value) -> Json {
        let properties = self.here["properties"].as_object().into_iter().flatten();
        let field = |(name, property): (&String, &Json)| {
            let value = value.attribute(&snake(name)).unwrap_or(&Value::Null);
            Some((name.clone(), self.field(name, property, value)?))
        };
        Json::Object(properties.filter_map(field).collect())
    }

    fn field(&self, name: &str, property: &Json, value: &Value) -> Option<Json> {
        if let Some(object) = self.inner(property) {
            let wanted = self.requires(name) || value.members().is_some();
            return wanted.then(|| self.at(object).read(value));
        }
        let absent = || self.requires(name).then(|| Json::String(String::new()));
        match value {
            Value::Bool(value) => Some(Json::Bool(*value)),
            Value::String(text) => Some(Json::String(text.clone())),
            Value::Number(_) => {
                value.as_i64().and_then(|it| i32::try_from(it).ok()).map(Json::from)
            }
            Value::Map(members) => Some(Json::Object(members.iter().map(member).collect())),
            Value::List(items) => Some(Json::Array(self.items(property, items))),
            _ if type_of(property) == "string" => absent(),
            _ => None,
        }
    }

    fn items(&self, property: &Json, items: &[Value]) -> Vec<Json> {
        match self.inner(&property["items"]) {
            Some(object) => {
                let spec = self.at(object);
                items.iter().map(|item| spec.read(item)).collect()
            }
            None => items.iter().map(text).collect(),
        }
    }
}

fn member((name, value): (&String, &Value)) -> (String, Json) {
    (name.clone(), text(value))
}

/// Lists and maps without attributes hold texts only.
fn text(value: &Value) -> Json {
    Json::String(value.as_str().unwrap_or_default().to_owned())
}
