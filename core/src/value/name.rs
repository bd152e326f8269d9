//! Names and free texts.
//!
//! A name is trimmed and equal after trimming. The server's own names are compared with
//! [`Name::is`], since they may be untrimmed.

use std::fmt;
use std::str::FromStr;

/// The most characters of a name.
pub(super) const NAME_LIMIT: usize = 253;
/// The most characters of a free text.
pub(super) const TEXT_LIMIT: usize = 1024;

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Nothing but blanks.
    #[error("a name must not be empty")]
    Empty,
    /// Too many characters.
    #[error("a name has at most 253 characters, this one has {length}")]
    TooLong {
        /// How many it has.
        length: usize,
    },
    /// A line break or the like.
    #[error("a name must not hold control characters such as line breaks")]
    Control,
}

/// A name, trimmed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The trimmed text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the server's text is this name.
    pub fn is(&self, text: &str) -> bool {
        self.0 == text.trim()
    }
}

impl FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 {
            Err(InvalidName::Empty)
        } else if length > NAME_LIMIT {
            Err(InvalidName::TooLong { length })
        } else if text.chars().any(char::is_control) {
            Err(InvalidName::Control)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A free text that the server would not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// Too many characters.
    #[error("a text has at most 1024 characters here, this one has {length}")]
    TooLong {
        /// How many it has.
        length: usize,
    },
    /// A line break or the like.
    #[error("the text must not hold control characters such as line breaks")]
    Control,
    /// Blanks at an end, which the server drops: what it has would differ for ever.
    #[error("the text must not begin or end with a blank")]
    Blank,
}

/// Checks an optional free text (a topic, a group); an empty one means none.
pub fn check_text(text: &str) -> Result<String, InvalidText> {
    let length = text.chars().count();
    if length > TEXT_LIMIT {
        Err(InvalidText::TooLong { length })
    } else if text.chars().any(char::is_control) {
        Err(InvalidText::Control)
    } else if text.trim() != text {
        Err(InvalidText::Blank)
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded() {
        assert!("  Platform ".parse::<Name>().unwrap().is(" Platform"));
        assert_eq!(" ".parse::<Name>(), Err(InvalidName::Empty));
        assert_eq!("a\nb".parse::<Name>(), Err(InvalidName::Control));
        assert!("ü".repeat(253).parse::<Name>().is_ok());
        assert_eq!("ü".repeat(254).parse::<Name>(), Err(InvalidName::TooLong { length: 254 }));
    }

    #[test]
    fn a_text_may_be_empty() {
        assert_eq!(check_text(""), Ok(String::new()));
        assert_eq!(check_text("a b"), Ok("a b".to_owned()));
        assert_eq!(check_text(" a"), Err(InvalidText::Blank));
        assert_eq!(check_text("a "), Err(InvalidText::Blank));
        assert_eq!(check_text("a\tb"), Err(InvalidText::Control));
        assert_eq!(check_text(&"x".repeat(1025)), Err(InvalidText::TooLong { length: 1025 }));
    }
}
