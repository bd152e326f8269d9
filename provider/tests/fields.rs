//! Shows every field that can be written in a configuration in one table, `docs/terraform-fields.md`.
//!
//! `UPDATE_EXPECT=1 cargo test -p terraform-provider-terdut --test fields` writes it again.

use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::Value as Json;
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::Mask;
use terdut_provider::provider::Terdut;

const HEAD: &str = "# Every field in Terraform\n\n\
    Generated from the schemas by a test of the provider; a change of what users see shows here.\n\n\
    R required, O optional, C computed, S sensitive, WO write-only.\n";

/// The letters of a field's mode.
fn mode(field: &Json) -> String {
    let letters = [
        ("required", "R"),
        ("optional", "O"),
        ("computed", "C"),
        ("sensitive", "S"),
        ("write_only", "WO"),
    ];
    let set = letters.iter().filter(|(name, _)| field[*name] == Json::Bool(true));
    set.map(|(_, letter)| *letter).collect::<Vec<_>>().join(" ")
}

/// A type as people write it.
fn type_of(field: &Json) -> String {
    match (&field["nested_type"]["nesting_mode"], &field["type"]) {
        (Json::String(nesting), _) if nesting == "single" => "object".to_owned(),
        (Json::String(nesting), _) => format!("{nesting}(object)"),
        (_, Json::Array(parts)) => {
            let parts: Vec<_> = parts.iter().filter_map(Json::as_str).collect();
            parts.join("(") + &")".repeat(parts.len().saturating_sub(1))
        }
        (_, name) => name.as_str().unwrap_or_default().to_owned(),
    }
}

fn rows(table: &mut String, prefix: &str, fields: &Json) {
    for (name, field) in fields.as_object().into_iter().flatten() {
        let path = format!("{prefix}{name}");
        let text = field["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(table, "| `{path}` | {} | {} | {text} |", type_of(field), mode(field));
        let is_list = field["nested_type"]["nesting_mode"] == "list";
        let below = format!("{path}{}.", if is_list { "[]" } else { "" });
        rows(table, &below, &field["nested_type"]["attributes"]);
    }
}

fn section(page: &mut String, title: &str, schema: &Json) {
    let text = schema["block"]["description"].as_str().unwrap_or_default();
    let _ = write!(page, "\n## {title}\n\n{text}\n\n| field | type | mode | meaning |\n");
    page.push_str("|---|---|---|---|\n");
    rows(page, "", &schema["block"]["attributes"]);
}

#[test]
fn the_table_of_fields_is_that_of_the_page() {
    let schemas = Engine::new(Terdut::new(Mask::new(), |_| None)).describe();
    let mut page = HEAD.to_owned();
    section(&mut page, "The provider's settings", &schemas["provider"]);
    for (kind, title) in [
        ("resource_schemas", "Resource"),
        ("data_source_schemas", "Data source"),
        ("ephemeral_resource_schemas", "Ephemeral resource"),
        ("list_resource_schemas", "List of"),
        ("action_schemas", "Action"),
    ] {
        for (name, schema) in schemas[kind].as_object().into_iter().flatten() {
            section(&mut page, &format!("{title} `{name}`"), schema);
        }
    }
    expect_file!["../../docs/terraform-fields.md"].assert_eq(&page);
}
