//! Ids that the server gives out.
//!
//! They are int64 in the server's REST API and strings in Terraform.
//! A type for each kind, so that a user's id is never sent where a team's is meant.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that is not an id: ids are digits only, within int64, and spelled in one way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an id: an id is digits only, without zeros in front")]
pub struct InvalidId {
    /// What was given.
    pub text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                parse_digits(text).map(Self)
            }
        }
    )+};
}

ids! {
    /// A team.
    TeamId,
    /// A person.
    UserId,
    /// A dead man's switch.
    SwitchId,
    /// An alert source; the REST API calls it an integration.
    IntegrationId,
    /// A service account.
    AccountId,
    /// A key of a person or of a service account.
    KeyId,
}

fn parse_digits(text: &str) -> Result<i64, InvalidId> {
    let invalid = || InvalidId { text: text.to_owned() };
    let is_padded = text.len() > 1 && text.starts_with('0');
    if text.is_empty() || is_padded || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    text.parse().map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_digits_only() {
        assert_eq!("9007199254740993".parse(), Ok(TeamId(9_007_199_254_740_993)));
        for text in ["", "+1", "-1", "1 ", "name=1", "042", "00", "9223372036854775808"] {
            assert!(text.parse::<TeamId>().is_err(), "{text:?}");
        }
    }
}
