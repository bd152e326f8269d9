//! YAML for manifests: blocks, fields by name, texts in quotes unless they can be nothing else.

use serde_json::{Map, Value};

use super::text::escaped;

/// Words that some reader of YAML takes for something else than a text.
const RESERVED: [&str; 9] = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"];

/// A document; it ends with a line break.
pub(super) fn document(object: &Value) -> String {
    lines(object).join("\n") + "\n"
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) if !fields.is_empty() => mapping(fields),
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(item).collect(),
        scalar => vec![self::scalar(scalar)],
    }
}

fn mapping(fields: &Map<String, Value>) -> Vec<String> {
    // The map's own order depends on how serde_json was built.
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    sorted.into_iter().flat_map(|(name, value)| field(name, value)).collect()
}

fn field(name: &str, value: &Value) -> Vec<String> {
    let (name, below) = (text(name), lines(value));
    if is_scalar(value) {
        return below.iter().map(|line| format!("{name}: {line}")).collect();
    }
    let indented = below.iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{name}:")).chain(indented).collect()
}

fn item(value: &Value) -> Vec<String> {
    let lines = lines(value).into_iter().enumerate();
    lines
        .map(|(at, line)| if at == 0 { format!("- {line}") } else { format!("  {line}") })
        .collect()
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

/// A text, or what JSON and YAML write alike.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(content) => text(content),
        other => other.to_string(),
    }
}

fn text(content: &str) -> String {
    if is_plain(content) { content.to_owned() } else { quoted(content) }
}

fn is_plain(content: &str) -> bool {
    let inside =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '/' | '.');
    content.starts_with(|first: char| first.is_ascii_alphabetic())
        && content.chars().all(inside)
        && !RESERVED.contains(&content.to_ascii_lowercase().as_str())
}

fn quoted(content: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        other => escaped(other).unwrap_or_else(|| other.to_string()),
    };
    format!("\"{}\"", content.chars().map(letter).collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_by_name_and_texts_stay_texts() {
        let object = json!({
            "kind": "X",
            "b": [{"z": "5m", "a": ["no", "a: b # c"]}, {"k": "\u{85}\"\\"}],
            "count": 2,
            "none": [],
            "domain/name": "alertname=Watchdog",
        });
        let expected = expect_test::expect![[r#"
            b:
              - a:
                  - "no"
                  - "a: b # c"
                z: "5m"
              - k: "\u0085\"\\"
            count: 2
            domain/name: "alertname=Watchdog"
            kind: X
            none: []
        "#]];
        expected.assert_eq(&document(&object));
    }
}
