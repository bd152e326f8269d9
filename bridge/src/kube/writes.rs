//! The writes of the bridge's own objects, each one request of a known shape.
//!
//! Every one is remembered in [`OwnWrites`](super::OwnWrites), so that its echo starts no pass. A
//! write that would change nothing is not sent.

use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, TypeMeta};
use kube::core::GroupVersionKind;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use super::{Kube, KubeClass, KubeError};
use crate::crd::Kind;
use crate::crd::names::{FINALIZER, MANAGER, STATUS_MANAGER};

impl Kube {
    /// The object as it is now; none if there is none. What no object can be called is not asked
    /// for: a reference is a tenant's text, and must not become another path.
    pub async fn read<K: Kind>(&self, namespace: &str, name: &str) -> Result<Option<K>, KubeError> {
        if !is_name(namespace) || !is_name(name) {
            return Ok(None);
        }
        let object = format!("{} {namespace}/{name}", K::KIND);
        let api: Api<K> = self.api(namespace);
        api.get_opt(name).await.map_err(KubeError::doing("get", &object))
    }

    /// Puts the finalizer and the annotations on, in one patch that fails with a conflict if the
    /// object has changed since it was read.
    pub async fn start<K: Kind>(
        &self,
        object: &K,
        annotations: &[(&str, String)],
    ) -> Result<K, KubeError> {
        match start_patch(object, annotations) {
            Some(patch) => self.merge(object, &patch).await,
            None => Ok(object.clone()),
        }
    }

    /// Sets an annotation, or takes it off. An object made anew under the same name is a conflict.
    pub async fn annotate<K: Kind>(
        &self,
        object: &K,
        key: &str,
        value: Option<String>,
    ) -> Result<K, KubeError> {
        if object.annotations().get(key) == value.as_ref() {
            return Ok(object.clone());
        }
        let patch = json!({ "metadata": { "uid": object.uid(), "annotations": { key: value } } });
        self.merge(object, &patch).await
    }

    /// Takes the finalizer off. An object that is gone is done.
    pub async fn drop_finalizer<K: Kind>(&self, object: &K) -> Result<(), KubeError> {
        let Some(patch) = finalizer_patch(object) else { return Ok(()) };
        match self.json_patch(object, patch).await {
            Err(error) if error.class == KubeClass::NotFound => Ok(()),
            // The list moved under us, or the API server says the test failed: look again, once.
            Err(error) if matches!(error.class, KubeClass::Invalid | KubeClass::Conflict) => {
                self.drop_finalizer_again(object).await
            }
            outcome => outcome,
        }
    }

    async fn drop_finalizer_again<K: Kind>(&self, object: &K) -> Result<(), KubeError> {
        let namespace = object.namespace().unwrap_or_default();
        let now: Option<K> = self.read(&namespace, &object.name_any()).await?;
        let Some(now) = now.filter(|now| now.uid() == object.uid()) else { return Ok(()) };
        match finalizer_patch(&now) {
            Some(patch) => self.json_patch(&now, patch).await,
            None => Ok(()),
        }
    }

