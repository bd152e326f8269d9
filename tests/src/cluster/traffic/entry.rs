//! One request of the log, read from its method and path.

use std::time::Instant;

use http::header::AUTHORIZATION;
use http::request::Parts;
use serde_json::Value as Json;

/// What a request is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The API server.
    Api,
    /// A terdut server.
    Terdut,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its place in the log, counted from 0.
    pub number: usize,
    /// Who sent it: the identity of a bridge.
    pub actor: String,
    /// What it is meant for.
    pub side: Side,
    /// For the API server `get`, `list`, `watch`, `create`, `update`, `patch`, `apply`, `delete` or
    /// `deletecollection`; for terdut the method in lower case.
    pub verb: String,
    /// For the API server as roles say it, `terdutteams/status`; "" for other paths. For terdut the
    /// route with `{}` for each id.
    pub resource: String,
    /// The namespace of the object, or of the server.
    pub namespace: String,
    /// The name of the object, or of the server; "" where the path has none.
    pub name: String,
    /// The path with its query, as it was sent on.
    pub path: String,
    /// The body; null if there is none.
    pub body: Json,
    /// The key that it shows to a terdut server; "" if none.
    pub key: String,
    /// When it arrived.
    pub arrived: Instant,
    /// When the upstream was asked, if it was.
    pub passed_on: Option<Instant>,
    /// When the upstream had answered, if it has.
    pub answered: Option<Instant>,
    /// What it answered.
    pub status: Option<u16>,
}

impl Entry {
    /// A request to the API server.
    pub(in crate::cluster) fn to_api(actor: &str, request: &Parts, body: &[u8]) -> Self {
        let place = ApiPlace::of(request.uri.path());
        let content = request.headers.get("content-type").map(http::HeaderValue::as_bytes);
        let query = request.uri.query().unwrap_or_default();
        let watches = query.split('&').any(|pair| pair == "watch=true" || pair == "watch=1");
        let verb = match request.method.as_str() {
            "GET" if watches => "watch",
            "GET" if place.name.is_empty() => "list",
            "GET" => "get",
            "POST" => "create",
            "PUT" => "update",
            "PATCH" if content.is_some_and(|kind| kind.starts_with(b"application/apply-patch")) => {
                "apply"
            }
            "PATCH" => "patch",
            "DELETE" if place.name.is_empty() => "deletecollection",
            "DELETE" => "delete",
            _ => "other",
        };
        Self::new(actor, Side::Api, verb, place, path_of(request), body)
    }

    /// A request to the terdut server of an object, with the path that the server sees.
    pub(in crate::cluster) fn to_terdut(
        actor: &str,
        request: &Parts,
        (namespace, name, path): (&str, &str, &str),
        body: &[u8],
    ) -> Self {
        let place = ApiPlace {
            resource: template_of(path.split('?').next().unwrap_or_default()),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let verb = request.method.as_str().to_ascii_lowercase();
        let key = bearer_of(request);
        Self { key, ..Self::new(actor, Side::Terdut, &verb, place, path.to_owned(), body) }
    }

    fn new(
        actor: &str,
        side: Side,
        verb: &str,
        place: ApiPlace,
        path: String,
        body: &[u8],
    ) -> Self {
        let ApiPlace { resource, namespace, name } = place;
        Self {
            number: 0,
            actor: actor.to_owned(),
            side,
            verb: verb.to_owned(),
            resource,
            namespace,
            name,
            path,
            body: serde_json::from_slice(body).unwrap_or_default(),
            key: String::new(),
            arrived: Instant::now(),
            passed_on: None,
            answered: None,
            status: None,
        }
    }

    /// Whether it may change something that counts: lease renewals, Events and reviews do not.
    pub fn writes(&self) -> bool {
        let reads = ["get", "list", "watch", "head"].contains(&self.verb.as_str());
        let aside = ["leases", "events"].contains(&self.resource.as_str());
        !reads && !aside && !self.resource.ends_with("reviews")
    }

    /// In one line, for messages.
    pub fn line(&self) -> String {
        let Self { number, actor, verb, resource, namespace, name, .. } = self;
        let status = self.status.map_or("-".to_owned(), |status| status.to_string());
        format!("{number} {actor} {verb} {resource} {namespace}/{name} {status}")
    }
}

/// What a path is about.
#[derive(Debug, Default, PartialEq, Eq)]
struct ApiPlace {
    resource: String,
    namespace: String,
    name: String,
}

impl ApiPlace {
    fn of(path: &str) -> Self {
        let words: Vec<_> = path.trim_matches('/').split('/').collect();
        let below = match words.as_slice() {
            ["api", _, below @ ..] | ["apis", _, _, below @ ..] => below,
            _ => &[],
        };
        match below {
            // The namespace itself, or its status.
            ["namespaces", name] | ["namespaces", name, "status" | "finalize"] => {
                Self::new("namespaces", "", name)
            }
            ["namespaces", namespace, resource] => Self::new(resource, namespace, ""),
            ["namespaces", namespace, resource, name] => Self::new(resource, namespace, name),
            ["namespaces", namespace, resource, name, sub, ..] => {
                Self::new(&format!("{resource}/{sub}"), namespace, name)
            }
            [resource] => Self::new(resource, "", ""),
            [resource, name] => Self::new(resource, "", name),
            [resource, name, sub, ..] => Self::new(&format!("{resource}/{sub}"), "", name),
            [] => Self::default(),
        }
    }

