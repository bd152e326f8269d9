//! Why an attempt gave no answer, and whether the request had left.
//!
//! Made by the transport; the retry policy and the error for the caller read it. Its text is not
//! yet cleaned of secrets.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::StatusCode;
use hyper_util::client::legacy::Error as HyperError;
use terdut_core::error::Class;

use super::class_without_answer;
use super::gated::Closed;

/// An attempt without an answer.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) class: Class,
    /// The status, where one arrived before the answer broke off.
    pub(super) status: Option<StatusCode>,
    pub(super) why: String,
    unsent: bool,
    hopeless: bool,
}

impl Lost {
    fn new(status: Option<StatusCode>, why: String) -> Self {
        let class = class_without_answer(status);
        Self { class, status, why, unsent: false, hopeless: false }
    }

    /// The request failed before any answer.
    pub(super) fn request(error: &HyperError) -> Self {
        // Without a connection nothing can have been sent.
        let unsent = error.is_connect();
        let mut why = chain(error);
        let untrusted = is_untrusted(error);
        let closed = causes(error).any(<dyn Error>::is::<Closed>);
        if untrusted {
            why.push_str(
                " (set ca_certificate to the PEM of the authority that signed the server's \
                 certificate)",
            );
        }
        Self { unsent, hopeless: untrusted || closed, ..Self::new(None, why) }
    }

    /// The gate was closed before the request was sent.
    pub(super) fn held_back(closed: Closed) -> Self {
        Self { unsent: true, hopeless: true, ..Self::new(None, closed.to_string()) }
    }

    /// The server has asked for a longer pause than is waited for.
    pub(super) fn left_alone() -> Self {
        let why = "not sent: the server has just asked for a pause of more than two minutes";
        let class = Class::Retryable;
        Self { unsent: true, hopeless: true, class, ..Self::new(None, why.to_owned()) }
    }

    /// The deadline passed.
    pub(super) fn timed_out(timeout: Duration) -> Self {
        Self::new(None, format!("no answer within {} s", timeout.as_secs_f64()))
    }

    /// The body ended before its end.
    pub(super) fn cut_off(status: StatusCode) -> Self {
        Self::new(Some(status), "the answer was cut off".to_owned())
    }

    /// The body is larger than any answer should be.
    pub(super) fn too_long(status: StatusCode, limit: usize) -> Self {
        let why = format!("the answer is longer than {} MiB", limit / 1024 / 1024);
        Self { hopeless: true, class: Class::Invalid, ..Self::new(Some(status), why) }
    }

    /// The request cannot be expressed as HTTP.
    pub(super) fn unsendable(error: &http::Error) -> Self {
        let why = format!("the request cannot be sent: {error}");
        Self { unsent: true, hopeless: true, class: Class::Invalid, ..Self::new(None, why) }
    }

    /// Whether the request provably never reached the server.
    pub(super) fn is_unsent(&self) -> bool {
        self.unsent
    }

    /// Whether another attempt would end the same way.
    pub(super) fn is_hopeless(&self) -> bool {
        self.hopeless
    }
}

/// The error's causes, without repetitions. Its own text only names a phase of the library.
fn chain(error: &HyperError) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut current: Option<&dyn Error> = error.source().or(Some(error));
    while let Some(error) = current {
        let text = error.to_string();
        if !texts.iter().any(|earlier| earlier.contains(&text)) {
            texts.push(text);
        }
        current = error.source();
    }
    texts.join(": ")
}

/// Whether the server's certificate was refused: that does not heal by itself.
fn is_untrusted(error: &HyperError) -> bool {
    causes(error).any(has_bad_certificate)
}

fn causes(error: &HyperError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |error| (*error).source())
}

/// `io::Error` hides the error it wraps from `source`, so it is opened here.
fn has_bad_certificate(error: &(dyn Error + 'static)) -> bool {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return matches!(tls, rustls::Error::InvalidCertificate(_));
    }
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.is_some_and(|inner| has_bad_certificate(inner))
}
