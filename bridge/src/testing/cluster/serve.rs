//! The made-up cluster as an HTTP server.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Value, json};

use super::objects::{Happened, Key, Patch, Refusal};
use super::request::{Target, is_selected, parameter};
use super::{Asked, Shared};

const NOT_FOUND: Refusal = Refusal { code: 404, reason: "NotFound" };
const NOT_SERVED: Refusal = Refusal { code: 405, reason: "MethodNotAllowed" };

pub(super) async fn serve(shared: Arc<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let metadata = is(&head.headers, ACCEPT, "as=PartialObjectMetadata");
    let asked = Asked {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: query.clone(),
        agent: String::new(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let Some(target) = Target::of(&asked.path) else { return refused(NOT_FOUND) };
    let watching = parameter(&query, "watch").is_some();
    if let Some(refusal) = shared.hears(&asked, watching) {
        return refused(refusal);
    }
    match target {
        Target::All { resource, namespace } if watching => {
            watch(shared, resource, namespace, &query, metadata)
        }
        target => match answer(&shared, &asked, target, &head.headers) {
            Ok(answer) if metadata => said(200, &stripped(answer)),
            Ok(answer) => said(200, &answer),
            Err(refusal) => refused(refusal),
        },
    }
}

fn answer(
    shared: &Shared,
    asked: &Asked,
    target: Target,
    headers: &HeaderMap,
) -> Result<Value, Refusal> {
    let body = &asked.body;
    let answer = match (asked.method.as_str(), target) {
        ("GET", Target::Kinds { group_version }) => shared.kinds(&group_version).ok_or(NOT_FOUND),
        ("GET", Target::All { resource, namespace }) => {
            let selector = parameter(&asked.query, "labelSelector").unwrap_or_default();
            Ok(list(shared, &resource, namespace.as_deref(), &selector))
        }
        ("GET", Target::One { key, .. }) => shared.objects().get(&key).cloned().ok_or(NOT_FOUND),
        ("POST", Target::All { resource, namespace }) => {
            let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let key = Key { resource, namespace: namespace.unwrap_or_default(), name };
            shared.objects().create(key, body.clone())
        }
        ("PUT", Target::One { key, status: false }) => shared.objects().replace(&key, body.clone()),
        ("PATCH", Target::One { key, status }) => {
            let manager = parameter(&asked.query, "fieldManager").unwrap_or_default();
            shared.objects().patch(&key, status, &how(headers, manager), body)
        }
        ("DELETE", Target::One { key, .. }) => {
            shared.objects().delete(&key, &body["preconditions"])
        }
        _ => Err(NOT_SERVED),
    };
    shared.changed.send_replace(());
    answer
}

fn how(headers: &HeaderMap, manager: String) -> Patch {
    if is(headers, CONTENT_TYPE, "apply-patch") {
        Patch::Apply { manager }
    } else if is(headers, CONTENT_TYPE, "json-patch+json") {
        Patch::Json
    } else {
        Patch::Merge
    }
}

fn is(headers: &HeaderMap, name: http::HeaderName, part: &str) -> bool {
    headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains(part))
}

fn list(shared: &Shared, resource: &str, namespace: Option<&str>, selector: &str) -> Value {
    let objects = shared.objects();
    let items: Vec<Value> = objects
        .list(resource, namespace)
        .filter(|object| is_selected(object, selector))
        .cloned()
        .collect();
    json!({
        "apiVersion": "v1", "kind": "List", "items": items,
        "metadata": { "resourceVersion": objects.version().to_string() },
    })
}

/// An object, or each of a list, without all but its metadata.
fn stripped(mut answer: Value) -> Value {
    if let Some(items) = answer["items"].as_array_mut() {
        for item in items {
            *item = stripped(item.take());
        }
        return answer;
    }
    json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
        "metadata": answer["metadata"],
    })
}

fn watch(
    shared: Arc<Shared>,
    resource: String,
    namespace: Option<String>,
    query: &str,
    metadata: bool,
) -> Response {
    let version = parameter(query, "resourceVersion").and_then(|version| version.parse().ok());
    let watch = Watch {
        resource,
        namespace,
        selector: parameter(query, "labelSelector").unwrap_or_default(),
        metadata,
    };
    let start = (shared.changed.subscribe(), version.unwrap_or_default());
    let lines = futures::stream::unfold(start, move |(mut changed, seen)| {
        let (shared, watch) = (Arc::clone(&shared), watch.clone());
        async move {
            loop {
                changed.mark_unchanged();
                let (lines, version) = watch.lines(&shared, seen);
                if !lines.is_empty() {
                    return Some((Ok::<_, std::io::Error>(lines), (changed, version)));
                }
                changed.changed().await.ok()?;
            }
        }
    });
    Response::new(Body::from_stream(lines))
}

#[derive(Clone)]
struct Watch {
    resource: String,
    namespace: Option<String>,
    selector: String,
    metadata: bool,
}

impl Watch {
    /// What happened since that version, and up to which version that is.
    fn lines(&self, shared: &Shared, since: u64) -> (String, u64) {
        let objects = shared.objects();
        let events = objects.since(since).filter_map(|happened| self.event(happened));
        let lines: Vec<String> = events.map(|event| event.to_string() + "\n").collect();
        (lines.concat(), objects.version())
    }

    fn event(&self, happened: &Happened) -> Option<Value> {
        let key = &happened.key;
        let elsewhere = self.namespace.as_ref().is_some_and(|only| only != &key.namespace);
        if key.resource != self.resource || elsewhere {
            return None;
        }
        let selected = |object: &&Value| is_selected(object, &self.selector);
        let before = happened.before.as_ref().filter(selected);
        let after = happened.after.as_ref().filter(selected);
        let (event, object) = match (before, after) {
            (None, Some(after)) => ("ADDED", after),
            (Some(_), Some(after)) => ("MODIFIED", after),
            (Some(before), None) => ("DELETED", before),
            (None, None) => return None,
        };
        let object = if self.metadata { stripped(object.clone()) } else { object.clone() };
        Some(json!({ "type": event, "object": object }))
    }
}

fn said(status: u16, body: &Value) -> Response {
    let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}

fn refused(refusal: Refusal) -> Response {
    let Refusal { code, reason } = refusal;
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": reason,
        "reason": reason, "code": code,
    });
    said(code, &status)
}
