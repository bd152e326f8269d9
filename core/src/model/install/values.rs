//! Values that only an installation has, each with what it may hold.

use std::fmt;
use std::str::FromStr;

use url::form_urlencoded;

/// A text that is no value of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidValue {
    /// Not a repository.
    #[error("it is no image repository: write registry/path without a tag or a digest")]
    Repository,
    /// Not a tag.
    #[error(
        "it is no image tag: letters, digits, '_', '.' and '-', at most 128, then perhaps a \
         digest as @sha256:… of 64 hexadecimal digits"
    )]
    Tag,
    /// Not a host name.
    #[error("it is no host name: write lower-case labels between dots, as terdut.example.org")]
    Hostname,
    /// Not a Gateway's listener.
    #[error("it is no listener: write gateway, namespace/gateway or namespace/gateway/listener")]
    Listener,
    /// Not a server's name.
    #[error(
        "it is no name of a server, which is also its Service's: at most 63 lower-case letters, \
         digits and '-', starting with a letter and not ending with '-'"
    )]
    ServerName,
    /// Not a namespace.
    #[error("it is no namespace: at most 63 lower-case letters, digits and '-'")]
    Namespace,
    /// Not an object's name.
    #[error("it is no name of an object: lower-case letters, digits, '-' and '.', at most 253")]
    ObjectName,
    /// Not a key of a Secret.
    #[error("it is no key of a Secret: letters, digits, '-', '_' and '.', at most 253")]
    SecretKey,
    /// Not an environment variable.
    #[error(
        "it is no variable's name: letters, digits, '_', '-' and '.', not starting with a digit"
    )]
    Variable,
    /// A DSN with a password.
    #[error("it holds a password: name a Secret with it instead")]
    DsnPassword,
    /// Not a DSN.
    #[error(
        "it is no DSN: write postgres://user@host:5432/database?sslmode=require, or \
         host=… user=… dbname=…"
    )]
    Dsn,
}

/// Declares texts that are checked once, when they are parsed.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident if $valid:ident else $fault:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let text = text.trim();
                if $valid(text) { Ok(Self(text.to_owned())) } else { Err(InvalidValue::$fault) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )+};
}

texts! {
    /// Where an image comes from.
    Repository if is_repository else Repository;
    /// An image's tag, perhaps with a digest.
    Tag if is_tag else Tag;
    /// A host name; its first label may be `*`.
    Hostname if is_hostname else Hostname;
    /// The name of a server and of each of its objects.
    ServerName if is_server_name else ServerName;
    /// A namespace.
    Namespace if is_label else Namespace;
    /// The name of an object beside the server.
    ObjectName if is_subdomain else ObjectName;
    /// A key of a Secret.
    DataKey if is_data_key else SecretKey;
    /// A variable's name.
    Variable if is_variable else Variable;
}

/// One key of a Secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SecretKey {
    /// The Secret.
    pub name: String,
    /// Which of its keys.
    pub key: String,
}

/// A Gateway's listener that leads to the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Listener {
    /// The Gateway's namespace; the server's own where it is not named.
    pub namespace: Option<String>,
    /// The Gateway.
    pub gateway: String,
    /// Which of its listeners; all where none is named.
    pub listener: Option<String>,
}

impl FromStr for Listener {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.trim().split('/').collect();
        if !parts.iter().all(|part| is_subdomain(part)) {
            return Err(InvalidValue::Listener);
        }
        let own = |text: &&str| Some((*text).to_owned());
        let (namespace, gateway, listener) = match parts.as_slice() {
            [gateway] => (None, gateway, None),
            [namespace, gateway] => (own(namespace), gateway, None),
            [namespace, gateway, listener] => (own(namespace), gateway, own(listener)),
            _ => return Err(InvalidValue::Listener),
        };
        Ok(Self { namespace, gateway: (*gateway).to_owned(), listener })
    }
}

/// How a Postgres database is reached, without a password.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dsn(String);

impl Dsn {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Dsn {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err(InvalidValue::Dsn);
        }
        match of_a_url(text) {
            _ if has_password(text, |_| true) => Err(InvalidValue::DsnPassword),
            Some("") => Err(InvalidValue::Dsn),
            None if text.contains("://") || !text.contains('=') => Err(InvalidValue::Dsn),
            _ => Ok(Self(text.to_owned())),
        }
    }
}

/// Whether a variable's value is a DSN that shows a password. One that is taken from another
/// variable, as `$(NAME)`, is not shown.
pub(super) fn shows_password(value: &str) -> bool {
    has_password(value.trim(), |password| !password.is_empty() && !is_reference(password))
}

