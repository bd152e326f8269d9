//! Objects of a cluster as JSON: what tests create, look at and wait for.
//!
//! It shares no type with the bridge: an outsider's view is worth more when it shares nothing. What
//! a person would do goes through [`super::Kubectl`] instead.

pub mod kind;
mod request;
mod waiting;
mod watch;

use std::time::Duration;

use http::{Method, StatusCode};
use rustls_pki_types::CertificateDer;
use serde_json::{Value as Json, json};

pub use kind::Kind;
pub use request::Answer;
pub use watch::Watch;

use super::http::{self as transport, Http};
use super::process::Lines;

/// How long a test waits for something that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_mins(1);
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const PLAIN: &str = "application/json";

/// A user's way to an API server. It belongs to the runtime that first uses it.
#[derive(Debug, Clone)]
pub struct Client {
    base: String,
    token: String,
    trusted: Vec<CertificateDer<'static>>,
    http: Http,
    patience: Duration,
    /// Whose last lines explain why something did not come to pass.
    witnesses: Vec<Lines>,
}

impl Client {
    /// A server, a user's token, and the certificates that the server may show.
    pub fn new(base: &str, token: &str, trusted: &[CertificateDer<'static>]) -> Self {
        Self {
            base: base.to_owned(),
            token: token.to_owned(),
            trusted: trusted.to_vec(),
            http: transport::client(trusted),
            patience: PATIENCE,
            witnesses: Vec::new(),
        }
    }

    /// The same with another limit for what it waits for.
    #[must_use]
    pub fn within(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// The same, which also prints the last of these lines when it waited in vain.
    #[must_use]
    pub fn with_witnesses(&self, witnesses: Vec<Lines>) -> Self {
        Self { witnesses, ..self.clone() }
    }

    /// The same for another runtime.
    pub(super) fn detached(&self) -> Self {
        Self { http: transport::client(&self.trusted), ..self.clone() }
    }

    /// A plain GET without a user, as a probe sends it.
    ///
    /// # Panics
    /// If there is no answer.
    pub async fn plain_get(url: &str) -> (StatusCode, String) {
        request::plain_get(&transport::client(&[]), url).await
    }

    /// Sends whatever a test wants to send.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Option<&Json>,
    ) -> Answer {
        let body = body.map(Json::to_string).unwrap_or_default();
        request::send(self, method, path, content_type, body).await
    }

    /// What a path answers that is no JSON, such as the API server's own `/metrics`.
    pub async fn text(&self, path: &str) -> String {
        request::text(self, path).await
    }

    /// Whether a path answers well.
    pub async fn answers(&self, path: &str) -> bool {
        request::try_send(self, Method::GET, path, PLAIN, String::new())
            .await
            .is_some_and(|answer| answer.status.is_success())
    }

    /// The object, if it is there.
    ///
    /// # Panics
    /// If the server refuses, here and in every method without `try`.
    pub async fn find(&self, kind: Kind, namespace: &str, name: &str) -> Option<Json> {
        let answer = self.send(Method::GET, &kind.object(namespace, name), PLAIN, None).await;
        (answer.status != StatusCode::NOT_FOUND).then(|| answer.expect())
    }

    /// The object.
    pub async fn get(&self, kind: Kind, namespace: &str, name: &str) -> Json {
        self.send(Method::GET, &kind.object(namespace, name), PLAIN, None).await.expect()
    }

    /// The objects of a namespace; of all namespaces if it is "".
    pub async fn list(&self, kind: Kind, namespace: &str) -> Vec<Json> {
        let list = self.send(Method::GET, &kind.list(namespace), PLAIN, None).await.expect();
        let mut items = list["items"].as_array().cloned().unwrap_or_default();
        for item in &mut items {
            // A list's items do not say what they are; an object that is looked at should.
            item["apiVersion"] = kind.api_version().into();
            item["kind"] = kind.kind.into();
        }
        items
    }

    /// Creates an object whose `apiVersion`, `kind` and `metadata` say where.
    pub async fn create(&self, object: &Json) -> Json {
        self.try_create(object).await.expect()
    }

    /// Creates, whatever comes of it. Unknown fields are refused, as `kubectl` asks for it.
    pub async fn try_create(&self, object: &Json) -> Answer {
        let path = Kind::of(object).list(namespace_of(object));
        let path = format!("{path}?fieldValidation=Strict");
        self.send(Method::POST, &path, PLAIN, Some(object)).await
    }

    /// Applies on the server's side as the field manager `tests`.
    pub async fn apply(&self, object: &Json) -> Json {
        self.try_apply(object, "").await.expect()
    }

    /// Applies, whatever comes of it; `query` may hold more, as `dryRun=All`.
    pub async fn try_apply(&self, object: &Json, query: &str) -> Answer {
        let name = object["metadata"]["name"].as_str().expect("an object has a name");
        let path = Kind::of(object).object(namespace_of(object), name);
        let path = format!("{path}?fieldManager=tests&force=true&fieldValidation=Strict&{query}");
        self.send(Method::PATCH, &path, APPLY, Some(object)).await
    }

    /// A JSON merge patch.
    pub async fn patch(&self, kind: Kind, namespace: &str, name: &str, patch: &Json) -> Json {
        self.try_patch(kind, namespace, name, patch).await.expect()
    }

    /// A JSON merge patch, whatever comes of it.
    pub async fn try_patch(&self, kind: Kind, namespace: &str, name: &str, patch: &Json) -> Answer {
        self.send(Method::PATCH, &kind.object(namespace, name), MERGE, Some(patch)).await
    }

    /// A JSON merge patch of the status.
    pub async fn patch_status(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        patch: &Json,
    ) -> Json {
        self.try_patch_status(kind, namespace, name, patch).await.expect()
    }

    /// A JSON merge patch of the status, whatever comes of it.
    pub async fn try_patch_status(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        patch: &Json,
    ) -> Answer {
        let target = format!("{}/status", kind.object(namespace, name));
        self.send(Method::PATCH, &target, MERGE, Some(patch)).await
    }

    /// Sets an annotation, or takes it off.
    pub async fn annotate(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        key: &str,
        value: Option<&str>,
    ) -> Json {
        let patch = json!({ "metadata": { "annotations": { key: value } } });
        self.patch(kind, namespace, name, &patch).await
    }

    /// Asks for the deletion, in the background as `kubectl` does; an object that is gone already
    /// is no fault.
    pub async fn delete(&self, kind: Kind, namespace: &str, name: &str) {
        let options = json!({ "propagationPolicy": "Background" });
        let path = kind.object(namespace, name);
        let answer = self.send(Method::DELETE, &path, PLAIN, Some(&options)).await;
        if answer.status != StatusCode::NOT_FOUND {
            answer.expect();
        }
    }
}

fn namespace_of(object: &Json) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or_default()
}
