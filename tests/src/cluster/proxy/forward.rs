//! One request on its way through a proxy.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::Value as Json;

use super::{Passage, Upstream, routes, stream};
use crate::cluster::traffic::{Entry, Moment, Verdict};

pub(super) type Body = BoxBody<Bytes, Broken>;

/// The connection is closed: by a rule, or because the upstream did.
#[derive(Debug)]
pub(super) struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the connection was cut")
    }
}

impl std::error::Error for Broken {}

/// Passes a request on and its answer back; an error closes the connection.
pub(super) async fn pass(
    passage: Arc<Passage>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Broken> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Broken)?.to_bytes();
    let (entry, url) = passage.read(&parts, &body).ok_or(Broken)?;
    let watches = entry.verb == "watch";
    let keys: Vec<_> = Some(entry.key.clone()).filter(|key| !key.is_empty()).into_iter().collect();
    let number = passage.traffic.begin(entry, &keys);
    match passage.traffic.meet(number, Moment::Before).await {
        Verdict::Go => {}
        Verdict::Drop => return Err(Broken),
        Verdict::Answer(status, body) => return Ok(made_up(status, &body)),
    }
    passage.traffic.passed_on(number);
    let answer = passage.http.request(onward(parts, body, &url)?).await.map_err(|_| Broken)?;
    let (head, body) = answer.into_parts();
    let body = if watches {
        passage.traffic.answered(number, head.status.as_u16(), &[]);
        stream::pass(body, passage.traffic.clone(), number)
    } else {
        let bytes = body.collect().await.map_err(|_| Broken)?.to_bytes();
        passage.traffic.answered(number, head.status.as_u16(), &passage.keys_in(&bytes));
        Full::new(bytes).map_err(|never| match never {}).boxed()
    };
    match passage.traffic.meet(number, Moment::After).await {
        Verdict::Go => Ok(answered(head, body)),
        Verdict::Drop => Err(Broken),
        Verdict::Answer(status, body) => Ok(made_up(status, &body)),
    }
}

impl Passage {
    /// What a request is, and the URL that it is passed on to; `None` if it leads nowhere.
    fn read(&self, parts: &Parts, body: &[u8]) -> Option<(Entry, String)> {
        let path = parts.uri.path_and_query()?.as_str();
        match &self.upstream {
            Upstream::Api(base) => {
                Some((Entry::to_api(&self.actor, parts, body), format!("{base}{path}")))
            }
            Upstream::Terdut(known) => {
                let place = routes::split(path)?;
                let base = known.find(place.0, place.1)?;
                let url = format!("{base}{}", place.2);
                Some((Entry::to_terdut(&self.actor, parts, place, body), url))
            }
        }
    }

    /// The keys that a terdut server gives out in an answer.
    fn keys_in(&self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        if matches!(self.upstream, Upstream::Terdut(_)) {
            collect_keys(&serde_json::from_slice(bytes).unwrap_or_default(), &mut found);
        }
        found
    }
}

fn collect_keys(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::Object(fields) => {
            let keys = fields.iter().filter(|(name, _)| *name == "key" || *name == "token");
            found.extend(keys.filter_map(|(_, value)| value.as_str().map(str::to_owned)));
            fields.values().for_each(|value| collect_keys(value, found));
        }
        Json::Array(items) => items.iter().for_each(|item| collect_keys(item, found)),
        _ => {}
    }
}

fn onward(parts: Parts, body: Bytes, url: &str) -> Result<Request<Full<Bytes>>, Broken> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = parts.method;
    *request.uri_mut() = url.parse().map_err(|_| Broken)?;
    *request.headers_mut() = parts.headers;
    for name in [HOST, CONNECTION, TRANSFER_ENCODING] {
        request.headers_mut().remove(name);
    }
    Ok(request)
}

fn answered(mut head: http::response::Parts, body: Body) -> Response<Body> {
    for name in [CONNECTION, TRANSFER_ENCODING] {
        head.headers.remove(name);
    }
    Response::from_parts(head, body)
}

fn made_up(status: u16, body: &Json) -> Response<Body> {
    let bytes = Full::new(Bytes::from(body.to_string()));
    let mut response = Response::new(bytes.map_err(|never| match never {}).boxed());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    response
        .headers_mut()
        .insert("content-type", http::HeaderValue::from_static("application/json"));
    response
}