    /// Writes the status, unless the object has it already.
    pub async fn apply_status<K: Kind>(
        &self,
        object: &K,
        status: &K::Status,
    ) -> Result<(), KubeError> {
        if object.status() == Some(status) {
            return Ok(());
        }
        let content = serde_json::to_value(status).map_err(|error| {
            KubeError::new("write the status of", describe(object), kube::Error::SerdeError(error))
        })?;
        let body = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            "metadata": { "name": object.name_any(), "uid": object.uid() },
            "status": without_nulls(content),
        });
        let written = self
            .api_of(object)
            .patch_status(
                &object.name_any(),
                &PatchParams::apply(STATUS_MANAGER).force(),
                &Patch::Apply(&body),
            )
            .await
            .map_err(KubeError::doing("write the status of", &describe(object)))?;
        self.remember(&written);
        Ok(())
    }

    /// Server-side apply of an object of any namespaced kind, complete with apiVersion and kind.
    pub async fn apply(&self, object: &Value) -> Result<DynamicObject, KubeError> {
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
        let types = TypeMeta { api_version: text("/apiVersion"), kind: text("/kind") };
        let resource = self.resource(&types).await?;
        let described = format!("{} {namespace}/{name}", types.kind);
        let applied = self
            .dynamic(&resource, &namespace)
            .patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(object))
            .await
            .map_err(KubeError::doing("apply", &described));
        // An object that is not there is made.
        self.doubting(&resource, applied)
    }

    /// How a kind is reached. The kinds that every cluster has need no question.
    async fn resource(&self, types: &TypeMeta) -> Result<ApiResource, KubeError> {
        let (group, version) =
            types.api_version.split_once('/').unwrap_or(("", types.api_version.as_str()));
        if matches!(group, "" | "apps" | "policy") {
            let kind = GroupVersionKind::gvk(group, version, &types.kind);
            return Ok(ApiResource::from_gvk(&kind));
        }
        let missing = || {
            let described = format!("kind {} of {}", types.kind, types.api_version);
            let cause = kube::error::DiscoveryError::MissingKind(types.kind.clone());
            KubeError::new("find", described, kube::Error::Discovery(cause))
        };
        self.discover(group, version, &types.kind).await?.ok_or_else(missing)
    }

    async fn merge<K: Kind>(&self, object: &K, patch: &Value) -> Result<K, KubeError> {
        let written = self
            .api_of(object)
            .patch(
                &object.name_any(),
                &PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() },
                &Patch::Merge(patch),
            )
            .await
            .map_err(KubeError::doing("patch", &describe(object)))?;
        self.remember(&written);
        Ok(written)
    }

    async fn json_patch<K: Kind>(&self, object: &K, patch: Value) -> Result<(), KubeError> {
        let unreadable =
            |error| KubeError::new("patch", describe(object), kube::Error::SerdeError(error));
        let patch = Patch::Json::<()>(serde_json::from_value(patch).map_err(unreadable)?);
        let written = self
            .api_of(object)
            .patch(&object.name_any(), &PatchParams::default(), &patch)
            .await
            .map_err(KubeError::doing("take the finalizer off", &describe(object)))?;
        self.remember(&written);
        Ok(())
    }

    fn api_of<K: Kind>(&self, object: &K) -> Api<K> {
        self.api(&object.namespace().unwrap_or_default())
    }

    fn remember<K: Kind>(&self, written: &K) {
        if let (Some(uid), Some(version)) = (written.uid(), written.resource_version()) {
            self.own.wrote(&uid, &version);
        }
    }
}

fn describe<K: Kind>(object: &K) -> String {
    format!("{} {}/{}", K::KIND, object.namespace().unwrap_or_default(), object.name_any())
}

/// Whether an object can be called so.
fn is_name(text: &str) -> bool {
    let in_name = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
    };
    !text.is_empty() && text != "." && !text.contains("..") && text.bytes().all(in_name)
}

/// None if the object has all of it.
fn start_patch<K: Kind>(object: &K, annotations: &[(&str, String)]) -> Option<Value> {
    let present = object.annotations();
    let mut finalizers = object.finalizers().to_vec();
    let finalized = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
    if finalized && annotations.iter().all(|(key, value)| present.get(*key) == Some(value)) {
        return None;
    }
    if !finalized {
        finalizers.push(FINALIZER.to_owned());
    }
    let mut metadata = json!({
        "uid": object.uid(),
        "resourceVersion": object.resource_version(),
        "finalizers": finalizers,
    });
    if !annotations.is_empty() {
        metadata["annotations"] =
            annotations.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    }
    Some(json!({ "metadata": metadata }))
}

/// None if the finalizer is off. The tests hold it to this object and this place in the list.
fn finalizer_patch<K: Kind>(object: &K) -> Option<Value> {
    let place = object.finalizers().iter().position(|finalizer| finalizer == FINALIZER)?;
    let path = format!("/metadata/finalizers/{place}");
    Some(json!([
        { "op": "test", "path": "/metadata/uid", "value": object.uid() },
        { "op": "test", "path": path, "value": FINALIZER },
        { "op": "remove", "path": path },
    ]))
}

/// The same value without members that are null or nothing: both mean that there is none.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| (key, without_nulls(value)))
                .filter(|(_, value)| !value.is_null())
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
