//! The few requests that the demo makes itself, as any outsider would.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::Value as Json;

/// Reads JSON with a key.
pub(super) fn get(url: &str, token: &str) -> Result<Json> {
    send(&Method::GET, url, Some(token), None)
}

/// Posts JSON without a key: the key is in the URL.
pub(super) fn post(url: &str, body: &Json) -> Result<Json> {
    send(&Method::POST, url, None, Some(body))
}

#[tokio::main(flavor = "current_thread")]
async fn send(
    method: &Method,
    url: &str,
    token: Option<&str>,
    body: Option<&Json>,
) -> Result<Json> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
    let mut request = Request::builder().method(method).uri(url);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.header("content-type", "application/json").body(Full::new(bytes))?;
    // The URL may hold a key, so it is not part of what is said.
    let answer = client.request(request).await.context("asking the server")?;
    let status = answer.status();
    let bytes = answer.into_body().collect().await.context("reading the answer")?.to_bytes();
    if !status.is_success() {
        bail!("{method}: the server answered {status}");
    }
    Ok(serde_json::from_slice(&bytes).unwrap_or(Json::Null))
}
