//! A made-up API server that keeps objects, for tests of whole passes.
//!
//! It does what the controllers rely on: versions and UIDs that are held to, patches, finalizers,
//! deletion, statuses. It checks no schema; that is for the cluster suite.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Map, Value, json};

use super::life::Life;
use super::{Answer, Asked, FakeApi};

/// Where the five kinds are.
pub(crate) const GROUP: &str = "/apis/terdut.ryuvia.com/v1alpha1";

/// The objects; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Cluster(Arc<Mutex<Objects>>);

#[derive(Default)]
struct Objects {
    /// By path.
    kept: BTreeMap<String, Value>,
    version: u64,
    writes: Vec<String>,
    events: Vec<Value>,
    refused: Vec<(String, u16)>,
}

impl Cluster {
    /// A server over these objects, which answers as long as that life lasts.
    pub(crate) async fn serve(&self, life: &Life) -> FakeApi {
        let (objects, life) = (self.clone(), life.clone());
        FakeApi::start(move |asked| {
            if !life.passes() {
                return Answer::Hang;
            }
            let answer = objects.lock().answer(asked);
            if life.passes() { answer } else { Answer::Hang }
        })
        .await
    }

    /// Puts an object there as a person would, with a UID of its own.
    pub(crate) fn put(&self, path: &str, mut object: Value) {
        let mut objects = self.lock();
        objects.version += 1;
        let (uid, version) = (format!("uid-{}", objects.version), objects.version.to_string());
        let second = objects.version % 60;
        let meta = &mut object["metadata"];
        let (collection, name) = path.rsplit_once('/').unwrap();
        meta["name"] = json!(name);
        meta["namespace"] = json!(collection.split('/').rev().nth(1).unwrap());
        for (key, value) in [
            ("uid", json!(uid)),
            ("generation", json!(1)),
            ("creationTimestamp", json!(format!("2026-01-01T00:00:{second:02}Z"))),
        ] {
            if meta[key].is_null() {
                meta[key] = value;
            }
        }
        meta["resourceVersion"] = json!(version);
        objects.kept.insert(path.to_owned(), object);
    }

    /// Changes an object as a person would: a change of the spec is a new generation.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut objects = self.lock();
        objects.version += 1;
        let version = objects.version.to_string();
        let object = objects.kept.get_mut(path).expect("an object to edit");
        let before = object["spec"].clone();
        change(object);
        if object["spec"] != before {
            let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            object["metadata"]["generation"] = json!(generation + 1);
        }
        object["metadata"]["resourceVersion"] = json!(version);
    }

    /// Asks for an object's deletion, which its finalizers hold up.
    pub(crate) fn delete(&self, path: &str) {
        self.edit(path, |object| {
            object["metadata"]["deletionTimestamp"] = json!("2026-01-02T00:00:00Z");
        });
        self.lock().collect(path);
    }

    /// Takes an object away, whatever holds it.
    pub(crate) fn remove(&self, path: &str) -> Option<Value> {
        self.lock().kept.remove(path)
    }

    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        self.lock().kept.get(path).cloned()
    }

    /// All objects whose path begins so.
    pub(crate) fn below(&self, prefix: &str) -> Vec<Value> {
        let objects = self.lock();
        let below = objects.kept.iter().filter(|(path, _)| path.starts_with(prefix));
        below.map(|(_, object)| object.clone()).collect()
    }

    /// Refuses every request whose path holds that text.
    pub(crate) fn refuse(&self, part: &str, code: u16) {
        self.lock().refused.push((part.to_owned(), code));
    }

    /// Refuses nothing any more.
    pub(crate) fn allow(&self) {
        self.lock().refused.clear();
    }

    /// Method and path of every write since the last time, Events left out.
    pub(crate) fn take_writes(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().writes)
    }

    /// The reasons of the Events since the last time.
    pub(crate) fn take_events(&self) -> Vec<String> {
        let events = std::mem::take(&mut self.lock().events);
        events.iter().map(|event| event["reason"].as_str().unwrap().to_owned()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap()
    }
}

impl Objects {
    fn answer(&mut self, asked: &Asked) -> Answer {
        let path = asked.path.as_str();
        if let Some((_, code)) = self.refused.iter().find(|(part, _)| path.contains(part)) {
            return Answer::refusal(*code, "Refused");
        }
        if asked.method == "GET" {
            return self.read(path);
        }
        if path.ends_with("/events") {
            self.events.push(asked.body.clone());
            return Answer::Json(201, asked.body.clone());
        }
        self.writes.push(asked.line());
        match asked.method.as_str() {
            "POST" => self.create(path, asked.body.clone()),
            "PUT" => self.replace(path, asked.body.clone()),
            "DELETE" => self.delete(path, &asked.body),
            "PATCH" => match path.strip_suffix("/status") {
                Some(object) => self.status(object, &asked.body),
                None if asked.body.is_array() => self.tested_patch(path, &asked.body),
                None => self.merge(path, &asked.body),
            },
            other => panic!("{other} is not known here"),
        }
    }

