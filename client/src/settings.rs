//! What a client is made of, as plain values.
//!
//! The provider (and later the bridge) fills [`Settings`] from its configuration and environment;
//! `Client::new` turns them into a transport. Bad settings are collected, each named, so that one
//! run reports all of them. Nothing here reads the environment: what stands there comes in as
//! values.

use std::collections::BTreeMap;
use std::time::Duration;

use terdut_core::secret::SecretString;

pub use gate::Gate;
pub use observer::{Attempt, Observer};

mod gate;
pub(crate) mod headers;
mod observer;
pub(crate) mod proxy;
pub(crate) mod tls;

/// Everything that shapes a client.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server's URL: http or https, a path is kept, a trailing slash does not matter.
    pub url: String,
    /// The key. Health and bootstrap need none.
    pub token: Option<SecretString>,
    /// Certificates that are trusted beside the system's: PEM, or the path of a PEM file.
    pub ca_certificate: Option<String>,
    /// The client's certificate chain: PEM, or the path of a PEM file.
    pub client_certificate: Option<String>,
    /// The client certificate's key: PEM, or the path of a PEM file.
    pub client_key: Option<SecretString>,
    /// Accept any certificate.
    pub insecure_skip_verify: bool,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, SecretString>,
    /// The proxy to use. Without one, [`Settings::environment`] decides.
    pub proxy: Option<SecretString>,
    /// What the environment says about proxies.
    pub environment: ProxyEnvironment,
    /// How long one attempt may take.
    pub request_timeout: Duration,
    /// How often a request that may be repeated is repeated.
    pub max_retries: u32,
    /// The pause before a repetition is random between nothing and this, doubled each time.
    pub retry_base: Duration,
    /// Requests a second; none means unlimited.
    pub requests_per_second: Option<f64>,
    /// How many requests may be under way at once, 1-100.
    pub max_concurrency: usize,
    /// The User-Agent header.
    pub user_agent: String,
    /// Asked before each attempt is sent; none is always open.
    pub gate: Option<Gate>,
    /// Who is told of each attempt.
    pub observer: Option<Observer>,
}

/// The values of the proxy variables, as the caller found them.
#[derive(Debug, Clone, Default)]
pub struct ProxyEnvironment {
    /// `HTTPS_PROXY`, used for https.
    pub https_proxy: Option<SecretString>,
    /// `HTTP_PROXY`, used for http.
    pub http_proxy: Option<SecretString>,
    /// `NO_PROXY`.
    pub no_proxy: Option<String>,
}

impl Settings {
    /// Defaults for a server's URL, without a key.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            token: None,
            ca_certificate: None,
            client_certificate: None,
            client_key: None,
            insecure_skip_verify: false,
            headers: BTreeMap::new(),
            proxy: None,
            environment: ProxyEnvironment::default(),
            request_timeout: Duration::from_secs(30),
            max_retries: 4,
            retry_base: Duration::from_millis(500),
            requests_per_second: None,
            max_concurrency: 10,
            user_agent: concat!("terdut-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            gate: None,
            observer: None,
        }
    }

    /// The same with a key.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<SecretString>) -> Self {
        self.token = Some(token.into());
        self
    }
}

/// One setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {message}")]
pub struct SettingProblem {
    /// The setting's name, as in the provider's schema (or the variable's, of a proxy variable).
    pub setting: &'static str,
    /// What is wrong with it and what would do. Never the value of a secret.
    pub message: String,
}

/// All settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.list())]
pub struct SettingsError {
    /// At least one.
    pub problems: Vec<SettingProblem>,
}

impl SettingsError {
    fn list(&self) -> String {
        let texts: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        texts.join("; ")
    }
}

/// Collects problems while the parts of a client are made.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<SettingProblem>);

impl Problems {
    pub(crate) fn add(&mut self, setting: &'static str, message: impl Into<String>) {
        self.0.push(SettingProblem { setting, message: message.into() });
    }

    /// What was made, if there was no problem on the way.
    pub(crate) fn finish<T>(mut self, made: Option<T>) -> Result<T, SettingsError> {
        match made {
            Some(made) if self.0.is_empty() => Ok(made),
            None if self.0.is_empty() => {
                self.add("url", "is missing");
                Err(SettingsError { problems: self.0 })
            }
            _ => Err(SettingsError { problems: self.0 }),
        }
    }
}

/// Checks the numbers, which need no parsing.
pub(crate) fn check_numbers(settings: &Settings, problems: &mut Problems) {
    if settings.request_timeout.is_zero() {
        problems.add("request_timeout", "must be longer than zero");
    }
    if !(1..=100).contains(&settings.max_concurrency) {
        problems.add("max_concurrency", "must be 1 to 100");
    }
    if settings.requests_per_second.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
        problems.add("requests_per_second", "must be greater than zero");
    }
}

/// A PEM text as it is, or the content of the file it names.
pub(crate) fn pem_or_path(
    setting: &'static str,
    text: &str,
    problems: &mut Problems,
) -> Option<Vec<u8>> {
    if text.contains("-----BEGIN") {
        return Some(text.as_bytes().to_vec());
    }
    // A value with line breaks or of unlikely length is no path; showing it could show a key.
    if text.contains('\n') || text.len() > 4096 {
        problems.add(setting, "is neither PEM nor the path of a PEM file");
        return None;
    }
    std::fs::read(text.trim())
        .map_err(|error| {
            problems.add(setting, format!("is not PEM, and reading it as a file failed: {error}"));
        })
        .ok()
}
