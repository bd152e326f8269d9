//! Terraform schemas out of core's models.
//!
//! Resources and data sources call it. Types, descriptions, defaults and who must set what are
//! core's, read from the JSON Schema of a `…Spec`; a resource adds only what is its own. No text
//! about an attribute is written twice.

use schemars::JsonSchema;
use serde_json::Value as Json;
use terdut_plugin::schema::{Attribute, Kind};
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

#[cfg(test)]
mod tests;

/// The JSON Schema of a spec.
#[derive(Clone, Debug)]
pub struct Spec {
    root: Json,
    here: Json,
}

impl Spec {
    /// The spec `T`.
    pub fn of<T: JsonSchema>() -> Self {
        let root = schemars::schema_for!(T).to_value();
        Self { here: root.clone(), root }
    }

    /// What it says about the whole.
    pub fn description(&self) -> String {
        text(&self.here)
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
        Self { root: self.root.clone(), here }
    }

    /// Gives an attribute that is made elsewhere the description of that property.
    pub fn describe(&self, attribute: Attribute) -> Attribute {
        let property = &self.here["properties"][camel(attribute.name())];
        let described = text(property);
        attribute.describe(described)
    }

    fn project(
        &self,
        prefix: &str,
        refine: &dyn Fn(&str, Attribute) -> Attribute,
    ) -> Vec<Attribute> {
        let properties = self.here["properties"].as_object().into_iter().flatten();
        let project = |(name, property): (&String, &Json)| {
            let name = snake(name);
            let path = format!("{prefix}{name}");
            let attribute = Attribute::new(name, self.kind(&path, property, refine));
            refine(&path, self.mode(attribute, property))
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
        let nested = Self { root: self.root.clone(), here: object.clone() };
        nested.project(&format!("{path}."), refine)
    }

    /// The object that a property refers to, also where it may be null.
    fn inner<'s>(&'s self, property: &'s Json) -> Option<&'s Json> {
        let references = property["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let reference =
            [property].into_iter().chain(references).find_map(|one| one["$ref"].as_str());
        self.root.pointer(reference?.trim_start_matches('#'))
    }

    fn mode(&self, attribute: Attribute, property: &Json) -> Attribute {
        let name = camel(attribute.name());
        let required = self.here["required"].as_array().into_iter().flatten();
        let described = attribute.describe(text(property));
        match default(property) {
            Some((value, shown)) => {
                let described =
                    described.describe(format!("{} Default: `{shown}`.", text(property)));
                described.default_value(value)
            }
            None if required.into_iter().any(|one| *one == name) => described.required(),
            None => described.optional().empty_is_null(),
        }
    }
}

fn default(property: &Json) -> Option<(Value, String)> {
    match &property["default"] {
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

/// The description; a line break inside of a paragraph is only our source's.
fn text(property: &Json) -> String {
    let text = property["description"].as_str().unwrap_or_default();
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn snake(camel: &str) -> String {
    let mut snake = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn camel(snake: &str) -> String {
    let mut camel = String::new();
    let mut words = snake.split('_');
    camel.push_str(words.next().unwrap_or_default());
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}
