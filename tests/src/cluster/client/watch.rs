//! A watch: every change of objects as the API server tells it.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::Value as Json;

use super::{Client, Kind};

/// An open watch stream.
#[derive(Debug)]
pub struct Watch {
    body: Incoming,
    held: Vec<u8>,
}

impl Client {
    /// Watches the objects of a namespace, beginning with those that are there.
    ///
    /// # Panics
    /// If the server does not open the stream.
    pub async fn watch(&self, kind: Kind, namespace: &str) -> Watch {
        let request = Request::get(format!("{}{}?watch=true", self.base, kind.list(namespace)))
            .header("authorization", format!("Bearer {}", self.token))
            .body(Full::new(Bytes::new()))
            .expect("the test's request is well formed");
        let response = self.http.request(request).await.expect("the API server answers");
        assert!(response.status().is_success(), "watching {}: {}", kind.plural, response.status());
        Watch { body: response.into_body(), held: Vec::new() }
    }
}

impl Watch {
    /// The next event, `{type, object}`; `None` if the stream ended or none came in time.
    pub async fn next(&mut self, limit: Duration) -> Option<Json> {
        tokio::time::timeout(limit, self.read()).await.ok().flatten()
    }

    async fn read(&mut self) -> Option<Json> {
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=end).collect();
                return serde_json::from_slice(&line).ok();
            }
            let frame = self.body.frame().await?.ok()?;
            if let Ok(data) = frame.into_data() {
                self.held.extend_from_slice(&data);
            }
        }
    }
}
