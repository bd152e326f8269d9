//! One question of the walk and all of its answer: status, JSON, further pages, and whether our
//! own reading of it succeeds. It judges nothing.

use http::{Method, StatusCode};
use serde_json::Value;
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class};

use crate::client::Client;
use crate::transport::{Answer, page};
use crate::wire::{self, WireRequest};

/// An answer as it came.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) status: u16,
    pub(super) json: Option<Value>,
    /// What the status and body mean where they are no success.
    pub(super) error: Option<ApiError>,
    /// Why our own client cannot read a success.
    pub(super) unreadable: Option<String>,
    /// Where the list continues, if it does: another origin is an error.
    pub(super) further: Option<String>,
}

impl Heard {
    /// The class of an answer that is no success.
    pub(super) fn class(&self) -> Option<Class> {
        self.error.as_ref().map(|error| error.class)
    }

    /// The answer in a few words.
    pub(super) fn words(&self) -> String {
        let said = self.error.as_ref().map_or("", |error| error.said.as_str());
        match said {
            "" => format!("status {}", self.status),
            said => format!("status {}: {said}", self.status),
        }
    }
}

/// Asks with a request of ours.
pub(super) async fn ask(client: &Client, request: &Request) -> Result<Heard, ApiError> {
    if let Request::SetPassword { password, .. } = request {
        client.hide(password);
    }
    let wire = wire::encode(request);
    let answer = client.raw(&wire).await?;
    let mut heard = heard(client, &wire, &answer);
    if heard.error.is_none() {
        match wire::decode(request, std::slice::from_ref(&answer.body)) {
            Ok(reply) => wire::secrets_of(&reply).into_iter().for_each(|it| client.hide(it)),
            Err(unreadable) => heard.unreadable = Some(unreadable.why.to_string()),
        }
    }
    Ok(heard)
}

/// Asks what no request of ours asks.
pub(super) async fn ask_raw(
    client: &Client,
    (method, route): (Method, &'static str),
    path: &str,
    body: Option<&Value>,
) -> Result<Heard, ApiError> {
    let wire = WireRequest {
        method,
        route,
        path: path.to_owned(),
        name: None,
        query: None,
        body: body.map(Value::to_string),
        keyless: false,
        list: false,
    };
    let answer = client.raw(&wire).await?;
    Ok(heard(client, &wire, &answer))
}

fn heard(client: &Client, wire: &WireRequest, answer: &Answer) -> Heard {
    let error = (!answer.status.is_success()).then(|| client.classify(wire, answer));
    Heard {
        status: answer.status.as_u16(),
        json: serde_json::from_slice(&answer.body).ok(),
        error,
        unreadable: None,
        further: further(client, wire, answer),
    }
}

fn further(client: &Client, wire: &WireRequest, answer: &Answer) -> Option<String> {
    if !wire.list || answer.status != StatusCode::OK {
        return None;
    }
    match page::next(&answer.headers, client.server().as_url()) {
        Ok(None) => None,
        Ok(Some(_)) => Some("the list has further pages".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}
