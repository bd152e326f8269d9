//! No schema changes in a way that states feel without a stored state that shows how they feel it.
//!
//! `states/TYPE/` holds, for each shape that states of a resource have had, the shape itself and a
//! state of it: `VERSION.shape.json` and `VERSION.state.json`, a further shape of the same version
//! as `VERSION-2.…`. They are never changed, only added to: `states/sums` has the sum of each, and
//! a sum is never written anew. The suite of the strict host (`tests/tests/host/states.rs`) takes
//! every state through today's provider.
//!
//! After a change: raise the version and write an upgrade, or, if old states are read all the same
//! (an attribute was added), keep it; then run with `UPDATE_EXPECT=1` this test, then
//! `cargo test -p terdut-tests --test host states`, then this test again, and commit the new files.

use std::collections::BTreeMap;
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

/// The sum of a file, FNV-1a: it need not withstand anybody, only show a change.
fn sum(bytes: &[u8]) -> String {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, add))
}

/// The sums of all that is kept, by the file's place under `states`.
fn sums() -> BTreeMap<String, String> {
    let folders = fs::read_dir(folder("")).expect("the kept states");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("a resource's states"));
    let one = |path: PathBuf| {
        let place = path.strip_prefix(folder("")).expect("a place under it");
        (place.display().to_string(), sum(&fs::read(&path).expect("a file")))
    };
    files.map(|entry| one(entry.expect("an entry").path())).collect()
}

/// What is no longer as it was written down, and what was not written down.
fn sums_at_odds(
    written: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> (Vec<String>, Vec<String>) {
    let changed = written.iter().filter(|(place, sum)| now.get(*place) != Some(sum));
    let new = now.keys().filter(|place| !written.contains_key(*place));
    (changed.map(|(place, _)| place.clone()).collect(), new.cloned().collect())
}

#[test]
fn what_is_kept_is_never_changed() {
    let path = folder("").join("sums");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    let mut written: BTreeMap<_, _> =
        lines.map(|(sum, place)| (place.to_owned(), sum.to_owned())).collect();
    let now = sums();
    let (changed, new) = sums_at_odds(&written, &now);
    assert!(
        changed.is_empty(),
        "{changed:?}: states of this form are in use and stay as they are; add a further one"
    );
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        written.extend(new.iter().map(|place| (place.clone(), now[place].clone())));
        let lines = written
            .iter()
            .map(|(place, sum)| format!("{sum}  {place}\n"))
            .collect::<Vec<_>>()
            .concat();
        fs::write(path, lines).expect("the sums");
        return;
    }
    assert!(new.is_empty(), "{new:?} have no sum yet; UPDATE_EXPECT=1 writes it");
}

#[test]
fn a_changed_and_a_missing_file_are_told_and_a_new_one_is_new() {
    let all = |pairs: &[(&str, &[u8])]| -> BTreeMap<String, String> {
        pairs.iter().map(|(place, bytes)| ((*place).to_owned(), sum(bytes))).collect()
    };
    let written = all(&[("a", b"1"), ("b", b"2"), ("c", b"3")]);
    let now = all(&[("a", b"1"), ("b", b"2 "), ("d", b"4")]);
    let (changed, new) = sums_at_odds(&written, &now);
    assert_eq!((changed, new), (vec!["b".into(), "c".into()], vec!["d".into()]));
    // The sum of the published test vector.
    assert_eq!(sum(b"foobar"), "85944171f73967e8");
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
