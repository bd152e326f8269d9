//! The provider's settings: the block's attributes, each also from the environment.
//!
//! Called by `provider.rs` when the host configures us. Nothing is required here: what is missing
//! or not known yet is an error only at first use (`context.rs`). Never a silent default for a
//! setting that is unknown.

use std::collections::BTreeMap;
use std::time::Duration;

use terdut_client::{ProxyEnvironment, Settings};
use terdut_core::secret::SecretString;
use terdut_core::value::GoDuration;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::model::Sensitive;
use terdut_plugin::number::Number;

terdut_plugin::model! {
    /// The provider block.
    pub struct ProviderModel {
        pub url: Attr<String>,
        pub token: Attr<Sensitive>,
        pub ca_certificate: Attr<String>,
        pub client_certificate: Attr<String>,
        pub client_key: Attr<Sensitive>,
        pub insecure_skip_verify: Attr<bool>,
        pub headers: Attr<BTreeMap<String, Sensitive>>,
        pub proxy: Attr<Sensitive>,
        pub request_timeout: Attr<String>,
        pub max_retries: Attr<i64>,
        pub requests_per_second: Attr<Number>,
        pub max_concurrency: Attr<i64>,
    }
}

/// The environment as the settings see it; a test brings its own.
pub type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// What the settings come to.
#[derive(Debug)]
pub struct Resolved {
    /// All that is known; what is not keeps its default and is listed below.
    pub settings: Settings,
    /// The settings that are not known yet: planning goes on without the API.
    pub unknown: Vec<&'static str>,
    /// url and token, where they are set nowhere: an error at first use, never before.
    pub missing: Vec<&'static str>,
}

/// Joins block and environment. Every bad value is reported at its attribute.
pub fn resolve(
    model: &ProviderModel,
    environment: Environment<'_>,
    diagnostics: &mut Diagnostics,
) -> Resolved {
    let mut reader = Reader { environment, diagnostics, unknown: Vec::new() };
    let settings = reader.settings(model);
    let unknown = reader.unknown;
    let mut missing = missing(&settings);
    missing.retain(|setting| !unknown.contains(setting));
    Resolved { settings, unknown, missing }
}

/// The variable of a setting.
pub fn variable(setting: &str) -> String {
    format!("TERDUT_{}", setting.to_ascii_uppercase())
}

fn missing(settings: &Settings) -> Vec<&'static str> {
    let url = settings.url.is_empty().then_some("url");
    let token = settings.token.is_none().then_some("token");
    url.into_iter().chain(token).collect()
}

struct Reader<'e> {
    environment: Environment<'e>,
    diagnostics: &'e mut Diagnostics,
    unknown: Vec<&'static str>,
}

