//! Which proxy, if any, stands between this client and its one server.
//!
//! Called once by `Client::new`: a client talks to one origin, so the choice is made once. The
//! environment's variables come in as values and are never read here.

use base64::prelude::{BASE64_STANDARD as BASE64, Engine as _};
use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::Matcher;
use percent_encoding::percent_decode_str;
use terdut_core::secret::SecretString;
use url::{Host, Url};

use super::{Problems, Settings};

/// A proxy and what it wants to see.
#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    /// Where it listens, without user and password.
    pub(crate) uri: Uri,
    /// `Proxy-Authorization`, where the proxy's URL holds a user.
    pub(crate) auth: Option<HeaderValue>,
}

/// The proxy for `server`; `None` means a direct connection.
pub(crate) fn choose(settings: &Settings, server: &Url, problems: &mut Problems) -> Option<Proxy> {
    let environment = &settings.environment;
    let for_scheme = if server.scheme() == "https" {
        ("HTTPS_PROXY", environment.https_proxy.as_ref())
    } else {
        ("HTTP_PROXY", environment.http_proxy.as_ref())
    };
    let (setting, value, exempt) = match (&settings.proxy, for_scheme) {
        (Some(explicit), _) => ("proxy", explicit, None),
        (None, (_, None)) => return None,
        // As Go does: a server on this machine is never reached through the environment's proxy.
        (None, _) if is_loopback(server) => return None,
        (None, (variable, Some(value))) => (variable, value, environment.no_proxy.as_deref()),
    };
    if value.expose().trim().is_empty() {
        return None;
    }
    if let Err(message) = check(value) {
        problems.add(setting, message);
        return None;
    }
    let matcher = Matcher::builder()
        .all(value.expose().trim().to_owned())
        .no(exempt.unwrap_or_default().to_owned())
        .build();
    let destination: Uri = server.as_str().parse().ok()?;
    let intercept = matcher.intercept(&destination)?;
    Some(Proxy { uri: intercept.uri().clone(), auth: intercept.basic_auth().cloned() })
}

/// Whether the URL's host is this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// All of a proxy's URL that no message may show: its password as it is written there, as it is
/// meant, and as it is sent.
pub(crate) fn secrets_of(value: &SecretString) -> Vec<SecretString> {
    let Ok(url) = parse(value) else { return Vec::new() };
    let Some(password) = url.password() else { return Vec::new() };
    let part = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let meant = part(password);
    let sent = BASE64.encode(format!("{}:{meant}", part(url.username())));
    [password.to_owned(), meant, sent].map(SecretString::new).into()
}

fn parse(value: &SecretString) -> Result<Url, url::ParseError> {
    let text = value.expose().trim();
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    Url::parse(&with_scheme)
}

/// The value itself is not shown: it may hold a password.
fn check(value: &SecretString) -> Result<(), String> {
    let url = parse(value).map_err(|error| format!("is not a proxy's URL: {error}"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(()),
        other => Err(format!("scheme {other:?} is not supported: use http:// or https://")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ProxyEnvironment;

    fn chosen(settings: &Settings) -> (Option<String>, Vec<String>) {
        let mut problems = Problems::default();
        let url = Url::parse(&settings.url).unwrap();
        let proxy = choose(settings, &url, &mut problems).map(|proxy| proxy.uri.to_string());
        let texts = problems.finish(Some(())).err().map(|error| error.problems).unwrap_or_default();
        (proxy, texts.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_password_is_secret_in_every_form_that_it_has() {
        let all = |text: &str| -> Vec<String> {
            let secrets = secrets_of(&SecretString::new(text));
            secrets.iter().map(|secret| secret.expose().to_owned()).collect()
        };
        let plain = ["canary", "canary", "dXNlcjpjYW5hcnk="];
        assert_eq!(all("http://user:canary@proxy.example:3128"), plain);
        assert_eq!(all(" user:canary@proxy.example:3128"), plain, "without a scheme");
        let encoded = all("http://user:p%40s+s%26=@proxy.example:3128");
        assert_eq!(encoded[1..], ["p@s+s&=", "dXNlcjpwQHMrcyY9"]);
        assert_eq!(all("http://["), Vec::<String>::new());
    }

    fn with_environment(url: &str, no_proxy: &str) -> Settings {
        let mut settings = Settings::new(url);
        settings.environment = ProxyEnvironment {
            https_proxy: Some(SecretString::new("http://secure.example:3128")),
            http_proxy: Some(SecretString::new("plain.example:3128")),
            no_proxy: Some(no_proxy.to_owned()),
        };
        settings
    }

    #[test]
    fn the_environment_decides_by_scheme_and_no_proxy() {
        for (url, no_proxy, expected) in [
            ("https://terdut.example", "", Some("http://secure.example:3128/")),
            ("http://terdut.example", "", Some("http://plain.example:3128/")),
            ("https://terdut.example", "other, .example", None),
            ("https://10.1.2.3", "10.0.0.0/8", None),
            ("https://terdut.example", "*", None),
            ("https://localhost:8443", "", None),
            ("https://[::1]:8443", "", None),
        ] {
            let (proxy, problems) = chosen(&with_environment(url, no_proxy));
            assert_eq!((proxy.as_deref(), problems), (expected, vec![]), "{url} {no_proxy:?}");
        }
    }

    #[test]
    fn the_setting_wins_over_the_environment_and_its_exceptions() {
        let mut settings = with_environment("http://127.0.0.1:1", "*");
        settings.proxy = Some(SecretString::new("http://mine.example:8080"));
        assert_eq!(chosen(&settings).0.as_deref(), Some("http://mine.example:8080/"));
    }

    #[test]
    fn the_password_of_a_proxy_is_secret_as_it_is_written_meant_and_sent() {
        for value in ["http://me:p%40ss%2Bword@host:1", "me:p%40ss%2Bword@host:1 "] {
            let all = secrets_of(&SecretString::new(value));
            let all: Vec<_> = all.iter().map(SecretString::expose).collect();
            assert_eq!(all, ["p%40ss%2Bword", "p@ss+word", "bWU6cEBzcyt3b3Jk"]);
            let mut settings = Settings::new("https://terdut.example");
            settings.proxy = Some(SecretString::new(value));
            let url = Url::parse(&settings.url).unwrap();
            let chosen = choose(&settings, &url, &mut Problems::default());
            let sent = chosen.unwrap().auth.unwrap();
            assert_eq!(sent, "Basic bWU6cEBzcyt3b3Jk");
        }
        assert!(secrets_of(&SecretString::new("http://me@host:1")).is_empty());
    }

    #[test]
    fn a_bad_proxy_is_named_without_its_password() {
        for value in ["socks5://user:canary@host:1", "http://", "http://user:canary@:99999"] {
            let mut settings = Settings::new("https://terdut.example");
            settings.proxy = Some(SecretString::new(value));
            let (_, problems) = chosen(&settings);
            assert!(problems.len() == 1 && problems[0].starts_with("proxy: "), "{problems:?}");
            assert!(!problems[0].contains("canary"), "{problems:?}");
        }
    }
}
