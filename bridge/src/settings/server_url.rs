//! Where a TerdutServer's API is: a template with its name, namespace and port.

use std::str::FromStr;

use url::Url;

const DEFAULT: &str = "http://{name}.{namespace}.svc:{port}";

/// A template that always gives a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl(String);

/// A template that does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidServerUrl {
    /// A placeholder that means nothing.
    #[error("{{{name}}} is none of {{name}}, {{namespace}}, {{port}}")]
    Placeholder {
        /// What stands between the braces.
        name: String,
    },
    /// No http or https URL comes out.
    #[error("does not make an http or https URL, as {DEFAULT} does")]
    Url,
    /// Something that a server's URL must not have.
    #[error("must have no user, password, query or fragment")]
    Parts,
}

impl ServerUrl {
    /// The URL of one server.
    pub fn of(&self, namespace: &str, name: &str, port: u16) -> String {
        self.0
            .replace("{name}", name)
            .replace("{namespace}", namespace)
            .replace("{port}", &port.to_string())
    }
}

impl Default for ServerUrl {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidServerUrl;

    fn from_str(text: &str) -> Result<Self, InvalidServerUrl> {
        let template = Self(text.trim().trim_end_matches('/').to_owned());
        let made = template.of("namespace", "name", 8080);
        if let Some(name) = made.split_once('{').map(|(_, rest)| rest) {
            let name = name.split('}').next().unwrap_or_default().to_owned();
            return Err(InvalidServerUrl::Placeholder { name });
        }
        let url = Url::parse(&made).map_err(|_| InvalidServerUrl::Url)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(InvalidServerUrl::Url);
        }
        let bare = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if bare { Ok(template) } else { Err(InvalidServerUrl::Parts) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_filled_in() {
        let url = ServerUrl::default().of("on-call", "terdut", 8080);
        assert_eq!(url, "http://terdut.on-call.svc:8080");
        let fixed: ServerUrl = "http://127.0.0.1:1234/{namespace}/{name}/".parse().unwrap();
        assert_eq!(fixed.of("a", "b", 1), "http://127.0.0.1:1234/a/b");
    }

    #[test]
    fn what_makes_no_url_is_refused_with_a_reason() {
        let parts = InvalidServerUrl::Parts;
        for (text, error) in [
            ("http://{nome}.svc", InvalidServerUrl::Placeholder { name: "nome".into() }),
            ("{name}:{port}", InvalidServerUrl::Url),
            ("ftp://{name}", InvalidServerUrl::Url),
            ("http://user@{name}", parts.clone()),
            ("http://{name}/?a=b", parts),
        ] {
            assert_eq!(text.parse::<ServerUrl>(), Err(error), "{text}");
        }
    }
}
