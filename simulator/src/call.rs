//! One call as the routes see it, and what they answer. The pipeline makes and sends them; they
//! must never hold a connection.

use std::collections::HashMap;

use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::access::Caller;
use crate::options::Assumptions;
use crate::store;

/// What a caller asks.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) caller: Caller,
    /// What stands in the places of the route's template, in order.
    pub(crate) places: Vec<String>,
    pub(crate) query: HashMap<String, String>,
    pub(crate) body: &'a [u8],
    pub(crate) assumptions: &'a Assumptions,
    /// The server's own address.
    pub(crate) base: &'a str,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Content,
}

/// The body of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Empty,
    Json(Json),
    Text(String),
}

/// Why a call is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) error: String,
}

/// What a route says.
pub(crate) type Outcome = Result<Answer, Refusal>;

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into() }
    }

    pub(crate) fn invalid(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    pub(crate) fn not_found(what: &str, id: i64) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("{what} {id} not found"))
    }

    pub(crate) fn taken(what: &str, name: &str) -> Self {
        Self::new(StatusCode::CONFLICT, format!("{what} {name:?} is already taken"))
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self { status: refusal.status, body: Content::Json(json!({ "error": refusal.error })) }
    }
}

impl Answer {
    pub(crate) fn ok<T: Serialize>(value: &T) -> Self {
        Self { status: StatusCode::OK, body: Content::Json(store::json(value)) }
    }

    pub(crate) fn created<T: Serialize>(value: &T) -> Self {
        Self { status: StatusCode::CREATED, ..Self::ok(value) }
    }

    pub(crate) fn no_content() -> Self {
        Self { status: StatusCode::NO_CONTENT, body: Content::Empty }
    }

    pub(crate) fn list<T: Serialize>(rows: impl Iterator<Item = T>) -> Self {
        Self::ok(&rows.map(|row| store::json(&row)).collect::<Vec<_>>())
    }

    /// What a router says of a route that it does not have.
    pub(crate) fn no_route() -> Self {
        let body = Content::Text("404 page not found\n".to_owned());
        Self { status: StatusCode::NOT_FOUND, body }
    }
}

impl Call<'_> {
    /// The id in one place of the path.
    pub(crate) fn id(&self, place: usize) -> Result<i64, Refusal> {
        let text = self.places.get(place).map_or("", String::as_str);
        text.parse().map_err(|_| Refusal::invalid(format!("invalid id {text:?}")))
    }

    /// The body as JSON.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(self.body)
            .map_err(|error| Refusal::invalid(format!("invalid request body: {error}")))
    }
}

/// A name as it is stored: trimmed, 1 to 253 characters, no control characters.
pub(crate) fn name(field: &str, text: &str) -> Result<String, Refusal> {
    let name = text.trim();
    let fault = match name.chars().count() {
        0 => "is required",
        254.. => "is longer than 253 characters",
        _ if name.chars().any(char::is_control) => "contains control characters",
        _ => return Ok(name.to_owned()),
    };
    Err(Refusal::invalid(format!("{field} {fault}")))
}
