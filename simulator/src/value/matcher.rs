//! A switch's matcher: `label=value[,label=value…]`. The routes of switches and the webhook call
//! it; it must never change the text that it was made of.

use std::collections::BTreeMap;

/// What labels an alert must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matcher(BTreeMap<String, String>);

impl Matcher {
    /// Reads a matcher.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut labels = BTreeMap::new();
        for part in text.split(',') {
            let pair = part.split_once('=').map(|(label, value)| (label.trim(), value.trim()));
            let Some((label, value)) = pair.filter(|(label, value)| fits(label, value)) else {
                return Err(format!("matcher {text:?} is not label=value[,label=value…]"));
            };
            if labels.insert(label.to_owned(), value.to_owned()).is_some() {
                return Err(format!("matcher names the label {label:?} twice"));
            }
        }
        Ok(Self(labels))
    }

    /// Sorted, without blanks.
    pub(crate) fn canonical(&self) -> String {
        let pairs: Vec<_> =
            self.0.iter().map(|(label, value)| format!("{label}={value}")).collect();
        pairs.join(",")
    }

    /// Whether an alert with these labels is meant.
    pub(crate) fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|(label, value)| labels.get(label) == Some(value))
    }
}

fn fits(label: &str, value: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !label.is_empty()
        && label.chars().all(word)
        && !label.starts_with(|c: char| c.is_ascii_digit())
        && !value.is_empty()
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    #[test]
    fn the_canonical_form_is_sorted_and_without_blanks() {
        let matcher = Matcher::parse(" b = 2,a=1 ").unwrap();
        assert_eq!(matcher.canonical(), "a=1,b=2");
    }

    #[test]
    fn a_matcher_that_cannot_match_is_refused() {
        for bad in ["", "a", "a=", "=1", "a=1,", "a=1,a=2", "1a=1", "a b=1"] {
            assert!(Matcher::parse(bad).is_err(), "{bad}");
        }
    }
}
