//! What went wrong with a request, as a value with a class.
//!
//! The client makes these, core's machines and both faces read them. The class drives retry,
//! severity, requeue and metrics; nothing may match on a message's text.

use std::fmt;

/// What an error means for whoever has to act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The same request may work later: 429, 5xx, a proxy's page, a cut-off body.
    Retryable,
    /// A name is taken (409).
    Conflict,
    /// The key is unknown (401) or used outside its scope (403).
    Denied,
    /// The server says that the body does not validate (400), or answered what cannot be read.
    Invalid,
    /// A JSON 404: the object in the path does not exist.
    NotFound,
    /// The plain-text 404 of a router that lacks the route.
    TooOld,
    /// No answer: name look-up, refused, reset, TLS, time-out.
    Unreachable,
}

impl Class {
    /// The name used in metrics and conditions.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retryable => "Retryable",
            Self::Conflict => "Conflict",
            Self::Denied => "Denied",
            Self::Invalid => "Invalid",
            Self::NotFound => "NotFound",
            Self::TooOld => "TooOld",
            Self::Unreachable => "Unreachable",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Whether the server may have acted on a request that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The server refused it, or it never left: nothing changed.
    None,
    /// The answer is lost or unreadable: it may have acted. A create is looked up before it is
    /// made again.
    Unknown,
}

/// A request that did not give what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} {route}: {}", self.cause())]
pub struct ApiError {
    /// What it means.
    pub class: Class,
    /// Whether the server may have acted.
    pub effect: Effect,
    /// The HTTP method.
    pub method: &'static str,
    /// The route template (never the path itself: keys are in some).
    pub route: &'static str,
    /// The HTTP status, where an answer arrived.
    pub status: Option<u16>,
    /// Whether the server itself said it, as `{"error": …}`: not a proxy, not a router.
    pub own_word: bool,
    /// What the server or the transport said: at most 300 characters, control characters and known
    /// secrets removed by the client.
    pub said: String,
}

impl ApiError {
    /// An answer of another kind than the request's: the request may have acted.
    pub(crate) fn unreadable() -> Self {
        Self {
            class: Class::Invalid,
            effect: Effect::Unknown,
            method: "",
            route: "",
            status: None,
            own_word: false,
            said: "the answer lacks what was asked for".to_owned(),
        }
    }

    fn cause(&self) -> String {
        match (self.status, self.said.as_str()) {
            (Some(status), "") => format!("status {status}"),
            (Some(status), said) => format!("status {status}: {said}"),
            (None, "") => self.class.to_string(),
            (None, said) => said.to_owned(),
        }
    }
}