    fn read(&self, path: &str) -> Answer {
        if let Some(object) = self.kept.get(path) {
            return Answer::Json(200, object.clone());
        }
        let prefix = format!("{path}/");
        let in_it = |of: &&String| of.starts_with(&prefix) && !of[prefix.len()..].contains('/');
        let is_list =
            ["secrets", "terdutservers", "terdutteams"].iter().any(|it| path.ends_with(it));
        if !is_list {
            return missing();
        }
        let items: Vec<_> =
            self.kept.keys().filter(in_it).map(|of| self.kept[of].clone()).collect();
        super::list(&items)
    }

    fn create(&mut self, path: &str, mut object: Value) -> Answer {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let path = format!("{path}/{name}");
        if self.kept.contains_key(&path) {
            return Answer::refusal(409, "AlreadyExists");
        }
        self.version += 1;
        object["metadata"]["uid"] = json!(format!("uid-{}", self.version));
        self.keep(&path, object, 201)
    }

    fn replace(&mut self, path: &str, mut object: Value) -> Answer {
        let Some(kept) = self.kept.get(path) else { return missing() };
        let version = &object["metadata"]["resourceVersion"];
        if !version.is_null() && *version != kept["metadata"]["resourceVersion"] {
            return conflict();
        }
        object["metadata"]["uid"] = kept["metadata"]["uid"].clone();
        self.keep(path, object, 200)
    }

    fn delete(&mut self, path: &str, options: &Value) -> Answer {
        let Some(kept) = self.kept.get(path) else { return missing() };
        let held = &options["preconditions"];
        if !holds(kept, held) {
            return conflict();
        }
        self.kept.remove(path);
        Answer::Json(200, json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" }))
    }

    fn merge(&mut self, path: &str, change: &Value) -> Answer {
        let Some(kept) = self.kept.get(path) else { return missing() };
        if !holds(kept, &change["metadata"]) {
            return conflict();
        }
        let mut object = kept.clone();
        merge(&mut object, change);
        self.keep(path, object, 200)
    }

    /// Tests and removals only: what takes a finalizer off.
    fn tested_patch(&mut self, path: &str, change: &Value) -> Answer {
        let Some(kept) = self.kept.get(path) else { return missing() };
        let mut object = kept.clone();
        for step in change.as_array().unwrap() {
            let at = step["path"].as_str().unwrap();
            match step["op"].as_str().unwrap() {
                "test" if object.pointer(at) != Some(&step["value"]) => {
                    return Answer::refusal(422, "Invalid");
                }
                "test" => {}
                "remove" => {
                    let (list, place) = at.rsplit_once('/').unwrap();
                    let list = object.pointer_mut(list).unwrap().as_array_mut().unwrap();
                    list.remove(place.parse().unwrap());
                }
                other => panic!("{other} is not known here"),
            }
        }
        self.keep(path, object, 200)
    }

    fn status(&mut self, path: &str, change: &Value) -> Answer {
        let Some(kept) = self.kept.get(path) else { return missing() };
        if !holds(kept, &json!({ "uid": change["metadata"]["uid"] })) {
            return conflict();
        }
        let mut object = kept.clone();
        object["status"] = change["status"].clone();
        self.keep(path, object, 200)
    }

    /// Keeps an object. What changes nothing makes no version.
    fn keep(&mut self, path: &str, mut object: Value, code: u16) -> Answer {
        let before = self.kept.get(path);
        let version = before.map(|before| before["metadata"]["resourceVersion"].clone());
        object["metadata"]["resourceVersion"] = version.unwrap_or_default();
        if self.kept.get(path) != Some(&object) {
            self.version += 1;
            object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        }
        self.kept.insert(path.to_owned(), object.clone());
        self.collect(path);
        Answer::Json(code, object)
    }

    /// An object that is being deleted goes with its last finalizer.
    fn collect(&mut self, path: &str) {
        let Some(object) = self.kept.get(path) else { return };
        let meta = &object["metadata"];
        let held = meta["finalizers"].as_array().is_some_and(|held| !held.is_empty());
        if !meta["deletionTimestamp"].is_null() && !held {
            self.kept.remove(path);
        }
    }
}

/// Whether an object is of the UID and the version that a request holds to.
fn holds(object: &Value, to: &Value) -> bool {
    let same = |key: &str| to[key].is_null() || to[key] == object["metadata"][key];
    same("uid") && same("resourceVersion")
}

fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let object = object.as_object_mut().unwrap();
    for (key, value) in members {
        if value.is_null() {
            object.remove(key);
        } else {
            merge(object.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

fn missing() -> Answer {
    Answer::refusal(404, "NotFound")
}

fn conflict() -> Answer {
    Answer::refusal(409, "Conflict")
}
