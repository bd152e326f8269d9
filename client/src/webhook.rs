//! An alert source's webhook, for test alerts.
//!
//! The key is in the URL: neither leaves this module but to the URL's own origin. The provider's
//! token never goes there. All that is said is cleaned of both, and of what the settings send along.

use std::fmt;

use bytes::Bytes;
use http::Method;
use serde::de::IgnoredAny;
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::secret::SecretString;
use terdut_core::test_alert::TestAlert;
use terdut_core::value::ServerUrl;
use url::Url;

use crate::said::Secrets;
use crate::settings::{Problems, Settings, SettingsError};
use crate::transport::{Answer, Departure, Outgoing, Transport};
use crate::wire::{self, Context};

const ROUTE: &str = "/api/integrations/{key}/alertmanager";
/// A part of a path that is as long may be a key.
const KEY_LENGTH: usize = 16;

/// A webhook.
pub struct Webhook {
    transport: Transport,
    url: ServerUrl,
    secrets: Secrets,
}

impl Webhook {
    /// The webhook of that URL, reached as the settings say. Their own URL and token do not count.
    pub fn new(settings: &Settings, url: ServerUrl) -> Result<Self, SettingsError> {
        let mut problems = Problems::default();
        let transport = Transport::build(settings, Some(url.as_url()), &mut problems);
        // The settings' headers and the proxy's password are sent along, and may come back.
        let secrets = Secrets::of(settings);
        for secret in secrets_of(&url) {
            secrets.add(&secret);
        }
        problems.finish(Some(Self { transport, url, secrets }))
    }

    /// Sends an alert; with a moment in RFC 3339, that it ended then. The same alert may be sent
    /// again: it is known by its fingerprint.
    pub async fn send(&self, alert: &TestAlert, ended: Option<&str>) -> Result<(), ApiError> {
        let context = Context { method: &Method::POST, route: ROUTE, secrets: &self.secrets };
        let url = self.url.as_url().clone();
        let body = Some(wire::alert::message(alert, ended).to_string());
        let departure = &Departure::default();
        let outgoing = Outgoing { context, url, authorization: None, body, departure };
        let answer = self.transport.send(&outgoing).await?;
        judged(context, &answer, self.url.as_url())
    }
}

/// Without the URL, which holds the key.
impl fmt::Debug for Webhook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Webhook").field(&self.url.origin()).finish()
    }
}

/// All of a webhook's URL that nobody may read.
pub fn secrets_of(url: &ServerUrl) -> Vec<SecretString> {
    let (whole, path) = (url.to_string(), url.as_url().path());
    let parts = path.split('/').filter(|part| part.len() >= KEY_LENGTH);
    [whole.as_str(), path].into_iter().chain(parts).map(SecretString::new).collect()
}

fn judged(context: Context<'_>, answer: &Answer, url: &Url) -> Result<(), ApiError> {
    match answer.status.as_u16() {
        200..=299 if is_page(&answer.body) => {
            let said = "a page instead of an answer: check the URL, and the proxy in front of it";
            Err(context.error(Class::Retryable, Effect::Unknown, Some(answer.status), said))
        }
        200..=299 => Ok(()),
        300..=399 => Err(wire::redirected(context, answer.status, &answer.headers, url)),
        _ => Err(wire::classify(context, answer.status, &answer.body)),
    }
}

/// A page is not the server's word, whatever its status.
fn is_page(body: &Bytes) -> bool {
    body.trim_ascii_start().starts_with(b"<") && serde_json::from_slice::<IgnoredAny>(body).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_all_that_holds_it_are_secrets() {
        let key = "0123456789abcdef0123";
        let url: ServerUrl =
            format!("https://h/t/api/integrations/{key}/alertmanager").parse().unwrap();
        let secrets = secrets_of(&url);
        let all: Vec<_> = secrets.iter().map(SecretString::expose).collect();
        let path = format!("/t/api/integrations/{key}/alertmanager");
        assert_eq!(all, [url.to_string().as_str(), &path, key]);
    }
}
