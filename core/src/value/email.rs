//! E-mail addresses, equal without regard to case.
//!
//! Only what no server could take is refused: the server is the authority on addresses.

use std::fmt;
use std::str::FromStr;

/// A text that is no e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an e-mail address: write it as user@host")]
pub struct InvalidEmail {
    /// What was given.
    pub text: String,
}

/// An e-mail address, trimmed.
#[derive(Debug, Clone)]
pub struct Email(String);

impl Email {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the server's text is this address.
    pub fn is(&self, text: &str) -> bool {
        self.0.to_lowercase() == text.trim().to_lowercase()
    }
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.is(&other.0)
    }
}

impl Eq for Email {}

impl FromStr for Email {
    type Err = InvalidEmail;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        let blank = |letter: char| letter.is_whitespace() || letter.is_control();
        match trimmed.rsplit_once('@') {
            Some((user, host))
                if !user.is_empty()
                    && !host.is_empty()
                    && !trimmed.contains(blank)
                    && trimmed.chars().count() <= super::name::NAME_LIMIT =>
            {
                Ok(Self(trimmed.to_owned()))
            }
            _ => Err(InvalidEmail { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter() {
        assert_eq!("Ann@Example.org".parse::<Email>(), "ann@example.ORG".parse());
        for text in ["", "ann", "@x", "x@", "a b@c", "a@b\nc"] {
            assert!(text.parse::<Email>().is_err(), "{text:?}");
        }
    }
}
