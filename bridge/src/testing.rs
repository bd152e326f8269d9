//! Made-up Kubernetes API servers for unit tests.
//!
//! [`FakeApi`] answers what its test says and checks nothing; [`Cluster`] keeps objects; a
//! [`Fixture`] is a controller's whole surroundings. What a real API server does is for the cluster
//! suite.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use kube::Config;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, watch};

use crate::fence::Fence;
use crate::kube::Kube;
use crate::metrics::Metrics;

mod cluster;
mod fixture;
pub(crate) mod life;
pub(crate) mod world;

pub(crate) use cluster::Cluster;
pub(crate) use fixture::{Fixture, OWN, held, namespace, team_on};

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) agent: String,
    pub(crate) body: Value,
}

impl Asked {
    /// Method and path.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A status and a body.
    Json(u16, Value),
    /// Nothing, ever.
    Hang,
}

impl Answer {
    /// A refusal as Kubernetes words it.
    pub(crate) fn refusal(code: u16, reason: &str) -> Self {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": reason,
            "reason": reason, "code": code,
        });
        Self::Json(code, status)
    }
}

type Answering = Box<dyn FnMut(&Asked) -> Answer + Send>;

struct Inner {
    answer: Mutex<Answering>,
    asked: watch::Sender<Vec<Asked>>,
    watches: Mutex<HashMap<String, broadcast::Sender<String>>>,
    watch_started: watch::Sender<()>,
}

/// The server; it ends with the test's runtime.
#[derive(Clone)]
pub(crate) struct FakeApi {
    inner: Arc<Inner>,
    config: Config,
}

impl FakeApi {
    /// Listens, and answers each request but watches with what the function says.
    pub(crate) async fn start(answer: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let inner = Arc::new(Inner {
            answer: Mutex::new(Box::new(answer)),
            asked: watch::Sender::new(Vec::new()),
            watches: Mutex::default(),
            watch_started: watch::Sender::new(()),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = Arc::clone(&inner);
        let routes = Router::new().fallback(move |request: Request| serve(serving, request));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { inner, config: Config::new(url.parse().unwrap()) }
    }

    /// A way to it.
    pub(crate) fn kube(&self, fence: &Fence) -> Kube {
        Kube::new(&self.config, fence, &Metrics::new()).unwrap()
    }

    /// Another one, with these metrics.
    pub(crate) fn kube_counted(&self, fence: &Fence, metrics: &Metrics) -> Kube {
        Kube::new(&self.config, fence, metrics).unwrap()
    }

    /// Method and path of everything that was asked, watches left out.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked().iter().map(Asked::line).collect()
    }

    /// Everything that was asked, watches left out.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.inner.asked.borrow().clone()
    }

    /// Resolves when that much was asked.
    pub(crate) async fn has_asked(&self, count: usize) {
        let mut asked = self.inner.asked.subscribe();
        let enough = asked.wait_for(|asked| asked.len() >= count);
        tokio::time::timeout(PATIENCE, enough).await.unwrap().unwrap();
    }

    /// Sends an event to every watch of that path, of which there is at least one.
    pub(crate) async fn event(&self, path: &str, event_type: &str, object: &Value) {
        let line = format!("{}\n", json!({ "type": event_type, "object": object }));
        let events = watched(&self.inner, path);
        let mut started = self.inner.watch_started.subscribe();
        let watched = started.wait_for(|()| events.receiver_count() > 0);
        tokio::time::timeout(PATIENCE, watched).await.unwrap().unwrap();
        events.send(line).unwrap();
    }
}

fn watched(inner: &Inner, path: &str) -> broadcast::Sender<String> {
    let mut watches = inner.watches.lock().unwrap();
    watches.entry(path.to_owned()).or_insert_with(|| broadcast::Sender::new(64)).clone()
}

async fn serve(inner: Arc<Inner>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let path = head.uri.path().to_owned();
    if query.contains("watch=true") {
        let events = watched(&inner, &path).subscribe();
        inner.watch_started.send_replace(());
        return watching(events);
    }
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let agent = head.headers.get("user-agent").and_then(|value| value.to_str().ok());
    let asked = Asked {
        method: head.method.to_string(),
        path,
        query,
        agent: agent.unwrap_or_default().to_owned(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let answer = (inner.answer.lock().unwrap())(&asked);
    inner.asked.send_modify(|all| all.push(asked));
    match answer {
        Answer::Hang => std::future::pending().await,
        Answer::Json(status, body) => Response::builder()
            .status(status)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap(),
    }
}

fn watching(events: broadcast::Receiver<String>) -> Response {
    let lines = futures::stream::unfold(events, |mut events| async move {
        let line = events.recv().await.ok()?;
        Some((Ok::<_, std::io::Error>(line), events))
    });
    Response::new(Body::from_stream(lines))
}

/// A TerdutTeam as the API server would answer it.
pub(crate) fn team(name: &str, version: u64) -> Value {
    json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1",
        "kind": "TerdutTeam",
        "metadata": {
            "namespace": "teams", "name": name, "uid": format!("uid-{name}"),
            "resourceVersion": version.to_string(), "generation": 1,
        },
        "spec": { "serverRef": { "name": "main" }, "displayName": name },
    })
}

/// A list of objects.
pub(crate) fn list(items: &[Value]) -> Answer {
    let body = json!({
        "apiVersion": "v1", "kind": "List", "metadata": { "resourceVersion": "1000" },
        "items": items,
    });
    Answer::Json(200, body)
}
