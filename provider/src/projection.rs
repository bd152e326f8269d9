//! Terraform schemas out of core's models.
//!
//! Resources and data sources call it. Types, descriptions, defaults and who must set what are
//! core's, read from the JSON Schema of a `…Spec`; a resource adds only what is its own. No text
//! about an attribute is written twice. What a configuration says goes the same way back
//! ([`Spec::read`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value as Json;
use terdut_plugin::schema::{Attribute, Kind};
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

mod bounds;
mod names;
mod read;
#[cfg(test)]
mod tests;

use names::{camel, snake, snake_in_text};

/// The JSON Schema of a spec, or of an object in it.
#[derive(Clone, Debug)]
pub struct Spec {
    whole: Arc<Whole>,
    here: Json,
    input: bool,
}

/// What all objects of a spec share. Hosts wait for schemas at every start, so that it is there once.
#[derive(Debug)]
struct Whole {
    root: Json,
    /// The names of the fields of all objects.
    fields: BTreeSet<String>,
}

impl Spec {
    /// The spec `T`.
    pub fn of<T: JsonSchema>() -> Self {
        let root = schemars::schema_for!(T).to_value();
        let (here, fields) = (root.clone(), names::of_fields(&root));
        Self { whole: Arc::new(Whole { root, fields }), here, input: false }
    }

    /// For what is only read, as a data source's arguments: a default is told but not planned,
    /// bounds are checked, and texts name fields as Terraform does.
    #[must_use]
    pub fn as_input(self) -> Self {
        Self { input: true, ..self }
    }

    /// What it says about the whole.
    pub fn description(&self) -> String {
        self.text(&self.here)
    }

    /// All attributes, nested ones included. `refine` adds what is Terraform's own to each; it is
    /// called with the way to it, as `levels.targets.kind`.
    pub fn attributes(&self, refine: impl Fn(&str, Attribute) -> Attribute) -> Vec<Attribute> {
        self.project("", &refine)
    }

    /// The spec of a nested object.
    #[must_use]
    pub fn nested(&self, name: &str) -> Self {
        let property = self.here["properties"][camel(name)].clone();
        let here = self.inner(&property).cloned().unwrap_or_default();
        self.at(&here)
    }

    /// Gives an attribute that is made elsewhere the description of that property.
    pub fn describe(&self, attribute: Attribute) -> Attribute {
        let property = &self.here["properties"][camel(attribute.name())];
        attribute.describe(self.text(property))
    }

    fn project(
        &self,
        prefix: &str,
        refine: &dyn Fn(&str, Attribute) -> Attribute,
    ) -> Vec<Attribute> {
        let properties = self.here["properties"].as_object().into_iter().flatten();
        let project = |(name, property): (&String, &Json)| {
            let path = format!("{prefix}{}", snake(name));
            let attribute = Attribute::new(snake(name), self.kind(&path, property, refine));
            let attribute = self.mode(attribute, name, property);
            refine(&path, if self.input { bounds::check(attribute, property) } else { attribute })
        };
        properties.map(project).collect()
    }

    fn kind(
        &self,
        path: &str,
        property: &Json,
        refine: &dyn Fn(&str, Attribute) -> Attribute,
    ) -> Kind {
        if let Some(object) = self.inner(property) {
            return Kind::Single(self.below(path, object, refine));
        }
        match type_of(property) {
            "array" => match self.inner(&property["items"]) {
                Some(object) => Kind::List(self.below(path, object, refine)),
                None => Kind::Value(Type::list(scalar(&property["items"]))),
            },
            "object" => Kind::Value(Type::map(Type::String)),
            _ => Kind::Value(scalar(property)),
        }
    }

    fn below(
        &self,
        path: &str,
        object: &Json,
        refine: &dyn Fn(&str, Attribute) -> Attribute,
    ) -> Vec<Attribute> {
        self.at(object).project(&format!("{path}."), refine)
    }

    /// The same spec, seen from an object in it.
    fn at(&self, object: &Json) -> Self {
        Self { whole: Arc::clone(&self.whole), here: object.clone(), input: self.input }
    }

    /// The object that a property refers to, also where it may be null.
    fn inner<'s>(&'s self, property: &'s Json) -> Option<&'s Json> {
        let references = property["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let reference =
            [property].into_iter().chain(references).find_map(|one| one["$ref"].as_str());
        self.whole.root.pointer(reference?.trim_start_matches('#'))
    }

    /// The description, and who sets it.
    fn mode(&self, attribute: Attribute, name: &str, property: &Json) -> Attribute {
        let description = self.text(property);
        match default(property) {
            Some((_, shown)) if self.input => {
                attribute.describe(format!("{description} Default: `{shown}`."))
            }
            Some((value, shown)) => attribute
                .describe(format!("{description} Default: `{shown}`."))
                .default_value(value)
                .empty_is_null(),
            None if self.requires(name) => attribute.describe(description).required(),
            None => attribute.describe(description).optional().empty_is_null(),
        }
    }

    fn requires(&self, name: &str) -> bool {
        let required = self.here["required"].as_array().into_iter().flatten();
        required.into_iter().any(|one| one == name)
    }

    /// The description; a line break inside of a paragraph is only our source's.
    fn text(&self, property: &Json) -> String {
        let text = property["description"].as_str().unwrap_or_default();
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
        let text = paragraphs.collect::<Vec<_>>().join("\n\n");
        if self.input { snake_in_text(&text, &self.whole.fields) } else { text }
    }
}

fn default(property: &Json) -> Option<(Value, String)> {
    match &property["default"] {
        // What may be left out and is empty then has no default to tell.
        Json::String(text) if text.is_empty() => None,
        Json::String(text) => Some((Value::string(text.as_str()), text.clone())),
        Json::Bool(value) => Some((Value::Bool(*value), value.to_string())),
        Json::Number(number) => Some((Value::from(number.as_i64()?), number.to_string())),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn scalar(property: &Json) -> Type {
    match type_of(property) {
        "integer" | "number" => Type::Number,
        "boolean" => Type::Bool,
        _ => Type::String,
    }
}

/// The type's name; what may be null has two.
fn type_of(property: &Json) -> &str {
    match &property["type"] {
        Json::String(one) => one,
        Json::Array(several) => {
            several.iter().filter_map(Json::as_str).find(|one| *one != "null").unwrap_or_default()
        }
        _ => "",
    }
}
