//! Lower-case words: severities and kinds of alert source.
//!
//! The known ones are listed; another word is taken, since a newer server may know it, and the
//! model that holds it warns.

use std::fmt;
use std::str::FromStr;

/// The severities that the server is known to have.
pub const SEVERITIES: [&str; 4] = ["critical", "high", "warning", "info"];

/// A text that is no lower-case word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a lower-case word of 1 to 63 letters, digits, '_' or '-'")]
pub struct InvalidWord {
    /// What was given.
    pub text: String,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident known $known:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// The word.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether it is one that the server is known to take.
            pub fn is_known(&self) -> bool {
                $known.contains(&self.0.as_str())
            }

            /// Whether the server's text is this word.
            pub fn is(&self, text: &str) -> bool {
                self.0 == text.trim()
            }
        }

        impl FromStr for $name {
            type Err = InvalidWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                word(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )+};
}

words! {
    /// How urgent the alert is that a switch raises.
    Severity known SEVERITIES;
    /// What sends alerts to a source.
    KindWord known ["alertmanager"];
}

fn word(text: &str) -> Result<String, InvalidWord> {
    let belongs = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    };
    let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if starts && text.len() <= 63 && text.bytes().all(belongs) {
        Ok(text.to_owned())
    } else {
        Err(InvalidWord { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_is_taken_but_not_known() {
        assert!("critical".parse::<Severity>().unwrap().is_known());
        assert!(!"page".parse::<Severity>().unwrap().is_known());
        assert!(!"webhook".parse::<KindWord>().unwrap().is_known());
        for text in ["", "Critical", "a b", "1a", &"a".repeat(64)] {
            assert!(text.parse::<Severity>().is_err(), "{text:?}");
        }
    }
}
