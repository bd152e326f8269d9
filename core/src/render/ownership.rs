//! Whose an object is that has the name of one of ours, and how one is let go.
//!
//! The bridge asks before every apply. An object that somebody else made is never touched without a
//! word from its owner.

use serde_json::{Map, Value, json};

use super::{MANAGED_BY, OWNER_UID, Owner, RETAINED_BY};

/// Whose an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It refers to the owner, or is marked with its UID.
    Ours,
    /// A deleted server of the owner's name left it running. It may be taken up if that server's
    /// credential is still there; else it is foreign.
    Retained,
    /// It is somebody else's, but it may be taken over.
    TakenOver,
    /// It is on its way out: it is being deleted, or it belongs to an earlier owner of that name
    /// and goes with it. It has to be waited for.
    Leaving,
    /// It is somebody else's.
    Foreign {
        /// Who controls it, as `Kind name`; nobody as a rule.
        controller: Option<String>,
    },
}

/// Whose the existing object is. `take_over` is the name that the owner's annotation permits.
pub fn foreign(existing: &Value, owner: &Owner, take_over: Option<&str>) -> Standing {
    let metadata = &existing["metadata"];
    let references = owner_references(existing);
    if metadata.get("deletionTimestamp").is_some() {
        return Standing::Leaving;
    }
    let refers = references.iter().any(|reference| reference["uid"] == *owner.uid);
    if refers || metadata["annotations"][OWNER_UID] == *owner.uid {
        return Standing::Ours;
    }
    if references.iter().any(|reference| is_earlier(reference, owner)) {
        return Standing::Leaving;
    }
    // Two controllers of one object would fight, and the API server refuses them.
    if let Some(controller) = references.iter().find(|reference| reference["controller"] == true) {
        return Standing::Foreign { controller: Some(name_of(controller)) };
    }
    let namespace = metadata["namespace"].as_str().unwrap_or_default();
    if metadata["annotations"][RETAINED_BY] == format!("{namespace}/{}", owner.name) {
        return Standing::Retained;
    }
    match take_over {
        Some(name) if metadata["name"] == name => Standing::TakenOver,
        _ => Standing::Foreign { controller: None },
    }
}

/// What a person has to run when the Deployment's selector, which nobody can change, is not ours.
pub fn selector_conflict(existing: &Value, wanted: &Value) -> Option<String> {
    if demands(existing) == demands(wanted) {
        return None;
    }
    let text = |field: &str| existing["metadata"][field].as_str().unwrap_or_default();
    let (name, namespace) = (text("name"), text("namespace"));
    Some(format!("kubectl delete deployment {name} --namespace {namespace}"))
}

/// The merge patch that lets an object go and notes whose it was, as `<namespace>/<name>`. `None`
/// if it has been let go already. It holds the version that it was decided on.
pub fn release(existing: &Value, owner: &Owner, retained_by: &str) -> Option<Value> {
    let references = owner_references(existing);
    let others: Vec<_> =
        references.iter().filter(|reference| reference["uid"] != *owner.uid).collect();
    let noted = existing["metadata"]["annotations"][RETAINED_BY] == retained_by;
    if noted && others.len() == references.len() {
        return None;
    }
    let mut patch = version(existing);
    patch.insert("annotations".to_owned(), json!({RETAINED_BY: retained_by}));
    patch.insert("ownerReferences".to_owned(), json!(others));
    Some(json!({"metadata": patch}))
}

