//! Secrets that must not be shown.
//!
//! A provider keeps a clone and adds each secret as it learns it; the log replaces them in every
//! line. Keys are also known by their shape, so one that nobody added yet is not shown, either.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// What is shown instead.
const STARS: &str = "***";

/// Anything shorter is no secret worth the name, and would make most lines unreadable.
const SHORTEST: usize = 4;

/// The length of a key: this many hexadecimal digits in a row are taken for one.
const KEY: usize = 64;

/// A growing set of secrets, shared by its clones.
#[derive(Clone, Default)]
pub struct Mask {
    secrets: Arc<RwLock<Vec<String>>>,
}

impl Mask {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret, and the ways in which it may be spelled inside other text.
    pub fn add(&self, secret: &str) {
        if secret.len() < SHORTEST || key(secret) == Some(0..secret.len()) {
            return;
        }
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        for spelling in spellings(secret) {
            if !secrets.contains(&spelling) {
                secrets.push(spelling);
            }
        }
        // A secret that contains another must go first, or its rest would stay.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// `text` without secrets.
    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.secrets.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if text.contains(secret) {
                text = Cow::Owned(text.replace(secret, STARS));
            }
        }
        while let Some(range) = key(&text) {
            text.to_mut().replace_range(range, STARS);
        }
        text
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask(***)")
    }
}

/// As it is, inside a quoted string, and inside an address.
fn spellings(secret: &str) -> Vec<String> {
    let quoted = format!("{secret:?}");
    let quoted = quoted[1..quoted.len() - 1].to_owned();
    let mut spellings = vec![secret.to_owned()];
    for other in [quoted, percent_encoded(secret)] {
        if other != secret {
            spellings.push(other);
        }
    }
    spellings
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The first run of hexadecimal digits that is long enough for a key.
fn key(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for (end, byte) in text.bytes().enumerate() {
        if !byte.is_ascii_hexdigit() {
            if end - start >= KEY {
                return Some(start..end);
            }
            start = end + 1;
        }
    }
    (text.len() >= start + KEY).then_some(start..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_secret_is_replaced_wherever_it_stands() {
        let mask = Mask::new();
        mask.clone().add("pa\"ss/word");
        assert_eq!(mask.apply("a pa\"ss/word, pa\"ss/word"), "a ***, ***");
        assert_eq!(mask.apply(r#"{"p":"pa\"ss/word"}"#), r#"{"p":"***"}"#);
        assert_eq!(mask.apply("/x?p=pa%22ss%2Fword"), "/x?p=***");
    }

    #[test]
    fn a_secret_inside_another_leaves_no_rest() {
        let mask = Mask::new();
        mask.add("hunter2");
        mask.add("hunter2-and-more");
        assert_eq!(mask.apply("x hunter2-and-more y"), "x *** y");
    }

    #[test]
    fn keys_are_known_by_their_shape() {
        let key = "0123456789abcdef".repeat(4);
        let mask = Mask::new();
        assert_eq!(mask.apply(&format!("key {key}, {}.", key.to_uppercase())), "key ***, ***.");
        assert_eq!(mask.apply(&key), "***");
        assert_eq!(mask.apply(&key[1..]), &key[1..]);
    }

    #[test]
    fn text_without_secrets_is_not_copied() {
        let mask = Mask::new();
        mask.add("hunter2");
        mask.add("abc");
        assert!(matches!(mask.apply("abc and more"), Cow::Borrowed(_)));
    }

    #[test]
    fn printing_a_mask_shows_nothing() {
        let mask = Mask::new();
        mask.add("hunter2");
        assert!(!format!("{mask:?}").contains("hunter2"));
    }
}
