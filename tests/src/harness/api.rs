//! The REST API as somebody else uses it: what suites change and look at outside of the provider.
//!
//! Plain JSON, no types of the project: an outsider's view is worth more when it shares nothing.

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value as Json, json};

/// A person's way to a server.
#[derive(Debug, Clone)]
pub struct Api {
    base: String,
    token: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Api {
    /// A server with a key, which may be empty.
    pub fn new(base: &str, token: &str) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { base: base.trim_end_matches('/').to_owned(), token: token.to_owned(), client }
    }

    /// A fresh server, made ready: the first user's key.
    ///
    /// # Panics
    /// If the server is not fresh.
    pub async fn bootstrap(base: &str) -> Self {
        let body = json!({ "username": "root", "email": "root@example.org" });
        let answer = Self::new(base, "").post("/api/bootstrap", &body).await;
        let key = answer["api_key"]["key"].as_str().expect("bootstrap answers a key");
        Self::new(base, key)
    }

    /// The address of the server.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The key.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Sends a request, whatever comes of it.
    ///
    /// # Panics
    /// If the server cannot be reached.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Json>,
    ) -> (StatusCode, Json) {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = request
            .header("content-type", "application/json")
            .body(Full::new(bytes))
            .expect("the suite's request is well formed");
        let response = self.client.request(request).await.expect("the server answers");
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("the body arrives").to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Json::Null))
    }

    async fn good(&self, method: Method, path: &str, body: Option<&Json>) -> Json {
        let (status, json) = self.send(method.clone(), path, body).await;
        assert!(status.is_success(), "{method} {path}: {status} {json}");
        json
    }

    /// Reads.
    ///
    /// # Panics
    /// If the server refuses, here and below.
    pub async fn get(&self, path: &str) -> Json {
        self.good(Method::GET, path, None).await
    }

    /// Creates.
    pub async fn post(&self, path: &str, body: &Json) -> Json {
        self.good(Method::POST, path, Some(body)).await
    }

    /// Replaces.
    pub async fn put(&self, path: &str, body: &Json) -> Json {
        self.good(Method::PUT, path, Some(body)).await
    }

    /// Changes.
    pub async fn patch(&self, path: &str, body: &Json) -> Json {
        self.good(Method::PATCH, path, Some(body)).await
    }

    /// Deletes.
    pub async fn delete(&self, path: &str) {
        self.good(Method::DELETE, path, None).await;
    }

    /// A team of that name; its id.
    pub async fn team(&self, name: &str) -> i64 {
        self.id_of("/api/teams", &json!({ "name": name })).await
    }

    /// Creates something; its id.
    pub async fn id_of(&self, path: &str, body: &Json) -> i64 {
        self.post(path, body).await["id"].as_i64().expect("the answer has an id")
    }

    /// The element of a list with a field of that value, if there is one.
    pub async fn find(&self, path: &str, field: &str, value: impl Into<Json>) -> Option<Json> {
        let (list, value) = (self.get(path).await, value.into());
        list.as_array().into_iter().flatten().find(|item| item[field] == value).cloned()
    }
}
