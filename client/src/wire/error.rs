//! Status and body of a failed request → an error with its class and effect.
//!
//! Called by the client for every answer that is no success, and for successes that cannot be
//! read. The class comes from the status and the body's form, never from the wording of an error.

use http::{HeaderMap, Method, StatusCode, header};
use serde::Deserialize;
use terdut_core::error::{ApiError, Class, Effect};

use crate::said::Secrets;

/// What a router writes for a route that it lacks.
const NO_ROUTE: &str = "404 page not found";

/// The request that an error is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) method: &'a Method,
    pub(crate) route: &'static str,
    pub(crate) secrets: &'a Secrets,
}

impl Context<'_> {
    /// Whether the request only reads: then nothing can have changed.
    fn reads(&self) -> bool {
        self.method == Method::GET
    }

    /// The error, when an earlier attempt of the same request may have acted.
    pub(crate) fn in_doubt(&self, error: ApiError) -> ApiError {
        let effect = if self.reads() { Effect::None } else { Effect::Unknown };
        ApiError { effect, ..error }
    }

    /// An error, with its text cleaned. An effect on a read is none.
    pub(crate) fn error(
        &self,
        class: Class,
        effect: Effect,
        status: Option<StatusCode>,
        said: &str,
    ) -> ApiError {
        ApiError {
            class,
            effect: if self.reads() { Effect::None } else { effect },
            method: method_name(self.method),
            route: self.route,
            status: status.map(|status| status.as_u16()),
            own_word: false,
            said: self.secrets.clean(said),
        }
    }
}

pub(crate) fn method_name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => "HTTP",
    }
}

#[derive(Deserialize)]
struct WireError {
    error: String,
}

/// What a body is, as far as an error is concerned.
enum Form {
    /// `{"error": …}`: the server itself speaks.
    Server(String),
    Html(String),
    Empty,
    Text(String),
}

fn form(body: &[u8]) -> Form {
    if let Ok(WireError { error }) = serde_json::from_slice(body) {
        return Form::Server(error);
    }
    let text = String::from_utf8_lossy(body);
    match text.trim() {
        "" => Form::Empty,
        text if text.starts_with('<') => Form::Html(page(text)),
        text => Form::Text(text.to_owned()),
    }
}

/// What to say about an HTML page: its title, if it has one.
fn page(text: &str) -> String {
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    match title {
        Some((title, _)) => format!("an HTML page (\"{}\") instead of JSON", title.trim()),
        None => "an HTML page instead of JSON".to_owned(),
    }
}

/// The error that a status of 400 and above stands for.
pub(crate) fn classify(context: Context<'_>, status: StatusCode, body: &[u8]) -> ApiError {
    let form = form(body);
    let (class, effect) = match class_of(status, &form) {
        // To read is to ask for nothing that could be taken.
        (Class::Conflict, effect) if context.reads() => (Class::Retryable, effect),
        other => other,
    };
    let own_word = matches!(form, Form::Server(_));
    let said = match form {
        Form::Empty => String::new(),
        Form::Server(said) | Form::Html(said) | Form::Text(said) => said,
    };
    ApiError { own_word, ..context.error(class, effect, Some(status), &said) }
}

fn class_of(status: StatusCode, form: &Form) -> (Class, Effect) {
    match (status.as_u16(), form) {
        // Whoever refuses did not pass it on, be it the server or a proxy.
        (401 | 403, _) => (Class::Denied, Effect::None),
        (429, _) => (Class::Retryable, Effect::None),
        (404, Form::Server(_)) => (Class::NotFound, Effect::None),
        (404, Form::Text(text)) if text == NO_ROUTE => (Class::TooOld, Effect::None),
        // A router that has the path but not the method is as old as one that lacks the path.
        (405 | 501, Form::Text(_) | Form::Empty) => (Class::TooOld, Effect::None),
        (409, Form::Server(_) | Form::Text(_) | Form::Empty) => (Class::Conflict, Effect::None),
        // Any other 404 is not the server's word either: a proxy's page, an emptied body.
        (404 | 408 | 425 | 500.., _) | (_, Form::Html(_)) => (Class::Retryable, Effect::Unknown),
        _ => (Class::Invalid, Effect::None),
    }
}

/// The error for a success whose body cannot be read.
pub(crate) fn unreadable(
    context: Context<'_>,
    status: StatusCode,
    body: &[u8],
    why: &serde_json::Error,
) -> ApiError {
    let (class, said) = match form(body) {
        Form::Empty => (Class::Retryable, "an empty body where an answer was expected".to_owned()),
        Form::Html(said) => (Class::Retryable, said),
        Form::Server(said) => {
            (Class::Invalid, format!("an error with a status of success: {said}"))
        }
        Form::Text(_) if why.is_eof() => {
            (Class::Retryable, "a body that ends in the middle".to_owned())
        }
        Form::Text(_) if why.is_syntax() => {
            (Class::Retryable, "a body that is not JSON".to_owned())
        }
        // The position and the missing field, not the body: it may hold a key.
        Form::Text(_) => (Class::Invalid, format!("an answer of another shape: {why}")),
    };
    context.error(class, Effect::Unknown, Some(status), &said)
}

/// The error for a redirect, which is never followed: the key belongs to one origin.
pub(crate) fn redirected(
    context: Context<'_>,
    status: StatusCode,
    headers: &HeaderMap,
    asked: &url::Url,
) -> ApiError {
    let target = headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|location| asked.join(location).ok())
        .map(|url| url.origin().ascii_serialization());
    let said = match target {
        Some(origin) => format!("a redirect to {origin}, which is not followed: check the URL"),
        None => "a redirect, which is not followed: check the URL".to_owned(),
    };
    context.error(Class::Invalid, Effect::None, Some(status), &said)
}
