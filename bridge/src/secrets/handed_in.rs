//! A credential that a person handed in.
//!
//! It lies in the bridge's namespace, and says itself for which server it is: else whoever may
//! create a TerdutServer could have another server's key sent to a Service of their own.

use k8s_openapi::api::core::v1::Secret;
use terdut_core::secret::SecretString;

use super::{SecretStore, described, object};
use crate::crd::names::{annotation, label};
use crate::kube::KubeError;

/// What became of looking for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandedIn {
    /// There is no such Secret, or it lacks the key.
    Missing,
    /// It is not marked as a credential for this server.
    NotPermitted,
    /// It is there.
    Token(SecretString),
}

impl SecretStore {
    /// The credential for a server, in the Secret of that name in the bridge's own namespace.
    pub async fn handed_in(
        &self,
        secret: &str,
        key: &str,
        server: (&str, &str),
    ) -> Result<HandedIn, KubeError> {
        let found = self.own().get_opt(secret).await;
        let found = found.map_err(KubeError::doing("get", &described(secret)))?;
        Ok(found.map_or(HandedIn::Missing, |found| judge(found, key, server)))
    }
}

fn judge(secret: Secret, key: &str, (namespace, name): (&str, &str)) -> HandedIn {
    let meta = &secret.metadata;
    let value = |map: &Option<std::collections::BTreeMap<String, String>>, key: &str| {
        map.as_ref().and_then(|map| map.get(key)).cloned()
    };
    let marked = value(&meta.labels, label::CREDENTIAL).as_deref() == Some("true");
    let meant = value(&meta.annotations, annotation::SERVER);
    if !marked || meant != Some(format!("{namespace}/{name}")) {
        return HandedIn::NotPermitted;
    }
    let data = object::bytes(secret.data);
    let text = data.get(key).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::trim);
    match text {
        Some(text) if !text.is_empty() => HandedIn::Token(SecretString::new(text)),
        _ => HandedIn::Missing,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use serde_json::json;

    use super::*;

    fn secret(labels: &serde_json::Value, annotations: &serde_json::Value) -> Secret {
        let meta = json!({ "labels": labels, "annotations": annotations });
        let metadata = serde_json::from_value(meta).unwrap();
        let data = [("token".to_owned(), ByteString(b"canary\n".to_vec()))];
        Secret { metadata, data: Some(data.into()), ..Secret::default() }
    }

    fn marked(server: &str) -> Secret {
        secret(
            &json!({ "terdut.ryuvia.com/credential": "true" }),
            &json!({ "terdut.ryuvia.com/server": server }),
        )
    }

    #[test]
    fn it_is_for_the_server_that_it_names_and_for_no_other() {
        let token = HandedIn::Token(SecretString::new("canary"));
        assert_eq!(judge(marked("a/main"), "token", ("a", "main")), token);
        for other in [("b", "main"), ("a", "other"), ("a", "mai")] {
            assert_eq!(judge(marked("a/main"), "token", other), HandedIn::NotPermitted);
        }
        for spelling in ["a/main ", "A/main", "main", ""] {
            assert_eq!(judge(marked(spelling), "token", ("a", "main")), HandedIn::NotPermitted);
        }
    }

    #[test]
    fn an_own_record_is_never_a_credential_that_was_handed_in() {
        let record =
            secret(&json!({ "app.kubernetes.io/managed-by": "terdut-bridge" }), &json!({}));
        assert_eq!(judge(record, "token", ("a", "main")), HandedIn::NotPermitted);
        let half = secret(&json!({ "terdut.ryuvia.com/credential": "true" }), &json!({}));
        assert_eq!(judge(half, "token", ("a", "main")), HandedIn::NotPermitted);
    }

    #[test]
    fn without_the_key_there_is_nothing_to_take() {
        assert_eq!(judge(marked("a/main"), "other", ("a", "main")), HandedIn::Missing);
    }
}
