//! Secrets in a tenant's namespace: the webhook Secret beside an alert source, and a look at what a
//! server names.
//!
//! A webhook Secret has a fixed type and two keys. One that is there and is not owned by this alert
//! source is somebody else's, whatever its labels say.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{DeleteParams, PartialObjectMeta, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, ResourceExt};
use serde_json::json;
use terdut_core::secret::SecretString;

use super::{SecretStore, object};
use crate::crd::names::{API_VERSION, MANAGER, label};
use crate::crd::{Kind, TerdutAlertSource};
use crate::kube::{KubeClass, KubeError};

/// What an alert source's webhook is reached with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The address; it holds the key.
    pub url: SecretString,
    /// The key.
    pub key: SecretString,
}

/// The webhook Secret of an alert source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookSecret {
    /// There is none.
    Absent,
    /// It is ours; whether it still carries our label.
    Ours {
        /// Whether it is labelled.
        labelled: bool,
    },
    /// A Secret of that name is somebody else's.
    Foreign,
}

/// A Secret that a person named, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Its resourceVersion.
    pub version: String,
}

/// The name of an alert source's webhook Secret.
pub fn webhook_name(source: &str) -> String {
    format!("{source}-terdut-webhook")
}

impl SecretStore {
    /// Looks for an alert source's webhook Secret, by its metadata.
    pub async fn webhook(&self, source: &TerdutAlertSource) -> Result<WebhookSecret, KubeError> {
        let (namespace, name) = place(source);
        let found = self.metadata(&namespace, &name).await?;
        Ok(found.map_or(WebhookSecret::Absent, |found| whose(&found.metadata, source)))
    }

    /// Makes it; a conflict if there is one.
    pub async fn create_webhook(
        &self,
        source: &TerdutAlertSource,
        webhook: &Webhook,
    ) -> Result<(), KubeError> {
        let (namespace, name) = place(source);
        let api: Api<Secret> = self.kube.api(&namespace);
        let made = api.create(&PostParams::default(), &secret_of(source, webhook)).await;
        made.map(drop).map_err(KubeError::doing("create", &described(&namespace, &name)))
    }

    /// Deletes it if it is ours.
    pub async fn delete_webhook(&self, source: &TerdutAlertSource) -> Result<(), KubeError> {
        let (namespace, name) = place(source);
        let Some(found) = self.metadata(&namespace, &name).await? else { return Ok(()) };
        if whose(&found.metadata, source) == WebhookSecret::Foreign {
            return Ok(());
        }
        let preconditions = Preconditions { uid: found.uid(), resource_version: None };
        let parameters =
            DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        let api: Api<Secret> = self.kube.api(&namespace);
        let deleted = api.delete(&name, &parameters).await;
        match deleted.map_err(KubeError::doing("delete", &described(&namespace, &name))) {
            Err(error) if error.class != KubeClass::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Puts our label back, by which the watch sees the Secret.
    pub async fn label_webhook(&self, source: &TerdutAlertSource) -> Result<(), KubeError> {
        let (namespace, name) = place(source);
        let api: Api<Secret> = self.kube.api(&namespace);
        let patch = json!({ "metadata": { "labels": { label::MANAGED_BY: MANAGER } } });
        let parameters =
            PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let patched = api.patch_metadata(&name, &parameters, &Patch::Merge(&patch)).await;
        patched.map(drop).map_err(KubeError::doing("label", &described(&namespace, &name)))
    }

    /// A look at a Secret that a person named, without its content.
    pub async fn foreign(&self, namespace: &str, name: &str) -> Result<Option<Foreign>, KubeError> {
        let found = self.metadata(namespace, name).await?;
        Ok(found.map(|found| Foreign { version: found.resource_version().unwrap_or_default() }))
    }

    /// One value of exactly the Secret that a person named.
    pub async fn foreign_value(
        &self,
        namespace: &str,
        name: &str,
        key: &str,
    ) -> Result<Option<SecretString>, KubeError> {
        let api: Api<Secret> = self.kube.api(namespace);
        let found = api.get_opt(name).await;
        let found = found.map_err(KubeError::doing("get", &described(namespace, name)))?;
        let data = object::bytes(found.and_then(|found| found.data));
        let text = data.get(key).and_then(|bytes| std::str::from_utf8(bytes).ok());
        Ok(text.filter(|text| !text.is_empty()).map(SecretString::new))
    }

    async fn metadata(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<PartialObjectMeta<Secret>>, KubeError> {
        let api: Api<Secret> = self.kube.api(namespace);
        let found = api.get_metadata_opt(name).await;
        found.map_err(KubeError::doing("look at", &described(namespace, name)))
    }
}

fn place(source: &TerdutAlertSource) -> (String, String) {
    (source.namespace().unwrap_or_default(), webhook_name(&source.name_any()))
}

fn described(namespace: &str, name: &str) -> String {
    format!("Secret {namespace}/{name}")
}

/// Ownership is the reference to this UID: labels can be copied.
fn whose(meta: &ObjectMeta, source: &TerdutAlertSource) -> WebhookSecret {
    let uid = source.uid().unwrap_or_default();
    let owners = meta.owner_references.as_deref().unwrap_or_default();
    if !owners.iter().any(|owner| owner.uid == uid && owner.kind == TerdutAlertSource::KIND) {
        return WebhookSecret::Foreign;
    }
    let labels = meta.labels.as_ref();
    let managed = labels.and_then(|labels| labels.get(label::MANAGED_BY));
    WebhookSecret::Ours { labelled: managed.is_some_and(|manager| manager == MANAGER) }
}

fn secret_of(source: &TerdutAlertSource, webhook: &Webhook) -> Secret {
    let (namespace, name) = place(source);
    let owner = OwnerReference {
        api_version: API_VERSION.to_owned(),
        kind: TerdutAlertSource::KIND.to_owned(),
        name: source.name_any(),
        uid: source.uid().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: None,
    };
    let value = |secret: &SecretString| ByteString(secret.expose().as_bytes().to_vec());
    let data = [("key".to_owned(), value(&webhook.key)), ("url".to_owned(), value(&webhook.url))];
    Secret {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: Some(namespace),
            labels: Some([(label::MANAGED_BY.to_owned(), MANAGER.to_owned())].into()),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        type_: Some("Opaque".to_owned()),
        data: Some(data.into()),
        ..Secret::default()
    }
}