    fn new(resource: &str, namespace: &str, name: &str) -> Self {
        Self {
            resource: resource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

fn path_of(request: &Parts) -> String {
    request.uri.path_and_query().map(ToString::to_string).unwrap_or_default()
}

fn bearer_of(request: &Parts) -> String {
    let shown = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default().to_owned()
}

/// A route with `{}` for each id.
fn template_of(path: &str) -> String {
    let is_id = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let words = path.split('/').map(|word| if is_id(word) { "{}" } else { word });
    words.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(method: &str, uri: &str, content_type: &str) -> Entry {
        let request = http::Request::builder().method(method).uri(uri);
        let request = request.header("content-type", content_type).body(()).unwrap();
        Entry::to_api("a", &request.into_parts().0, b"")
    }

    fn read(method: &str, uri: &str, content_type: &str) -> String {
        let entry = entry(method, uri, content_type);
        format!("{} {} {}/{}", entry.verb, entry.resource, entry.namespace, entry.name)
    }

    #[test]
    fn requests_are_named_as_roles_name_them() {
        let team = "/apis/terdut.ryuvia.com/v1alpha1/namespaces/a/terdutteams";
        let of = |method: &str, rest: &str| read(method, &format!("{team}{rest}"), "");
        assert_eq!(of("GET", "?limit=50"), "list terdutteams a/");
        assert_eq!(of("GET", "?watch=true&resourceVersion=7"), "watch terdutteams a/");
        assert_eq!(of("GET", "/b"), "get terdutteams a/b");
        assert_eq!(of("PATCH", "/b"), "patch terdutteams a/b");
        assert_eq!(of("DELETE", "/b"), "delete terdutteams a/b");
        let apply = read("PATCH", &format!("{team}/b/status"), "application/apply-patch+yaml");
        assert_eq!(apply, "apply terdutteams/status a/b");
        assert_eq!(read("POST", "/api/v1/namespaces/a/secrets", ""), "create secrets a/");
        assert_eq!(read("GET", "/api/v1/namespaces/a", ""), "get namespaces /a");
        assert_eq!(read("GET", "/api/v1/namespaces?watch=1", ""), "watch namespaces /");
        assert_eq!(read("GET", "/version", ""), "list  /");
    }

    #[test]
    fn leases_and_events_are_not_counted_as_writes() {
        let path = "/apis/coordination.k8s.io/v1/namespaces/a/leases/b";
        assert!(!entry("PUT", path, "").writes());
        assert!(!entry("POST", "/apis/events.k8s.io/v1/namespaces/a/events", "").writes());
        assert!(entry("PUT", "/api/v1/namespaces/a/secrets/b", "").writes());
        assert!(!entry("GET", "/api/v1/namespaces/a/secrets/b", "").writes());
    }

    #[test]
    fn ids_leave_a_route() {
        assert_eq!(template_of("/api/teams/12/integrations/3"), "/api/teams/{}/integrations/{}");
    }
}
