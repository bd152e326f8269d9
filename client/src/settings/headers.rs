//! Extra headers, checked.
//!
//! Called once by `Client::new`. Values are marked sensitive, so that no library prints them.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{Problems, Settings};

/// Headers that the client itself sets; a user's value would break or override them.
const OWN: [HeaderName; 6] = [
    header::AUTHORIZATION,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::HOST,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
];

/// The headers of every request.
pub(crate) fn build(settings: &Settings, problems: &mut Problems) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    match HeaderValue::from_str(&settings.user_agent) {
        Ok(value) => drop(headers.insert(header::USER_AGENT, value)),
        Err(_) => problems.add("user_agent", "has characters that a header cannot hold"),
    }
    for (name, value) in &settings.headers {
        let Ok(parsed) = HeaderName::try_from(name.as_str()) else {
            problems.add("headers", format!("{name:?} is not a header's name"));
            continue;
        };
        if OWN.contains(&parsed) {
            problems.add("headers", format!("{name:?} is set by the client itself"));
            continue;
        }
        match HeaderValue::from_str(value.expose()) {
            Ok(mut value) => {
                value.set_sensitive(true);
                headers.insert(parsed, value);
            }
            Err(_) => problems
                .add("headers", format!("the value of {name:?} has characters no header can hold")),
        }
    }
    headers
}

/// The `Authorization` value of a key.
pub(crate) fn bearer(key: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
