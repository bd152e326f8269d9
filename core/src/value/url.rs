//! A server's URL.
//!
//! A trailing slash does not matter. A key belongs to the URL's origin and goes nowhere else.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// A text that is no server's URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidServerUrl {
    /// Not an absolute URL.
    #[error("it is not an absolute URL: write it as https://terdut.example.org")]
    Syntax,
    /// Another scheme than http or https.
    #[error("its scheme is {scheme:?}: it must be http or https")]
    Scheme {
        /// What was given.
        scheme: String,
    },
    /// A user or a password in it.
    #[error("it must not hold a user name or a password")]
    UserInfo,
    /// A query or a fragment.
    #[error("it must not hold a query or a fragment")]
    Query,
}

/// A server's URL; equal without regard to a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerUrl(Url);

impl ServerUrl {
    /// The parsed URL, its path without trailing slash (a bare host's is `/`).
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// Scheme, host and port: what a key belongs to.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Whether a key sent there can be read on the way: plain http to another host than this one.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == "http" && !self.is_loopback()
    }

    fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidServerUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut url = Url::parse(text.trim()).map_err(|_| InvalidServerUrl::Syntax)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(InvalidServerUrl::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.has_host() {
            return Err(InvalidServerUrl::Syntax);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidServerUrl::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidServerUrl::Query);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }
}

/// Without trailing slash: the form that ids and identities hold.
impl fmt::Display for ServerUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Result<ServerUrl, InvalidServerUrl> {
        text.parse()
    }

    #[test]
    fn a_trailing_slash_does_not_matter() {
        assert_eq!(url("https://t.example.org"), url("https://T.example.org:443//"));
        assert_eq!(url("http://h/terdut/").unwrap().to_string(), "http://h/terdut");
        assert_ne!(url("http://h/a"), url("http://h/b"));
        assert_eq!(url("http://h:8080/a/").unwrap().origin(), "http://h:8080");
    }

    #[test]
    fn what_must_not_be_in_it_is_named() {
        assert_eq!(url("terdut.example.org"), Err(InvalidServerUrl::Syntax));
        assert_eq!(url("https://u:p@h"), Err(InvalidServerUrl::UserInfo));
        assert_eq!(url("https://h?x=1"), Err(InvalidServerUrl::Query));
        assert!(matches!(url("ftp://h"), Err(InvalidServerUrl::Scheme { .. })));
    }

    #[test]
    fn only_plain_http_to_another_host_is_plain() {
        for (text, plain) in [
            ("http://127.0.0.1:1", false),
            ("http://[::1]:1", false),
            ("http://localhost", false),
            ("https://h", false),
            ("http://h", true),
        ] {
            assert_eq!(url(text).unwrap().is_plain(), plain, "{text}");
        }
    }
}
