//! What went wrong with a word to the Kubernetes API, with a class.

use std::fmt;

use kube::Error;
use terdut_core::error::Class;

/// What an error means for whoever has to act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KubeClass {
    /// 404: the object, or its kind, is not there.
    NotFound,
    /// 403: the bridge's role does not allow it.
    Forbidden,
    /// 409: changed since it was read, or there already.
    Conflict,
    /// 400 or 422: the API server does not take it, or answered what cannot be read.
    Invalid,
    /// No answer, or not sent because this replica may not act.
    Unreachable,
    /// The same may work later.
    Retryable,
}

impl KubeClass {
    /// The name used in logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NotFound",
            Self::Forbidden => "Forbidden",
            Self::Conflict => "Conflict",
            Self::Invalid => "Invalid",
            Self::Unreachable => "Unreachable",
            Self::Retryable => "Retryable",
        }
    }

    /// The same in the words of terdut's own errors.
    pub const fn core(self) -> Class {
        match self {
            Self::NotFound => Class::NotFound,
            Self::Forbidden => Class::Denied,
            Self::Conflict => Class::Conflict,
            Self::Invalid => Class::Invalid,
            Self::Unreachable => Class::Unreachable,
            Self::Retryable => Class::Retryable,
        }
    }

    fn of(error: &Error) -> Self {
        match error {
            Error::Api(status) => Self::of_status(status.code),
            Error::SerdeError(_) | Error::FromUtf8(_) | Error::BuildRequest(_) => Self::Invalid,
            Error::Discovery(_) => Self::NotFound,
            _ => Self::Unreachable,
        }
    }

    const fn of_status(code: u16) -> Self {
        match code {
            404 | 410 => Self::NotFound,
            403 => Self::Forbidden,
            409 => Self::Conflict,
            400 | 405 | 413 | 415 | 422 => Self::Invalid,
            // 401 is a token that is about to be renewed; 429 and 5xx pass.
            _ => Self::Retryable,
        }
    }
}

impl fmt::Display for KubeClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A request to the Kubernetes API that did not give what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{verb} {object}: {class}")]
pub struct KubeError {
    /// What it means.
    pub class: KubeClass,
    /// What was being done.
    pub verb: &'static str,
    /// To which object: kind, namespace and name.
    pub object: String,
    /// What was answered.
    #[source]
    source: Box<Error>,
}

impl KubeError {
    /// Says what was being done to which object.
    pub fn new(verb: &'static str, object: impl Into<String>, source: Error) -> Self {
        Self {
            class: KubeClass::of(&source),
            verb,
            object: object.into(),
            source: Box::new(source),
        }
    }

    /// For `map_err`: the error of doing that to that object.
    pub fn doing(verb: &'static str, object: &str) -> impl FnOnce(Error) -> Self {
        move |source| Self::new(verb, object, source)
    }

    /// How long the API server asks to wait, in seconds.
    pub fn retry_after(&self) -> Option<u32> {
        let Error::Api(status) = &*self.source else { return None };
        status.details.as_ref().map(|details| details.retry_after_seconds).filter(|wait| *wait > 0)
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn the_class_follows_the_status() {
        for (code, class) in [
            (404, KubeClass::NotFound),
            (403, KubeClass::Forbidden),
            (409, KubeClass::Conflict),
            (422, KubeClass::Invalid),
            (401, KubeClass::Retryable),
            (429, KubeClass::Retryable),
            (503, KubeClass::Retryable),
        ] {
            let status = Status::failure("because", "Reason").with_code(code).boxed();
            let error = KubeError::new("get", "Secret a/b", Error::Api(status));
            assert_eq!(error.class, class, "{code}");
        }
    }

    #[test]
    fn a_request_without_an_answer_is_unreachable_and_says_what_it_was() {
        let error = KubeError::new("patch", "Secret a/b", Error::Service("refused".into()));
        assert_eq!(error.class, KubeClass::Unreachable);
        assert_eq!(error.to_string(), "patch Secret a/b: Unreachable");
        assert_eq!(error.class.core(), Class::Unreachable);
    }
}
