//! Names of fields, as core's specs and as Terraform write them.

use std::collections::BTreeSet;

use serde_json::Value as Json;

/// A field of a spec, in Terraform: `ntfyURL` is `ntfy_url`.
pub(super) fn snake(camel: &str) -> String {
    let mut snake = String::new();
    let mut before_is_capital = true;
    for letter in camel.chars() {
        let capital = letter.is_ascii_uppercase();
        if capital && !before_is_capital {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
        before_is_capital = capital;
    }
    snake
}

/// The way back, for specs without initialisms.
pub(super) fn camel(snake: &str) -> String {
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

/// A text whose quoted names of fields are Terraform's.
pub(super) fn snake_in_text(text: &str, fields: &BTreeSet<String>) -> String {
    let spell = |(position, part): (usize, &str)| {
        let quoted = position % 2 == 1;
        if quoted && fields.contains(part) { snake(part) } else { part.to_owned() }
    };
    text.split('`').enumerate().map(spell).collect::<Vec<_>>().join("`")
}

/// The names of the fields of all objects of a schema.
pub(super) fn of_fields(schema: &Json) -> BTreeSet<String> {
    let definitions = schema["$defs"].as_object().into_iter().flat_map(|all| all.values());
    let objects = definitions.chain([schema]);
    let fields = objects.flat_map(|object| object["properties"].as_object().into_iter().flatten());
    fields.map(|(name, _)| name.clone()).collect()
}
