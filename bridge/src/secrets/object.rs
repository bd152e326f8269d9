//! How a record looks as a Secret, and back.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use terdut_core::record::{Data, SecretKind, secret_name};

use super::cache::Kept;
use crate::crd::names::{MANAGER, annotation, label};

/// A Secret of the bridge's own namespace.
pub(super) fn of(
    kind: SecretKind,
    own: &str,
    namespace: &str,
    name: &str,
    data: Data,
    version: Option<String>,
) -> Secret {
    let labels = [
        (label::MANAGED_BY.to_owned(), MANAGER.to_owned()),
        (label::SECRET.to_owned(), kind.suffix().to_owned()),
    ];
    let of = [(annotation::OF.to_owned(), format!("{namespace}/{name}"))];
    Secret {
        metadata: ObjectMeta {
            name: Some(secret_name(kind, namespace, name)),
            namespace: Some(own.to_owned()),
            labels: Some(labels.into()),
            annotations: Some(of.into()),
            resource_version: version,
            ..ObjectMeta::default()
        },
        type_: Some("Opaque".to_owned()),
        data: Some(data.into_iter().map(|(key, value)| (key, ByteString(value))).collect()),
        ..Secret::default()
    }
}

/// What is kept of a Secret.
pub(super) fn kept(secret: Secret) -> Kept {
    let meta = secret.metadata;
    let annotations = meta.annotations.unwrap_or_default();
    Kept {
        secret: meta.name.unwrap_or_default(),
        of: annotations.get(annotation::OF).cloned().unwrap_or_default(),
        kind: meta.labels.and_then(|mut labels| labels.remove(label::SECRET)).unwrap_or_default(),
        version: meta.resource_version.unwrap_or_default(),
        data: bytes(secret.data),
    }
}

/// A Secret's data as plain bytes.
pub(super) fn bytes(data: Option<BTreeMap<String, ByteString>>) -> Data {
    data.unwrap_or_default().into_iter().map(|(key, value)| (key, value.0)).collect()
}
