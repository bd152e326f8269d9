//! How a failed request is told to a Terraform user.
//!
//! Called by the provider, and by core's own failures. The text depends on the error's class only,
//! never on what the server wrote; that is quoted.

use crate::error::{ApiError, Class};
use crate::model::Kind;
use crate::problem::{Path, Problem};

/// What was being done to which object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// `creating`, `reading`, `renaming`, …
    pub verb: &'static str,
    /// The kind.
    pub kind: Kind,
    /// How the object is called: its name or id.
    pub label: String,
}

impl Doing {
    /// Something else.
    pub fn new(verb: &'static str, kind: Kind, label: impl Into<String>) -> Self {
        Self { verb, kind, label: label.into() }
    }

    /// Creating it.
    pub fn creating(kind: Kind, label: &str) -> Self {
        Self::new("creating", kind, label)
    }

    /// Reading it.
    pub fn reading(kind: Kind, label: &str) -> Self {
        Self::new("reading", kind, label)
    }

    /// Changing it.
    pub fn updating(kind: Kind, label: &str) -> Self {
        Self::new("updating", kind, label)
    }

    /// Deleting it.
    pub fn deleting(kind: Kind, label: &str) -> Self {
        Self::new("deleting", kind, label)
    }

    fn text(&self) -> String {
        format!("{} {} {:?}", self.verb, self.kind.noun(), self.label)
    }
}

/// What went wrong, what the server said, and what to do.
pub fn explain(doing: &Doing, error: &ApiError) -> Problem {
    let summary = format!("{} ({} {})", summary(error), doing.verb, doing.kind.noun());
    let detail = format!("While {}: {}.", doing.text(), said(error));
    Problem::new(Path::root(), summary, detail).hint(hint(doing, error))
}

/// What a 409 is about.
enum Conflict {
    Name,
    Use,
    Other,
}

fn conflict(error: &ApiError) -> Conflict {
    match (error.method, error.route) {
        ("POST" | "PATCH", _) | ("PUT", "/api/teams/{id}") => Conflict::Name,
        ("DELETE", _) => Conflict::Use,
        _ => Conflict::Other,
    }
}

fn summary(error: &ApiError) -> &'static str {
    match (error.class, error.status) {
        (Class::Retryable, Some(429)) => "terdut has too many requests",
        (Class::Retryable, _) => "terdut did not answer properly",
        (Class::Conflict, _) => match conflict(error) {
            Conflict::Name => "terdut says that the name is taken",
            Conflict::Use => "terdut says that it is still in use",
            Conflict::Other => "terdut says that something is in the way",
        },
        (Class::Denied, Some(401)) => "terdut does not know the token",
        (Class::Denied, _) => "The token may not do this",
        (Class::Invalid, Some(400)) => "terdut refused the values",
        (Class::Invalid, _) => "terdut's answer cannot be understood",
        (Class::NotFound, _) => "terdut does not know the object",
        (Class::TooOld, _) => "This terdut server is too old",
        (Class::Unreachable, _) => "terdut cannot be reached",
    }
}

fn said(error: &ApiError) -> String {
    let request = match error.method {
        "" => "the request".to_owned(),
        method => format!("{method} {}", error.route),
    };
    match (error.status, error.said.as_str()) {
        (Some(status), "") => format!("{request} was answered with status {status}"),
        (Some(status), said) => {
            format!("{request} was answered with status {status}: {}", said.trim_end_matches('.'))
        }
        (None, "") => format!("{request} got no answer"),
        (None, said) => format!("{request} failed: {}", said.trim_end_matches('.')),
    }
}

fn hint(doing: &Doing, error: &ApiError) -> String {
    match (error.class, error.status) {
        (Class::Retryable, Some(429)) => {
            "Apply again later, or set requests_per_second in the provider's configuration."
        }
        (Class::Retryable, _) => {
            "Apply again. If it stays, look at the server's log and at the proxy in front of it."
        }
        (Class::Conflict, _) => match conflict(error) {
            Conflict::Name => "Choose another name, or import the object that has it.",
            Conflict::Use => "Take it away from what still refers to it, then apply again.",
            Conflict::Other => "Apply again. If it stays, look at the server's log.",
        },
        (Class::Denied, Some(401)) => {
            "Check the provider's token (TERDUT_TOKEN): it may have been revoked, or be of another \
             server."
        }
        (Class::Denied, _) => return scope_hint(doing.kind),
        (Class::Invalid, Some(400)) => "Correct the configuration as the server says.",
        (Class::Invalid, _) => "Check that url (TERDUT_URL) is a terdut server's, and its version.",
        (Class::NotFound, _) => {
            "It, or what it belongs to, was deleted by other means. Plan again: the refresh finds \
             out what is there."
        }
        (Class::TooOld, _) => {
            "The server lacks this route: update terdut-server, and check that url (TERDUT_URL) has \
             no wrong path."
        }
        (Class::Unreachable, _) => {
            "Check url (TERDUT_URL), the network, the proxy and the certificates, then apply again."
        }
    }
    .to_owned()
}

fn scope_hint(kind: Kind) -> String {
    let needed = match kind {
        Kind::Server | Kind::User => "an admin key",
        Kind::Team => "an admin or instance key",
        Kind::ServiceAccount | Kind::ServiceAccountKey => {
            "an instance key for team accounts, and an admin key for instance accounts"
        }
        Kind::EscalationRule | Kind::DeadmanSwitch | Kind::AlertSource => {
            "an admin or instance key, or one of its own team"
        }
    };
    format!("The provider's token (TERDUT_TOKEN) has another scope: this needs {needed}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Effect;

    fn error(class: Class, status: Option<u16>, said: &str) -> ApiError {
        let (method, route, said) = ("PUT", "/api/teams/{id}", said.to_owned());
        ApiError { class, effect: Effect::None, method, route, status, said, own_word: true }
    }

    #[test]
    fn it_names_the_object_what_was_said_and_what_to_do() {
        let doing = Doing::new("renaming", Kind::Team, "Platform");
        let told = explain(&doing, &error(Class::Conflict, Some(409), "name taken."));
        assert_eq!(told.summary, "terdut says that the name is taken (renaming team)");
        assert_eq!(
            told.text(),
            "While renaming team \"Platform\": PUT /api/teams/{id} was answered with status 409: \
             name taken. Choose another name, or import the object that has it."
        );
    }

    #[test]
    fn a_conflict_is_about_a_name_only_where_one_is_given() {
        let doing = Doing::deleting(Kind::User, "7");
        let at = |method, route| ApiError {
            method,
            route,
            ..error(Class::Conflict, Some(409), "a policy names it")
        };
        let told = explain(&doing, &at("DELETE", "/api/users/{id}"));
        assert!(told.summary.contains("in use") && told.hint.contains("refers to it"), "{told}");
        let told = explain(&doing, &at("PUT", "/api/teams/{id}/escalation"));
        assert!(told.summary.contains("in the way"), "{told}");
        let told = explain(&doing, &at("POST", "/api/users"));
        assert!(told.hint.contains("another name"), "{told}");
    }

    #[test]
    fn every_class_says_what_to_do() {
        let doing = Doing::reading(Kind::User, "7");
        for class in [
            Class::Retryable,
            Class::Conflict,
            Class::Denied,
            Class::Invalid,
            Class::NotFound,
            Class::TooOld,
            Class::Unreachable,
        ] {
            for status in [None, Some(400), Some(401), Some(403), Some(429)] {
                let told = explain(&doing, &error(class, status, ""));
                assert!(!told.hint.is_empty() && told.detail.contains("user \"7\""), "{told}");
            }
        }
    }
}
