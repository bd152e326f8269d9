//! Matchers: `label=value[,label=value…]`.
//!
//! Order and blanks do not matter to equality. There is no quoting and no escape in this syntax, so
//! a value holds neither comma, quote nor backslash.

use std::fmt;
use std::str::FromStr;

/// A text that is no matcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMatcher {
    /// Nothing to match.
    #[error("a matcher must not be empty: write label=value")]
    Empty,
    /// A part without `=`, or without a value.
    #[error("{part:?} is not label=value")]
    Pair {
        /// The part between two commas.
        part: String,
    },
    /// Not a label's name.
    #[error("{label:?} is not a label: letters, digits and '_', not starting with a digit")]
    Label {
        /// What was given.
        label: String,
    },
    /// An operator other than `=`.
    #[error("{part:?} uses another operator than '=': a matcher compares for equality only")]
    Operator {
        /// The part between two commas.
        part: String,
    },
    /// A quote or a backslash, or a control character.
    #[error("the value of {label:?} holds a quote, a backslash or a control character")]
    Value {
        /// The label.
        label: String,
    },
    /// A label named twice.
    #[error("{label:?} is named twice")]
    Duplicate {
        /// The label.
        label: String,
    },
    /// More than the server keeps.
    #[error("a matcher has at most 1024 characters")]
    TooLong,
}

/// Labels and the values that they must have.
#[derive(Debug, Clone)]
pub struct Matcher {
    pairs: Vec<(String, String)>,
}

impl Matcher {
    /// Its one form: sorted by label, without blanks.
    pub fn canonical(&self) -> String {
        join(&self.sorted())
    }

    /// Whether the server's text means this matcher.
    pub fn is(&self, text: &str) -> bool {
        text.parse::<Self>().is_ok_and(|other| &other == self)
    }

    /// Labels and values in the order in which they were written.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    fn sorted(&self) -> Vec<(String, String)> {
        let mut pairs = self.pairs.clone();
        pairs.sort();
        pairs
    }
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

impl Eq for Matcher {}

impl FromStr for Matcher {
    type Err = InvalidMatcher;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(InvalidMatcher::Empty);
        }
        if text.chars().count() > super::name::TEXT_LIMIT {
            return Err(InvalidMatcher::TooLong);
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let (label, value) = pair(part.trim())?;
            if pairs.iter().any(|(other, _)| other == label) {
                return Err(InvalidMatcher::Duplicate { label: label.to_owned() });
            }
            pairs.push((label.to_owned(), value.to_owned()));
        }
        Ok(Self { pairs })
    }
}

fn pair(part: &str) -> Result<(&str, &str), InvalidMatcher> {
    let (label, value) =
        part.split_once('=').ok_or_else(|| InvalidMatcher::Pair { part: part.to_owned() })?;
    let (label, value) = (label.trim(), value.trim());
    if label.ends_with('!') || value.starts_with(['~', '=']) {
        return Err(InvalidMatcher::Operator { part: part.to_owned() });
    }
    if !is_label(label) {
        return Err(InvalidMatcher::Label { label: label.to_owned() });
    }
    if value.is_empty() {
        return Err(InvalidMatcher::Pair { part: part.to_owned() });
    }
    if value.contains(|letter: char| matches!(letter, '"' | '\\') || letter.is_control()) {
        return Err(InvalidMatcher::Value { label: label.to_owned() });
    }
    Ok((label, value))
}

fn is_label(text: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(starts)
        && text.bytes().all(|byte| starts(byte) || byte.is_ascii_digit())
}

fn join(pairs: &[(String, String)]) -> String {
    let parts: Vec<_> = pairs.iter().map(|(label, value)| format!("{label}={value}")).collect();
    parts.join(",")
}

impl fmt::Display for Matcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&join(&self.pairs))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn order_and_blanks_do_not_matter() {
        let one: Matcher = "alertname=Watchdog,cluster=a b".parse().unwrap();
        assert!(one.is(" cluster = a b , alertname=Watchdog"));
        assert!(!one.is("alertname=Watchdog"));
        assert!(!one.is("alertname=watchdog,cluster=a b"));
        assert_eq!(one.canonical(), "alertname=Watchdog,cluster=a b");
    }

    #[test]
    fn each_fault_is_named() {
        for (text, part) in [
            ("", "empty"),
            ("a", "label=value"),
            ("a=", "label=value"),
            ("a=b,", "label=value"),
            ("1a=b", "not a label"),
            ("a!=b", "operator"),
            ("a=~b", "operator"),
            ("a=\"b\"", "quote"),
            ("a=b\\c", "backslash"),
            ("a=b,a=c", "twice"),
        ] {
            let said = text.parse::<Matcher>().unwrap_err().to_string();
            assert!(said.contains(part), "{text:?}: {said}");
        }
    }

    proptest! {
        #[test]
        fn any_order_and_any_blanks_mean_the_same(
            pairs in prop::collection::btree_map("[a-z_][a-z0-9_]{0,5}", "[A-Za-z0-9.:/-]{1,6}", 1..5),
            blanks in prop::collection::vec(" {0,2}", 4),
        ) {
            let [before, left, right, after] = blanks.try_into().unwrap();
            let plain: Vec<_> = pairs.iter().map(|(l, v)| format!("{l}={v}")).collect();
            let spaced: Vec<_> = pairs.iter().rev()
                .map(|(l, v)| format!("{before}{l}{left}={right}{v}{after}")).collect();
            let one: Matcher = plain.join(",").parse().unwrap();
            prop_assert!(one.is(&spaced.join(",")));
            prop_assert!(one.is(&one.canonical()));
            prop_assert!(one.is(&one.to_string()));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = text.parse::<Matcher>();
        }
    }
}
