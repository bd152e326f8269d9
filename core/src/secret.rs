//! Secrets as a type that cannot be printed.
//!
//! Every key, password and header value is held in it from the edge on. It has no `Display` and no
//! `Serialize`; `Debug` is masked; the memory is wiped when it is dropped.

use std::fmt;

use zeroize::Zeroizing;

/// A key, password or other value that must reach only the place it is meant for.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(Zeroizing<String>);

impl SecretString {
    /// Takes a secret in.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The secret itself. Each call is a place where it may leave: a request's header or body, the
    /// state's sensitive attribute, a Secret.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretString(***)")
    }
}

impl From<String> for SecretString {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_masked() {
        let secret = SecretString::new("canary");
        assert_eq!(format!("{secret:?}"), "SecretString(***)");
        assert_eq!(secret.expose(), "canary");
    }
}
