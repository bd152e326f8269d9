//! No schema changes in a way that states feel without a stored state that shows how they feel it.
//!
//! `states/TYPE/` holds, for each shape that states of a resource have had, the shape itself and a
//! state of it: `VERSION.shape.json` and `VERSION.state.json`, a further shape of the same version
//! as `VERSION-2.…`. They are never changed, only added to. The suite of the strict host
//! (`tests/tests/host/states.rs`) takes every state through today's provider.
//!
//! After a change: raise the version and write an upgrade, or, if old states are read all the same
//! (an attribute was added), keep it; then run with `UPDATE_EXPECT=1`, this test and then
//! `cargo test -p terdut-tests --test host states`, and commit the new files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};
use terdut_plugin::engine::Engine;
use terdut_plugin::serve::Mask;
use terdut_provider::provider::Terdut;

/// The shape of a schema: what states and identities of it consist of, without any words.
fn shape(schema: &Json, identity: &Json) -> Json {
    json!({
        "version": schema["version"],
        "attributes": attributes(&schema["block"]["attributes"]),
        "identity_version": identity["version"],
        "identity": attributes(&identity["attributes"]),
    })
}

fn attributes(all: &Json) -> Json {
    let named = all.as_object().into_iter().flatten();
    named.map(|(name, attribute)| (name.clone(), one(attribute))).collect::<Map<_, _>>().into()
}

fn one(attribute: &Json) -> Json {
    let mut shape = match &attribute["nested_type"] {
        Json::Null => json!({ "type": attribute["type"] }),
        nested => json!({
            "nesting": nested["nesting_mode"],
            "attributes": attributes(&nested["attributes"]),
        }),
    };
    if attribute["write_only"] == true {
        shape["write_only"] = json!(true);
    }
    shape
}

/// The resources with their shapes of today.
fn shapes() -> Vec<(String, Json)> {
    let all = Engine::new(Terdut::new(Mask::new(), |_| None)).describe();
    let resources = all["resource_schemas"].as_object().expect("resources");
    let identities = &all["resource_identity_schemas"];
    let shaped = |(name, schema): (&String, &Json)| {
        (name.clone(), shape(schema, &identities[name.as_str()]))
    };
    resources.iter().map(shaped).collect()
}

fn folder(resource: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/states").join(resource)
}

/// The stored shapes of a resource, with their files, oldest first.
fn stored(resource: &str) -> Vec<(PathBuf, Json)> {
    let Ok(entries) = fs::read_dir(folder(resource)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut shapes: Vec<_> = paths
        .filter(|path| path.to_string_lossy().ends_with(".shape.json"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a shape");
            (path, serde_json::from_str(&text).expect("JSON"))
        })
        .collect();
    shapes.sort_by_key(|(path, _): &(PathBuf, Json)| place(path));
    shapes
}

/// Version and number of a file's name.
fn place(path: &Path) -> (u64, u64) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.split('.').next().unwrap_or_default();
    let (version, number) = stem.split_once('-').unwrap_or((stem, "1"));
    (version.parse().expect("a version"), number.parse().expect("a number"))
}

/// What is wrong with the stored shapes, given the one of today.
fn fault(resource: &str, today: &Json, stored: &[(PathBuf, Json)]) -> Option<String> {
    let (path, newest) = stored.last()?;
    if newest == today {
        return None;
    }
    let (then, now) = (newest["version"].as_i64(), today["version"].as_i64());
    Some(if now < then {
        format!("{resource}: its version went down, from {then:?} to {now:?}")
    } else {
        format!("{resource}: its shape is no longer that of {}", path.display())
    })
}

/// Writes today's shape beside those that are there.
fn add(resource: &str, today: &Json, stored: &[(PathBuf, Json)]) {
    let version = today["version"].as_u64().expect("a version");
    let same = stored.iter().filter(|(path, _)| place(path).0 == version).count();
    let stem = if same == 0 { version.to_string() } else { format!("{version}-{}", same + 1) };
    fs::create_dir_all(folder(resource)).expect("a folder");
    let path = folder(resource).join(format!("{stem}.shape.json"));
    fs::write(path, format!("{today:#}\n")).expect("a shape");
}

#[test]
fn every_shape_has_a_stored_state() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut faults = Vec::new();
    for (resource, today) in shapes() {
        let kept = stored(&resource);
        let fault = if kept.is_empty() {
            Some(format!("{resource}: no state of it is kept"))
        } else {
            fault(&resource, &today, &kept)
        };
        if update && fault.is_some() {
            add(&resource, &today, &kept);
            continue;
        }
        faults.extend(fault);
        for (path, _) in kept {
            let state = PathBuf::from(path.to_string_lossy().replace(".shape.", ".state."));
            if !update && !state.is_file() {
                faults.push(format!("{resource}: {} is missing", state.display()));
            }
        }
    }
    let advice = "Raise the schema's version and write an upgrade, or keep it where old states \
                  are read all the same; then add a state as this file's head says.";
    assert!(faults.is_empty(), "{}\n{advice}", faults.join("\n"));
}

#[test]
fn a_shape_changes_with_a_type_an_attribute_and_a_version_and_not_with_words() {
    let schema = |name: &str, ty: &str, version: u64, words: &str| {
        let attribute = json!({ "type": ty, "description": words, "optional": true });
        json!({ "version": version, "block": { "attributes": { name: attribute } } })
    };
    let identity = json!({ "version": 0, "attributes": { "id": { "type": "string" } } });
    let old = shape(&schema("name", "string", 0, "a"), &identity);
    let kept = [(PathBuf::from("0.shape.json"), old.clone())];
    let judged = |schema: Json, identity: &Json| fault("x", &shape(&schema, identity), &kept);
    assert_eq!(judged(schema("name", "string", 0, "b"), &identity), None);
    assert!(judged(schema("name", "number", 0, "a"), &identity).is_some());
    assert!(judged(schema("title", "string", 0, "a"), &identity).is_some());
    assert!(judged(schema("name", "string", 1, "a"), &identity).is_some());
    assert!(judged(schema("name", "string", 0, "a"), &json!({ "version": 0 })).is_some());
}
