//! The three ways to patch an object, as functions of values.

use serde_json::{Map, Value};

/// A merge patch: what is null goes, objects are merged, all else is replaced.
pub(super) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(members) = target.as_object_mut() else { return };
    for (key, change) in changes {
        if change.is_null() {
            members.remove(key);
        } else {
            merge(members.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

/// A JSON patch of the operations that the bridge uses. `None`: a test failed, or a place is not
/// there; then nothing is changed.
pub(super) fn json(target: &Value, operations: &Value) -> Option<Value> {
    let mut patched = target.clone();
    for operation in operations.as_array()? {
        let path = operation["path"].as_str()?;
        match operation["op"].as_str()? {
            "test" if patched.pointer(path)? == &operation["value"] => {}
            "replace" => *patched.pointer_mut(path)? = operation["value"].clone(),
            "remove" => remove(&mut patched, path)?,
            _ => return None,
        }
    }
    Some(patched)
}

fn remove(target: &mut Value, path: &str) -> Option<()> {
    let (parent, last) = path.rsplit_once('/')?;
    match target.pointer_mut(parent)? {
        Value::Object(members) => members.remove(last).map(drop),
        Value::Array(items) => {
            let place = last.parse().ok().filter(|place| *place < items.len())?;
            items.remove(place);
            Some(())
        }
        _ => None,
    }
}

/// A server-side apply: what the manager applied before and no longer applies goes, what it applies
/// is merged in. A list is one value: it is not merged by keys.
pub(super) fn apply(target: &mut Value, before: &Value, now: &Value) {
    drop_absent(target, before, now);
    merge(target, now);
}

fn drop_absent(target: &mut Value, before: &Value, now: &Value) {
    let (Some(members), Some(before)) = (target.as_object_mut(), before.as_object()) else {
        return;
    };
    for (key, value) in before {
        match (now.get(key), members.get_mut(key)) {
            (None, _) => drop(members.remove(key)),
            (Some(now), Some(member)) => drop_absent(member, value, now),
            (Some(_), None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_merge_patch_takes_off_what_is_null() {
        let mut object = json!({ "a": { "b": 1, "c": [1, 2] }, "d": 3 });
        merge(&mut object, &json!({ "a": { "b": null, "c": [3] }, "e": { "f": null } }));
        assert_eq!(object, json!({ "a": { "c": [3] }, "d": 3, "e": {} }));
    }

    #[test]
    fn a_json_patch_holds_to_its_tests() {
        let object = json!({ "list": ["a", "b"], "uid": "1" });
        let steps = |uid: &str| {
            json!([
                { "op": "test", "path": "/uid", "value": uid },
                { "op": "remove", "path": "/list/0" },
            ])
        };
        assert_eq!(json(&object, &steps("1")), Some(json!({ "list": ["b"], "uid": "1" })));
        assert_eq!(json(&object, &steps("2")), None);
        assert_eq!(json(&object, &json!([{ "op": "remove", "path": "/list/7" }])), None);
    }

    #[test]
    fn an_apply_takes_off_only_what_its_manager_applied() {
        let mut object = json!({ "labels": { "ours": "1", "theirs": "2" }, "replicas": 3 });
        let before = json!({ "labels": { "ours": "1" }, "replicas": 3 });
        apply(&mut object, &before, &json!({ "labels": { "new": "4" } }));
        assert_eq!(object, json!({ "labels": { "theirs": "2", "new": "4" } }));
    }
}