/// Whether a text consists of references to variables alone.
fn is_reference(text: &str) -> bool {
    let parts: Vec<_> = text.split_inclusive(')').collect();
    let name = |part: &str| {
        let name = part.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        name.is_some_and(is_variable)
    };
    !parts.is_empty() && parts.into_iter().all(name)
}

/// What follows the scheme, if it is a URL.
fn of_a_url(text: &str) -> Option<&str> {
    ["postgres://", "postgresql://"].into_iter().find_map(|scheme| text.strip_prefix(scheme))
}

/// Whether there is a password that counts.
fn has_password(text: &str, counts: impl Fn(&str) -> bool) -> bool {
    match of_a_url(text) {
        Some(rest) => url_has_password(rest, counts),
        None => words_have_password(text, counts),
    }
}

/// The parameters in which Postgres' clients take a secret.
const SECRET_PARAMETERS: [&str; 2] = ["password", "sslpassword"];

/// Several hosts may stand in the URL, so it is taken apart by hand.
fn url_has_password(rest: &str, counts: impl Fn(&str) -> bool) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let person = authority.rsplit_once('@').map_or("", |(person, _)| person);
    let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
    // An '@', '/' or '?' in an unescaped password would cut the authority short. In parameters an
    // '@' is one like any other.
    let before = if are_parameters(query) { before } else { rest };
    let cut = before.contains('@') && !authority.contains('@') && authority.contains(':');
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    person.split_once(':').is_some_and(|(_, password)| counts(password))
        || cut
        || parameters.any(|(name, value)| is_secret(&name) && counts(&value))
}

/// Whether what follows a `?` is `name=value`, once or more.
fn are_parameters(query: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    query.split('&').all(|part| part.split_once('=').is_some_and(|(name, _)| is_name(name)))
}

/// In `name=value` form, blanks may stand around `=`.
fn words_have_password(text: &str, counts: impl Fn(&str) -> bool) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let name = text[..at].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        is_secret(name) && counts(first_value(text[at + 1..].trim_start()))
    })
}

/// A value, which ends at a blank, or in quotes at the closing one.
fn first_value(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next().unwrap_or_default(),
        None => text.split_whitespace().next().unwrap_or_default(),
    }
}

fn is_secret(parameter: &str) -> bool {
    SECRET_PARAMETERS.contains(&parameter.to_lowercase().as_str())
}

/// A label of RFC 1123: what Services and namespaces are named.
fn is_label(text: &str) -> bool {
    text.len() <= 63 && has_letters_of_a_label(text)
}

/// A Service's name is a name in the DNS of older kind: it starts with a letter.
fn is_server_name(text: &str) -> bool {
    is_label(text) && text.starts_with(|letter: char| letter.is_ascii_lowercase())
}

fn has_letters_of_a_label(text: &str) -> bool {
    let belongs = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(belongs) && !text.starts_with('-') && !text.ends_with('-')
}

/// An object's name is bounded as a whole, not label by label.
fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(has_letters_of_a_label)
}

fn is_hostname(text: &str) -> bool {
    let labels = text.strip_prefix("*.").unwrap_or(text);
    text.len() <= 253 && labels.split('.').all(is_label)
}

fn is_repository(text: &str) -> bool {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:".contains(&byte);
    let path = text.rsplit('/').next().unwrap_or_default();
    !text.is_empty()
        && text.bytes().all(belongs)
        && text.split('/').all(|part| !part.is_empty())
        && !path.contains(':')
}

fn is_tag(text: &str) -> bool {
    let (tag, digest) = match text.split_once("@sha256:") {
        Some((tag, digest)) => (tag, Some(digest)),
        None => (text, None),
    };
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let hexadecimal =
        |digest: &str| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    (1..=128).contains(&tag.len())
        && tag.bytes().all(belongs)
        && !tag.starts_with(['.', '-'])
        && digest.is_none_or(hexadecimal)
}

fn is_data_key(text: &str) -> bool {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=253).contains(&text.len()) && text.bytes().all(belongs)
}