impl Reader<'_> {
    fn settings(&mut self, model: &ProviderModel) -> Settings {
        let mut settings = Settings::new(self.text("url", &model.url).unwrap_or_default());
        settings.token = self.secret("token", &model.token);
        settings.ca_certificate = self.text("ca_certificate", &model.ca_certificate);
        settings.client_certificate = self.text("client_certificate", &model.client_certificate);
        settings.client_key = self.secret("client_key", &model.client_key);
        settings.insecure_skip_verify =
            self.parsed("insecure_skip_verify", &model.insecure_skip_verify).unwrap_or(false);
        settings.headers = self.headers(&model.headers);
        settings.proxy = self.secret("proxy", &model.proxy);
        settings.environment = self.proxies();
        if let Some(timeout) = self.timeout("request_timeout", &model.request_timeout) {
            settings.request_timeout = timeout;
        }
        self.numbers(model, &mut settings);
        // No attribute: nobody needs it but tests, which have no time for the usual pauses.
        if let Some(base) = self.timeout("retry_base", &Attr::Null) {
            settings.retry_base = base;
        }
        settings.user_agent = format!("terraform-provider-terdut/{}", env!("CARGO_PKG_VERSION"));
        settings
    }

    fn numbers(&mut self, model: &ProviderModel, settings: &mut Settings) {
        if let Some(retries) = self.parsed("max_retries", &model.max_retries) {
            match u32::try_from(retries) {
                Ok(retries) if retries <= 20 => settings.max_retries = retries,
                _ => self.bad("max_retries", "must be a whole number from 0 to 20"),
            }
        }
        if let Some(concurrency) = self.parsed("max_concurrency", &model.max_concurrency) {
            settings.max_concurrency = usize::try_from(concurrency).unwrap_or(0);
        }
        let rate = model.requests_per_second.clone().map(|rate| rate.to_string());
        if let Some(rate) = self.text("requests_per_second", &rate) {
            match rate.parse() {
                Ok(rate) => settings.requests_per_second = Some(rate),
                Err(_) => self.bad("requests_per_second", "must be a number"),
            }
        }
    }

    fn timeout(&mut self, setting: &'static str, attribute: &Attr<String>) -> Option<Duration> {
        let text = self.text(setting, attribute)?;
        match text.parse::<GoDuration>() {
            Ok(duration) if duration.nanos() > 0 => Some(duration.to_std()),
            Ok(_) => {
                self.bad(setting, "must be longer than zero, as 30s");
                None
            }
            Err(error) => {
                self.bad(setting, &error.to_string());
                None
            }
        }
    }

    fn headers(
        &mut self,
        attribute: &Attr<BTreeMap<String, Sensitive>>,
    ) -> BTreeMap<String, SecretString> {
        match attribute {
            Attr::Known(headers) => headers
                .iter()
                .map(|(name, value)| (name.clone(), SecretString::new(value.expose())))
                .collect(),
            Attr::Unknown => {
                self.unknown.push("headers");
                BTreeMap::new()
            }
            Attr::Null => self.headers_from_environment(),
        }
    }

    fn headers_from_environment(&mut self) -> BTreeMap<String, SecretString> {
        let Some(text) = self.variable("headers") else {
            return BTreeMap::new();
        };
        // The parser's message could show a part of the value, which is secret.
        let Ok(headers) = serde_json::from_str::<BTreeMap<String, String>>(&text) else {
            self.bad("headers", "must be a JSON object of strings in the environment");
            return BTreeMap::new();
        };
        headers.into_iter().map(|(name, value)| (name, SecretString::new(value))).collect()
    }

    fn proxies(&self) -> ProxyEnvironment {
        let get = |name: &str| {
            (self.environment)(name)
                .or_else(|| (self.environment)(&name.to_ascii_lowercase()))
                .filter(|value| !value.is_empty())
        };
        ProxyEnvironment {
            https_proxy: get("HTTPS_PROXY").map(SecretString::new),
            http_proxy: get("HTTP_PROXY").map(SecretString::new),
            no_proxy: get("NO_PROXY"),
        }
    }

    fn text(&mut self, setting: &'static str, attribute: &Attr<String>) -> Option<String> {
        match attribute {
            // An empty text means the same as none.
            Attr::Known(text) if !text.is_empty() => Some(text.clone()),
            Attr::Null | Attr::Known(_) => self.variable(setting),
            Attr::Unknown => {
                self.unknown.push(setting);
                None
            }
        }
    }

    fn secret(
        &mut self,
        setting: &'static str,
        attribute: &Attr<Sensitive>,
    ) -> Option<SecretString> {
        let text = attribute.clone().map(Sensitive::into_exposed);
        self.text(setting, &text).map(SecretString::new)
    }

    fn parsed<T>(&mut self, setting: &'static str, attribute: &Attr<T>) -> Option<T>
    where
        T: Clone + std::str::FromStr,
    {
        match attribute {
            Attr::Known(value) => Some(value.clone()),
            Attr::Unknown => {
                self.unknown.push(setting);
                None
            }
            Attr::Null => {
                let text = self.variable(setting)?;
                let parsed = text.trim().parse().ok();
                if parsed.is_none() {
                    self.bad(setting, &format!("cannot be {text:?}"));
                }
                parsed
            }
        }
    }

    fn variable(&self, setting: &str) -> Option<String> {
        (self.environment)(&variable(setting)).filter(|value| !value.is_empty())
    }

    fn bad(&mut self, setting: &'static str, why: &str) {
        let detail = format!("{setting} (or {} in the environment): {why}.", variable(setting));
        self.diagnostics.error_at(setting, "Invalid provider setting", detail);
    }
}

#[cfg(test)]
mod tests;
