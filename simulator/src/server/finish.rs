//! From what a route says to the bytes that are sent: pages, unknown fields, headers, broken
//! bodies. The pipeline calls it; it must never look at the store.

use axum::body::{Body, Bytes};
use futures::stream;
use http::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, LINK, RETRY_AFTER,
};
use http::{Response, StatusCode, Uri};
use serde_json::{Value as Json, json};

use super::pipeline::NoAnswer;
use crate::call::{Answer, Content};
use crate::clock::http_date;
use crate::fault::{Action, FaultBody};
use crate::options::Assumptions;

/// What is sent: status, headers, body.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    body: Bytes,
}

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// An answer as the assumptions have it.
pub(super) fn raw(mut answer: Answer, uri: &Uri, base: &str, assumptions: &Assumptions) -> Raw {
    let mut headers = Vec::new();
    if let Content::Json(body) = &mut answer.body {
        if let (Json::Array(rows), Some(size)) = (&mut *body, assumptions.page_size) {
            let origin = assumptions.page_origin.as_deref().unwrap_or(base);
            headers.extend(cut_page(rows, size.max(1), uri, origin).map(|link| (LINK, link)));
        }
        if assumptions.extra_fields {
            add_fields(body);
        }
    }
    let (kind, body) = match answer.body {
        Content::Empty => return Raw { status: answer.status, headers, body: Bytes::new() },
        Content::Json(body) => (JSON, format!("{body}\n")),
        Content::Text(text) => (TEXT, text),
    };
    headers.push((CONTENT_TYPE, kind.to_owned()));
    Raw { status: answer.status, headers, body: body.into() }
}

/// Leaves the rows of the wanted page; the link to the next one.
fn cut_page(rows: &mut Vec<Json>, size: usize, uri: &Uri, origin: &str) -> Option<String> {
    let parts: Vec<_> = uri.query().into_iter().flat_map(|query| query.split('&')).collect();
    let wanted = parts.iter().find_map(|part| part.strip_prefix("page=")?.parse().ok());
    let page: usize = wanted.unwrap_or(1).max(1);
    let start = (page - 1).saturating_mul(size).min(rows.len());
    rows.drain(..start);
    if rows.len() <= size {
        return None;
    }
    rows.truncate(size);
    let mut query: Vec<_> =
        parts.iter().filter(|part| !part.starts_with("page=")).copied().collect();
    let next = format!("page={}", page + 1);
    query.push(&next);
    Some(format!("<{origin}{}?{}>; rel=\"next\"", uri.path(), query.join("&")))
}

fn add_fields(body: &mut Json) {
    match body {
        Json::Array(rows) => rows.iter_mut().for_each(add_fields),
        Json::Object(fields) => {
            fields.values_mut().filter(|value| value.is_object()).for_each(add_fields);
            fields.insert("unheard_of".to_owned(), json!({ "since": [2, "later"] }));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// The answer of a script, given the server's own if it acted.
pub(super) fn scripted(action: &Action, own: Option<Raw>) -> Response<Body> {
    match action {
        Action::Drop | Action::Restart { .. } => no_answer(NoAnswer::Close),
        Action::Reset => no_answer(NoAnswer::Reset),
        Action::NoRoute => Raw::of(404, TEXT, "404 page not found\n").send(),
        Action::RateLimit { seconds } => limited(seconds.to_string()),
        Action::RateLimitUntil { seconds } => limited(http_date(*seconds)),
        Action::Answer { status, headers, body } => {
            let mut response = faulty(*status, body);
            for (name, value) in headers {
                if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
                    response.headers_mut().insert(name, value);
                }
            }
            response
        }
        Action::CutOff { bytes } => {
            own.map_or_else(|| no_answer(NoAnswer::Close), |own| own.cut(*bytes))
        }
        Action::Pass => own.map_or_else(|| no_answer(NoAnswer::Close), Raw::send),
        Action::Leave => {
            let mut response = own.map_or_else(|| no_answer(NoAnswer::Close), Raw::send);
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
    }
}

fn limited(retry_after: String) -> Response<Body> {
    let mut raw = Raw::of(429, JSON, "{\"error\":\"too many requests\"}\n");
    raw.headers.push((RETRY_AFTER, retry_after));
    raw.send()
}

fn faulty(status: u16, body: &FaultBody) -> Response<Body> {
    match body {
        // What it repeats was put in its place by then.
        FaultBody::Empty | FaultBody::Echo => Raw::of(status, TEXT, "").send(),
        FaultBody::Json(body) => Raw::of(status, JSON, &body.to_string()).send(),
        FaultBody::Text(text) => Raw::of(status, TEXT, text).send(),
        FaultBody::Html(page) => Raw::of(status, HTML, page).send(),
        FaultBody::CutOff(text) => {
            let whole = format!("{text}{}", " ".repeat(64));
            Raw::of(status, JSON, &whole).cut(text.len())
        }
    }
}

fn no_answer(how: NoAnswer) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(how);
    response
}

impl Raw {
    fn of(status: u16, kind: &str, body: &str) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = vec![(CONTENT_TYPE, kind.to_owned())];
        Self { status, headers, body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    fn response(&self, body: Body) -> Response<Body> {
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }

    pub(super) fn send(self) -> Response<Body> {
        let body = Body::from(self.body.clone());
        self.response(body)
    }

    /// Promises the whole body, sends a part of it and breaks the connection.
    fn cut(self, bytes: usize) -> Response<Body> {
        let part = self.body.slice(..bytes.min(self.body.len().saturating_sub(1)));
        let broken = std::io::Error::other("the script cuts this answer off");
        let parts = stream::iter([Ok(part), Err(broken)]);
        let mut response = self.response(Body::from_stream(parts));
        response.headers_mut().insert(CONTENT_LENGTH, self.body.len().into());
        response
    }
}
