//! The objects of the made-up cluster and what each verb does to them.
//!
//! Versions, UIDs, generations, finalizers, preconditions, field managers and the garbage of a
//! deleted owner are as the bridge relies on them; schemas, quotas and defaults there are none.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::patch;

/// An object's place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Group, version and plural as in the path: `v1/secrets`, `apps/v1/deployments`.
    pub(crate) resource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// A verb that was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
}

const NOT_FOUND: Refusal = Refusal { code: 404, reason: "NotFound" };
const EXISTS: Refusal = Refusal { code: 409, reason: "AlreadyExists" };
const CONFLICT: Refusal = Refusal { code: 409, reason: "Conflict" };
const INVALID: Refusal = Refusal { code: 422, reason: "Invalid" };

/// How an object changed.
#[derive(Debug, Clone)]
pub(super) struct Happened {
    pub(super) version: u64,
    pub(super) key: Key,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
}

/// How to patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Patch {
    Merge,
    Json,
    Apply { manager: String },
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    all: BTreeMap<Key, Value>,
    /// What each manager applied last, by object and subresource.
    applied: BTreeMap<(Key, String, bool), Value>,
    version: u64,
    uids: u64,
    history: Vec<Happened>,
}

impl Objects {
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// What happened after that version.
    pub(super) fn since(&self, version: u64) -> impl Iterator<Item = &Happened> {
        self.history.iter().filter(move |happened| happened.version > version)
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Value> {
        self.all.get(key)
    }

    /// All of a resource, in one namespace or everywhere.
    pub(super) fn list<'a>(
        &'a self,
        resource: &'a str,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Value> {
        let fits = move |key: &Key| {
            key.resource == resource && namespace.is_none_or(|namespace| key.namespace == namespace)
        };
        self.all.iter().filter(move |(key, _)| fits(key)).map(|(_, object)| object)
    }

    pub(super) fn create(&mut self, key: Key, mut object: Value) -> Result<Value, Refusal> {
        if self.all.contains_key(&key) {
            return Err(EXISTS);
        }
        self.uids += 1;
        let metadata = &mut object["metadata"];
        metadata["name"] = json!(key.name);
        if !key.namespace.is_empty() {
            metadata["namespace"] = json!(key.namespace);
        }
        metadata["uid"] = json!(format!("{:08x}-of-{}", self.uids, key.name));
        metadata["generation"] = json!(1);
        metadata["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
        Ok(self.store(key, object))
    }

    pub(super) fn replace(&mut self, key: &Key, mut object: Value) -> Result<Value, Refusal> {
        let before = self.all.get(key).ok_or(NOT_FOUND)?.clone();
        held_to(&before, &object["metadata"])?;
        for field in ["uid", "generation", "creationTimestamp", "deletionTimestamp"] {
            object["metadata"][field] = before["metadata"][field].clone();
        }
        Ok(self.change(key, &before, object))
    }

    pub(super) fn patch(
        &mut self,
        key: &Key,
        status: bool,
        how: &Patch,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let before = match (self.all.get(key), how) {
            (Some(before), _) => before.clone(),
            (None, Patch::Apply { manager }) if !status => {
                self.applied.insert((key.clone(), manager.clone(), status), body.clone());
                return self.create(key.clone(), body.clone());
            }
            (None, _) => return Err(NOT_FOUND),
        };
        held_to(&before, &body["metadata"])?;
        let patched = self.patched(key, status, how, &before, body)?;
        let after = if status { with_status_of(&before, &patched) } else { patched };
        Ok(self.change(key, &before, after))
    }

    fn patched(
        &mut self,
        key: &Key,
        status: bool,
        how: &Patch,
        before: &Value,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let mut after = before.clone();
        match how {
            Patch::Merge => patch::merge(&mut after, body),
            Patch::Json => after = patch::json(before, body).ok_or(INVALID)?,
            Patch::Apply { manager } => {
                let place = (key.clone(), manager.clone(), status);
                let earlier = self.applied.insert(place, body.clone()).unwrap_or(Value::Null);
                patch::apply(&mut after, &earlier, body);
            }
        }
        Ok(after)
    }

    pub(super) fn delete(&mut self, key: &Key, preconditions: &Value) -> Result<Value, Refusal> {
        let before = self.all.get(key).ok_or(NOT_FOUND)?.clone();
        held_to(&before, preconditions)?;
        let mut after = before.clone();
        if after["metadata"]["deletionTimestamp"].is_null() {
            after["metadata"]["deletionTimestamp"] = json!("2026-01-02T00:00:00Z");
            let generation = after["metadata"]["generation"].as_i64().unwrap_or_default();
            after["metadata"]["generation"] = json!(generation + 1);
        }
        Ok(self.change(key, &before, after))
    }

    /// Stores what differs; a deleted object without finalizers goes.
    fn change(&mut self, key: &Key, before: &Value, mut after: Value) -> Value {
        if before["spec"] != after["spec"] {
            let generation = before["metadata"]["generation"].as_i64().unwrap_or_default();
            after["metadata"]["generation"] = json!(generation + 1);
        }
        tidy(&mut after);
        after["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
        let deleted = !after["metadata"]["deletionTimestamp"].is_null();
        if deleted && after["metadata"]["finalizers"].is_null() {
            self.remove(key, &after);
            return after;
        }
        if &after == before { after } else { self.store(key.clone(), after) }
    }

    fn store(&mut self, key: Key, mut object: Value) -> Value {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        tidy(&mut object);
        let before = self.all.insert(key.clone(), object.clone());
        let (version, after) = (self.version, Some(object.clone()));
        self.history.push(Happened { version, key, before, after });
        object
    }

    /// Removes an object, and those that it owns.
    fn remove(&mut self, key: &Key, last: &Value) {
        self.version += 1;
        let version = self.version;
        let before = self.all.remove(key);
        self.applied.retain(|(of, _, _), _| of != key);
        self.history.push(Happened { version, key: key.clone(), before, after: None });
        let uid = &last["metadata"]["uid"];
        let owned: Vec<Key> =
            self.all.iter().filter(|(_, o)| is_owned(o, uid)).map(|(key, _)| key.clone()).collect();
        for key in owned {
            // It is there: nothing came between.
            let _ = self.delete(&key, &Value::Null);
        }
    }
}

/// UID and version, where they are given, must be the object's.
fn held_to(object: &Value, given: &Value) -> Result<(), Refusal> {
    let same = |field: &str| given[field].is_null() || given[field] == object["metadata"][field];
    if same("uid") && same("resourceVersion") { Ok(()) } else { Err(CONFLICT) }
}

fn with_status_of(object: &Value, patched: &Value) -> Value {
    let mut object = object.clone();
    object["status"] = patched["status"].clone();
    object
}

fn is_owned(object: &Value, uid: &Value) -> bool {
    let owners = object["metadata"]["ownerReferences"].as_array();
    owners.is_some_and(|owners| owners.iter().any(|owner| &owner["uid"] == uid))
}

/// Takes off what is null, and empty maps and lists of the metadata.
fn tidy(object: &mut Value) {
    let empty = |value: &Value| match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        other => other.is_null(),
    };
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|_, value| !empty(value));
    }
}