fn is_variable(text: &str) -> bool {
    is_data_key(text) && !text.starts_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dsn(text: &str) -> Option<InvalidValue> {
        text.parse::<Dsn>().err()
    }

    #[test]
    fn a_dsn_is_taken_in_both_of_its_forms() {
        for text in [
            "postgres://terdut@terdut-postgres:5432/terdut?sslmode=require",
            "postgresql://terdut@a:5432,b:5432/terdut?target_session_attrs=read-write",
            "postgres:///terdut?host=/run/postgresql",
            "postgres://h:5432/terdut",
            "host=terdut-postgres user=terdut dbname=terdut sslmode=require",
        ] {
            assert_eq!(dsn(text), None, "{text}");
        }
    }

    #[test]
    fn a_dsn_with_a_password_is_refused_wherever_it_stands() {
        for text in [
            "postgres://terdut:canary@h/terdut",
            "postgres://terdut:@h/terdut",
            "postgres://terdut:ca/nary@h/terdut",
            "postgres://terdut@h/terdut?sslmode=require&password=canary",
            "postgres://terdut@h/terdut?pass%77ord=canary",
            "postgres://terdut@h/terdut?sslpassword=canary",
            "host=h user=terdut password=canary",
            "host=h password = 'canary'",
        ] {
            assert_eq!(dsn(text), Some(InvalidValue::DsnPassword), "{text}");
            assert!(!InvalidValue::DsnPassword.to_string().contains("canary"));
        }
    }

    #[test]
    fn a_password_that_another_variable_holds_is_not_shown() {
        for text in [
            "postgres://terdut:canary@h/terdut",
            " postgresql://terdut:a$(PGPASSWORD)@h/terdut",
            "postgres://$(USER):canary@$(HOST)/terdut",
            "postgres://terdut@h/terdut?sslpassword=canary",
            "host=h password = 'canary'",
            "host=h password=$(PGPASSWORD)x",
            "host=h password='$(A) canary'",
            "postgres://terdut:$(A)canary$(B)@h/terdut",
            "postgres://terdut:can?ary@h/terdut",
        ] {
            assert!(shows_password(text), "{text}");
        }
        for text in [
            "postgres://terdut:$(PGPASSWORD)@h/terdut",
            "postgres://$(USER):$(PGPASSWORD)@$(HOST):5432/terdut",
            "postgres://terdut:@h/terdut",
            "postgres://terdut@h/terdut?sslpassword=$(PGPASSWORD)",
            "host=h password='$(PGPASSWORD)' user=terdut",
            "host=h password=",
            "--reset-password=true",
            "postgres://terdut:$(A)$(B)@h/terdut",
            "postgres://$(HOST):5432/terdut?application_name=a@b&sslmode=require",
            "https://h/?a=b:c@d",
            "debug",
            "",
        ] {
            assert!(!shows_password(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_dsn_is_refused() {
        for text in ["terdut-postgres", "mysql://h/d", "postgres://", "postgres://h\n/d"] {
            assert_eq!(dsn(text), Some(InvalidValue::Dsn), "{text}");
        }
    }

    #[test]
    fn a_listener_has_one_to_three_parts() {
        let parsed = |text: &str| {
            let listener: Listener = text.parse().ok()?;
            Some((listener.namespace, listener.gateway, listener.listener))
        };
        let own = |text: &str| Some(text.to_owned());
        assert_eq!(parsed("web"), Some((None, "web".to_owned(), None)));
        assert_eq!(parsed("infra/web"), Some((own("infra"), "web".to_owned(), None)));
        assert_eq!(parsed("infra/web/https"), Some((own("infra"), "web".to_owned(), own("https"))));
        for text in ["", "/web", "infra/", "a/b/c/d", "Web"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_tag_may_have_a_digest_and_a_repository_may_not() {
        let digest = format!("v1@sha256:{}", "a".repeat(64));
        assert!("v0.9.3".parse::<Tag>().is_ok() && digest.parse::<Tag>().is_ok());
        for text in ["", ".v1", "v 1", "v1@sha256:abc", "v1/2"] {
            assert!(text.parse::<Tag>().is_err(), "{text}");
        }
        assert!("localhost:5000/terdut-server".parse::<Repository>().is_ok());
        for text in ["", "a b", "terdut:v1", "a//b", "a@sha256:1"] {
            assert!(text.parse::<Repository>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_are_those_that_kubernetes_takes() {
        assert!("*.example.org".parse::<Hostname>().is_ok());
        assert!("terdut.terdut-postgres.credentials.x".parse::<ObjectName>().is_ok());
        assert!("a.*.org".parse::<Hostname>().is_err());
        assert!("Upper".parse::<ObjectName>().is_err());
        assert!("-a".parse::<ObjectName>().is_err());
        assert!("client-secret".parse::<DataKey>().is_ok());
        assert!("1A".parse::<Variable>().is_err());
        assert!("A=B".parse::<Variable>().is_err());
    }
}
