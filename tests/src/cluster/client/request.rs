//! One request of a [`Client`] and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value as Json;

use super::{Client, Http};

const ANSWERED_WITHIN: Duration = Duration::from_mins(1);

/// What an API server said.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was asked, for messages.
    pub asked: String,
    /// The status code.
    pub status: StatusCode,
    /// The body; null if it is no JSON.
    pub json: Json,
}

impl Answer {
    /// The body of a good answer.
    ///
    /// # Panics
    /// If the server refused.
    #[track_caller]
    pub fn expect(self) -> Json {
        assert!(self.status.is_success(), "{}: {} {}", self.asked, self.status, self.json);
        self.json
    }

    /// Whether the server did it.
    pub fn is_ok(&self) -> bool {
        self.status.is_success()
    }

    /// What the server says to a person.
    pub fn message(&self) -> &str {
        self.json["message"].as_str().unwrap_or_default()
    }
}

/// Sends; panics if there is no answer.
pub(super) async fn send(
    client: &Client,
    method: Method,
    path: &str,
    content_type: &str,
    body: String,
) -> Answer {
    let asked = format!("{method} {path}");
    try_send(client, method, path, content_type, body)
        .await
        .unwrap_or_else(|| panic!("{asked}: the API server does not answer"))
}

/// Sends; `None` if there is no answer.
pub(super) async fn try_send(
    client: &Client,
    method: Method,
    path: &str,
    content_type: &str,
    body: String,
) -> Option<Answer> {
    let asked = format!("{method} {path}");
    let request = Request::builder()
        .method(method)
        .uri(format!("{}{path}", client.base))
        .header("authorization", format!("Bearer {}", client.token))
        .header("content-type", content_type)
        .header("accept", "application/json")
        .body(Full::new(Bytes::from(body)))
        .expect("the test's request is well formed");
    let exchange = async {
        let response = client.http.request(request).await.ok()?;
        let status = response.status();
        let bytes = response.into_body().collect().await.ok()?.to_bytes();
        let json = serde_json::from_slice(&bytes).unwrap_or_default();
        Some(Answer { asked, status, json })
    };
    tokio::time::timeout(ANSWERED_WITHIN, exchange).await.ok().flatten()
}

/// A GET whose answer is no JSON; panics if there is no good answer.
pub(super) async fn text(client: &Client, path: &str) -> String {
    let request = Request::get(format!("{}{path}", client.base))
        .header("authorization", format!("Bearer {}", client.token))
        .body(Full::new(Bytes::new()))
        .expect("the test's request is well formed");
    let exchange = async {
        let response = client.http.request(request).await.ok()?;
        let good = response.status().is_success();
        let bytes = response.into_body().collect().await.ok()?.to_bytes();
        good.then(|| String::from_utf8_lossy(&bytes).into_owned())
    };
    let answer = tokio::time::timeout(ANSWERED_WITHIN, exchange).await.ok().flatten();
    answer.unwrap_or_else(|| panic!("{path} is not answered well"))
}

/// A GET without a user; panics if there is no answer.
pub(super) async fn plain_get(http: &Http, url: &str) -> (StatusCode, String) {
    let uri = url.parse().expect("a URL");
    let exchange = async {
        let response = http.get(uri).await.ok()?;
        let status = response.status();
        let bytes = response.into_body().collect().await.ok()?.to_bytes();
        Some((status, String::from_utf8_lossy(&bytes).into_owned()))
    };
    let answer = tokio::time::timeout(ANSWERED_WITHIN, exchange).await.ok().flatten();
    answer.unwrap_or_else(|| panic!("{url} does not answer"))
}
