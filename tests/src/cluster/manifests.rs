//! YAML manifests as JSON.

use std::path::Path;

use serde_json::Value as Json;

/// The documents of a file.
///
/// # Panics
/// If it cannot be read or is no YAML.
pub fn read(file: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(file);
    parse(&text.unwrap_or_else(|error| panic!("reading {}: {error}", file.display())))
}

/// The documents of a text; empty ones are left out.
///
/// # Panics
/// If it is no YAML.
pub fn parse(text: &str) -> Vec<Json> {
    let documents: Vec<Json> = serde_saphyr::from_multiple(text)
        .unwrap_or_else(|error| panic!("a manifest is YAML: {error}\n{text}"));
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn several_documents_come_in_their_order() {
        let text = "# first\na: 1\nb: [x, \"5m\"]\n---\n---\nc: {d: \"true\", e: true}\n";
        let expected =
            vec![json!({"a": 1, "b": ["x", "5m"]}), json!({"c": {"d": "true", "e": true}})];
        assert_eq!(parse(text), expected);
    }
}
