//! What people ask for with annotations.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::ResourceExt;
use terdut_core::record::{Attempt, RefusedRotation};

use crate::crd::Kind;
use crate::crd::names::{API_VERSION, FINALIZER, annotation};

/// Whether nothing is to be done for the object. A deletion goes on.
pub(super) fn is_paused<K: Kind>(object: &K) -> bool {
    says(object, annotation::RECONCILE, "disabled")
}

/// Whether a person gave up what the object stands for.
pub(super) fn is_abandoned<K: Kind>(object: &K) -> bool {
    says(object, annotation::ON_DELETE, "abandon")
}

/// Whether it is being deleted.
pub(super) fn is_deleting<K: Kind>(object: &K) -> bool {
    object.meta().deletion_timestamp.is_some()
}

/// Whether our finalizer holds it.
pub(super) fn is_held<K: Kind>(object: &K) -> bool {
    object.finalizers().iter().any(|finalizer| finalizer == FINALIZER)
}

fn says<K: Kind>(object: &K, key: &str, value: &str) -> bool {
    object.annotations().get(key).is_some_and(|found| found == value)
}

/// The rotation of its key that is asked for: each new value is a new one. An empty value asks for
/// nothing.
pub(super) fn rotation<K: Kind>(object: &K) -> Option<&str> {
    let asked = object.annotations().get(annotation::ROTATE_CREDENTIALS).map(String::as_str);
    asked.filter(|asked| !asked.is_empty())
}

/// What a refused attempt has to differ from to be made again.
pub(super) fn attempt<K: Kind>(object: &K) -> Attempt {
    let reconcile_at = object.annotations().get(annotation::RECONCILE_AT).cloned();
    Attempt {
        generation: object.meta().generation.unwrap_or_default(),
        reconcile_at: reconcile_at.unwrap_or_default(),
    }
}

/// The rotation of its key that is due now, as a record says that it was refused.
pub(super) fn due_rotation<K: Kind>(object: &K, now: i64) -> RefusedRotation {
    let asked = rotation(object).map(str::to_owned);
    RefusedRotation { asked, attempt: attempt(object), at: now }
}

/// The object, as Events name it.
pub(super) fn reference<K: Kind>(object: &K) -> ObjectReference {
    ObjectReference {
        api_version: Some(API_VERSION.to_owned()),
        kind: Some(K::KIND.to_owned()),
        namespace: object.namespace(),
        name: Some(object.name_any()),
        uid: object.uid(),
        resource_version: object.resource_version(),
        field_path: None,
    }
}
