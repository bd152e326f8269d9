//! The client against servers: small scripted ones for what goes wrong on the wire, and the
//! simulator for what a terdut server does.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod caller;
mod credential;
mod execute;
mod gate;
mod peer;
mod proxy;
mod simulator;
mod tls;
mod transport;
mod webhook;

use std::time::Duration;

use terdut_client::{Client, Settings};

/// Settings whose retries take no time to speak of.
fn settings(url: &str) -> Settings {
    let mut settings = Settings::new(url).with_token("token-canary".to_owned());
    settings.retry_base = Duration::from_millis(1);
    settings.request_timeout = Duration::from_secs(5);
    settings
}

fn client(url: &str) -> Client {
    Client::new(&settings(url)).unwrap()
}