/// The merge patch after which all that people and tools set in the object counts as ours, so that
/// the next apply removes what is not rendered. What the cluster's own controllers wrote, and what
/// was written by a subresource, stays theirs.
pub fn seize(existing: &Value) -> Value {
    let entries = existing["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let (mut stay, seized): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_of_the_cluster);
    let mut fields = json!({});
    for entry in &seized {
        unite(&mut fields, &entry["fieldsV1"]);
    }
    stay.push(json!({
        "manager": MANAGED_BY.1,
        "operation": "Apply",
        "apiVersion": existing["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }));
    let mut patch = version(existing);
    patch.insert("managedFields".to_owned(), json!(stay));
    json!({"metadata": patch})
}

/// The merge patch after which an object of ours goes with its owner. `None` if it does already, or
/// is not ours.
pub fn attach(existing: &Value, owner: &Owner) -> Option<Value> {
    let references = owner_references(existing);
    let refers = references.iter().any(|reference| reference["uid"] == *owner.uid);
    if refers || foreign(existing, owner, None) != Standing::Ours {
        return None;
    }
    let all: Vec<_> = references.iter().cloned().chain([owner.reference()]).collect();
    let mut patch = version(existing);
    patch.insert("ownerReferences".to_owned(), json!(all));
    Some(json!({"metadata": patch}))
}

/// The merge patch that takes the note of [`release`] off again, after the object was taken up.
/// `None` if there is none, or if what is wanted has it too.
pub fn adopt(existing: &Value, wanted: &Value) -> Option<Value> {
    existing["metadata"]["annotations"].get(RETAINED_BY)?;
    if wanted["metadata"]["annotations"].get(RETAINED_BY).is_some() {
        return None;
    }
    let mut patch = version(existing);
    patch.insert("annotations".to_owned(), json!({RETAINED_BY: null}));
    Some(json!({"metadata": patch}))
}

fn is_of_the_cluster(entry: &Value) -> bool {
    let manager = entry["manager"].as_str().unwrap_or_default();
    entry["subresource"].is_string() || manager.contains("controller-manager")
}

fn unite(fields: &mut Value, others: &Value) {
    let (Value::Object(fields), Value::Object(others)) = (fields, others) else { return };
    for (name, other) in others {
        unite(fields.entry(name.clone()).or_insert_with(|| json!({})), other);
    }
}

fn owner_references(existing: &Value) -> &[Value] {
    existing["metadata"]["ownerReferences"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether it is one of the same name that was there before: its UID is another.
fn is_earlier(reference: &Value, owner: &Owner) -> bool {
    let group = |version: &str| version.split_once('/').map(|(group, _)| group.to_owned());
    let version = reference["apiVersion"].as_str().unwrap_or_default();
    group(version) == group(&owner.api_version)
        && reference["kind"] == *owner.kind
        && reference["name"] == *owner.name
}

fn name_of(reference: &Value) -> String {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    format!("{} {}", text("kind"), text("name"))
}

/// What a selector demands, without what is empty.
fn demands(deployment: &Value) -> Map<String, Value> {
    let selector = deployment["spec"]["selector"].as_object().cloned().unwrap_or_default();
    let empty = |value: &Value| {
        value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty)
    };
    selector.into_iter().filter(|(_, value)| !empty(value)).collect()
}

fn version(existing: &Value) -> Map<String, Value> {
    let version = existing["metadata"].get("resourceVersion");
    version.map(|version| ("resourceVersion".to_owned(), version.clone())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        let text = |text: &str| text.to_owned();
        Owner {
            api_version: text("terdut.ryuvia.com/v1alpha1"),
            kind: text("TerdutServer"),
            name: text("terdut"),
            uid: text("u1"),
        }
    }

    fn existing(metadata: &Value) -> Value {
        let mut existing = json!({"metadata": {"name": "terdut", "namespace": "oncall"}});
        for (field, value) in metadata.as_object().unwrap() {
            existing["metadata"][field] = value.clone();
        }
        existing
    }

    fn reference(kind: &str, uid: &str) -> Value {
        let version = "terdut.ryuvia.com/v1alpha1";
        json!({"apiVersion": version, "kind": kind, "name": "terdut", "uid": uid, "controller": true})
    }

    fn standing(metadata: &Value, take_over: Option<&str>) -> Standing {
        foreign(&existing(metadata), &owner(), take_over)
    }

    #[test]
    fn only_what_refers_to_the_owners_uid_is_ours() {
        let ours = json!({"ownerReferences": [reference("TerdutServer", "u1")]});
        assert_eq!(standing(&ours, None), Standing::Ours);
        let earlier = json!({"ownerReferences": [reference("TerdutServer", "u0")]});
        assert_eq!(standing(&earlier, Some("terdut")), Standing::Leaving);
        let deleted = json!({"deletionTimestamp": "2026-01-01T00:00:00Z"});
        assert_eq!(standing(&deleted, Some("terdut")), Standing::Leaving);
        assert_eq!(standing(&json!({}), None), Standing::Foreign { controller: None });
    }

    #[test]
    fn a_foreign_object_is_taken_over_only_by_its_name() {
        assert_eq!(standing(&json!({}), Some("terdut")), Standing::TakenOver);
        assert_eq!(standing(&json!({}), Some("other")), Standing::Foreign { controller: None });
        let owned = json!({"ownerReferences": [reference("Release", "u9")]});
        let controller = Some("Release terdut".to_owned());
        assert_eq!(standing(&owned, Some("terdut")), Standing::Foreign { controller });
    }

    #[test]
    fn a_retained_object_is_that_of_its_namespace_and_name() {
        let noted = |by: &str| json!({"annotations": {RETAINED_BY: by}});
        assert_eq!(standing(&noted("oncall/terdut"), None), Standing::Retained);
        let foreign = Standing::Foreign { controller: None };
        assert_eq!(standing(&noted("other/terdut"), None), foreign);
    }

    #[test]
    fn an_object_that_is_to_be_retained_is_marked_and_can_be_attached_again() {
        let marks = |uid: &str| {
            json!({ "resourceVersion": "7", "annotations": {
                RETAINED_BY: "oncall/terdut", OWNER_UID: uid,
            } })
        };
        assert_eq!(standing(&marks("u1"), None), Standing::Ours);
        assert_eq!(standing(&marks("u0"), None), Standing::Retained, "an earlier server's");
        let patch = attach(&existing(&marks("u1")), &owner()).unwrap();
        assert_eq!(patch["metadata"]["ownerReferences"], json!([reference("TerdutServer", "u1")]));
        assert_eq!(patch["metadata"]["resourceVersion"], "7");
        assert_eq!(attach(&existing(&marks("u0")), &owner()), None, "it is not ours");
        let refers = json!({"ownerReferences": [reference("TerdutServer", "u1")]});
        assert_eq!(attach(&existing(&refers), &owner()), None);
    }

    #[test]
    fn a_released_object_keeps_other_owners_and_can_be_taken_up() {
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u2"});
        let object = existing(&json!({
            "resourceVersion": "7",
            "ownerReferences": [reference("TerdutServer", "u1"), other],
        }));
        let patch = release(&object, &owner(), "oncall/terdut").unwrap();
        assert_eq!(patch["metadata"]["ownerReferences"], json!([other]));
        assert_eq!(patch["metadata"]["resourceVersion"], "7");
        let released = existing(&patch["metadata"]);
        assert_eq!(release(&released, &owner(), "oncall/terdut"), None, "once");
        assert_eq!(foreign(&released, &owner(), None), Standing::Retained);
        let taken = adopt(&released, &json!({})).unwrap();
        assert_eq!(taken["metadata"]["annotations"], json!({RETAINED_BY: null}));
        assert_eq!(adopt(&object, &json!({})), None);
        assert_eq!(adopt(&released, &released), None, "it is to be retained again");
    }

    #[test]
    fn what_people_and_tools_set_is_seized_and_what_the_cluster_wrote_is_not() {
        let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Update", "fieldsV1": fields});
        let mut scaled = entry("autoscaler", json!({"f:spec": {"f:replicas": {}}}));
        scaled["subresource"] = json!("scale");
        let mut object = existing(&json!({"resourceVersion": "7", "managedFields": [
            entry("helm", json!({"f:spec": {"f:a": {}}})),
            entry("kubectl-edit", json!({"f:spec": {"f:b": {"f:c": {}}}})),
            entry("kube-controller-manager", json!({"f:metadata": {}})),
            scaled,
        ]}));
        object["apiVersion"] = json!("apps/v1");
        let patch = seize(&object);
        assert_eq!(patch["metadata"]["resourceVersion"], "7");
        let entries = patch["metadata"]["managedFields"].as_array().unwrap();
        let managers: Vec<_> = entries.iter().map(|entry| entry["manager"].as_str()).collect();
        let expected = ["kube-controller-manager", "autoscaler", "terdut-bridge"];
        assert_eq!(managers, expected.map(Some));
        assert_eq!(entries[2]["operation"], "Apply");
        assert_eq!(entries[2]["apiVersion"], "apps/v1");
        assert_eq!(entries[2]["fieldsV1"], json!({"f:spec": {"f:a": {}, "f:b": {"f:c": {}}}}));
    }

    #[test]
    fn another_selector_is_answered_with_the_command() {
        let deployment = |selector: Value| {
            let mut deployment = existing(&json!({}));
            deployment["spec"]["selector"] = selector;
            deployment
        };
        let ours = deployment(json!({"matchLabels": {"a": "b"}}));
        let same = deployment(json!({"matchLabels": {"a": "b"}, "matchExpressions": []}));
        assert_eq!(selector_conflict(&same, &ours), None);
        let helm = deployment(json!({"matchLabels": {"app": "terdut"}}));
        let command = "kubectl delete deployment terdut --namespace oncall";
        assert_eq!(selector_conflict(&helm, &ours).as_deref(), Some(command));
    }
}
