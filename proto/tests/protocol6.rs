//! Holds our own `.proto` file to the table of the published protocol in `protocol6.txt`.
//!
//! The words of the file are ours; names, numbers and types are not ours to choose. `cargo xtask
//! gen --check` covers the way from the file to the generated code.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::collections::BTreeSet;
use std::path::Path;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    MethodDescriptorProto,
};

#[test]
fn the_proto_file_says_what_the_published_protocol_says() {
    let published: BTreeSet<String> = include_str!("protocol6.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    let ours: BTreeSet<String> = rows(&file()).into_iter().collect();
    let missing: Vec<_> = published.difference(&ours).collect();
    let invented: Vec<_> = ours.difference(&published).collect();
    assert!(missing.is_empty() && invented.is_empty(), "-{missing:#?}\n+{invented:#?}");
}

fn file() -> FileDescriptorProto {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let set = protox::compile(["tfplugin6.proto"], [folder]).unwrap();
    set.file.into_iter().find(|file| file.package() == "tfplugin6").unwrap()
}

fn rows(file: &FileDescriptorProto) -> Vec<String> {
    let mut rows: Vec<_> = file.service[0].method.iter().map(method_row).collect();
    for message in &file.message_type {
        message_rows(message.name(), message, &mut rows);
    }
    for words in &file.enum_type {
        enum_rows(words.name(), words, &mut rows);
    }
    rows
}

fn method_row(method: &MethodDescriptorProto) -> String {
    let side = |name: &str, streams| {
        let name = name.trim_start_matches(".tfplugin6.");
        if streams { format!("stream:{name}") } else { name.to_owned() }
    };
    let request = side(method.input_type(), method.client_streaming());
    let response = side(method.output_type(), method.server_streaming());
    format!("rpc {} {request} {response}", method.name())
}

fn message_rows(path: &str, message: &DescriptorProto, rows: &mut Vec<String>) {
    for field in &message.field {
        rows.push(field_row(path, message, field));
    }
    for words in &message.enum_type {
        enum_rows(&format!("{path}.{}", words.name()), words, rows);
    }
    for inner in message.nested_type.iter().filter(|inner| !is_map(inner)) {
        message_rows(&format!("{path}.{}", inner.name()), inner, rows);
    }
}

fn enum_rows(path: &str, words: &EnumDescriptorProto, rows: &mut Vec<String>) {
    rows.extend(
        words.value.iter().map(|word| format!("enum {path}.{} {}", word.name(), word.number())),
    );
}

fn field_row(path: &str, message: &DescriptorProto, field: &FieldDescriptorProto) -> String {
    let map = message.nested_type.iter().find(|inner| is_map(inner) && named(inner, field));
    let (kind, label) = match map {
        Some(map) => (format!("map<{},{}>", kind(&map.field[0]), kind(&map.field[1])), ""),
        None => (kind(field), label(field)),
    };
    format!("field {path}.{} {} {kind} {label}", field.name(), field.number()).trim_end().to_owned()
}

fn is_map(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(prost_types::MessageOptions::map_entry)
}

fn named(message: &DescriptorProto, field: &FieldDescriptorProto) -> bool {
    field.type_name().rsplit('.').next() == Some(message.name())
}

/// The table has the last part of a type's name only.
fn kind(field: &FieldDescriptorProto) -> String {
    match field.r#type() {
        Type::Message | Type::Enum => {
            field.type_name().rsplit('.').next().unwrap_or_default().to_owned()
        }
        scalar => scalar.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
    }
}

fn label(field: &FieldDescriptorProto) -> &'static str {
    match field.label() {
        Label::Repeated => "repeated",
        _ if field.proto3_optional() => "optional",
        _ if field.oneof_index.is_some() => "oneof",
        _ => "",
    }
}
