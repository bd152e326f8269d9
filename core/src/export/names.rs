//! Names of the objects in a file, made of the names that people gave on the server.
//!
//! Letters are folded to ASCII (é is e, ß is ss), all else separates words. Each name is given once;
//! a second one gets a number, in the order in which the objects were made.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Words that mean something in an expression of Terraform: `terdut_team.for` reads as a fault.
const KEYWORDS: [&str; 23] = [
    "check",
    "count",
    "data",
    "each",
    "else",
    "endfor",
    "endif",
    "ephemeral",
    "false",
    "for",
    "if",
    "import",
    "in",
    "local",
    "locals",
    "module",
    "null",
    "path",
    "provider",
    "self",
    "terraform",
    "true",
    "var",
];

/// Letters that are no ASCII letter with a mark.
const LETTERS: [(char, &str); 12] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ł', "l"),
    ('ı', "i"),
    ('ħ', "h"),
    ('ŋ', "n"),
    ('ŧ', "t"),
];

/// How names of one format are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// What stands between words.
    separator: &'static str,
    /// The most characters, all of them ASCII.
    limit: usize,
    /// Whether a name must be an identifier of HCL.
    identifier: bool,
}

/// Labels of Terraform's resources.
pub(super) const TERRAFORM: Style = Style { separator: "_", limit: 128, identifier: true };
/// Names of Kubernetes objects: RFC 1123 labels, so that they serve as values of labels too.
pub(super) const KUBERNETES: Style = Style { separator: "-", limit: 63, identifier: false };

/// The names of one kind that are given already.
#[derive(Debug)]
pub(super) struct Names {
    style: Style,
    noun: &'static str,
    given: HashSet<String>,
    /// The first number that a name may still have; all before it are given.
    next: HashMap<String, usize>,
}

impl Names {
    /// None yet. The noun stands before a name that cannot stand alone.
    pub(super) fn new(style: Style, noun: &'static str) -> Self {
        Self { style, noun, given: HashSet::new(), next: HashMap::new() }
    }

    /// A name of its own for an object, below the name of what it belongs to. The id serves where
    /// nothing of the object's name is left.
    pub(super) fn give(&mut self, parent: Option<&str>, name: &str, id: i64) -> String {
        let own = words(name).join(self.style.separator);
        let own = if own.is_empty() { self.with_noun(&id.to_string()) } else { own };
        let full = match parent {
            Some(parent) if !self.begins_with(&own, parent) => {
                [parent, &own].join(self.style.separator)
            }
            _ => own,
        };
        let full = if self.stands_alone(&full) { full } else { self.with_noun(&full) };
        self.unique(&full)
    }

    /// The name of what an object belongs to, for one that has none itself.
    pub(super) fn give_as(&mut self, parent: &str) -> String {
        self.unique(parent)
    }

    fn with_noun(&self, name: &str) -> String {
        [self.noun, name].join(self.style.separator)
    }

    fn begins_with(&self, own: &str, parent: &str) -> bool {
        let rest = own.strip_prefix(parent);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(self.style.separator))
    }

    fn stands_alone(&self, name: &str) -> bool {
        let letter = name.starts_with(|first: char| first.is_ascii_alphabetic());
        !self.style.identifier || (letter && !KEYWORDS.contains(&name))
    }

    fn unique(&mut self, name: &str) -> String {
        let first = self.cut(name, 0);
        if self.given.insert(first.clone()) {
            return first;
        }
        let mut number = self.next.get(&first).copied().unwrap_or(2);
        let numbered = loop {
            let tail = format!("{}{number}", self.style.separator);
            let numbered = self.cut(name, tail.len()) + &tail;
            number += 1;
            if self.given.insert(numbered.clone()) {
                break numbered;
            }
        };
        self.next.insert(first, number);
        numbered
    }

    fn cut(&self, name: &str, tail: usize) -> String {
        let end = name.len().min(self.style.limit - tail);
        name[..end].trim_end_matches(self.style.separator).to_owned()
    }
}

/// A text that is no name of a Kubernetes object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no name in Kubernetes: 1 to 63 lower-case letters, digits and '-' between them"
)]
pub struct InvalidKubernetesName {
    /// What was given.
    pub text: String,
}

/// Checks the name of a namespace or of a TerdutServer, as it stands in the manifests.
pub fn kubernetes_name(text: &str) -> Result<String, InvalidKubernetesName> {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let inside = text.chars().all(|letter| fits(letter) || letter == '-');
    let ends = text.starts_with(fits) && text.ends_with(fits);
    if inside && ends && text.len() <= KUBERNETES.limit {
        Ok(text.to_owned())
    } else {
        Err(InvalidKubernetesName { text: text.to_owned() })
    }
}

/// The words of a name, in lower-case ASCII.
fn words(name: &str) -> Vec<String> {
    let folded: String = name.nfkd().filter(|it| !is_combining_mark(*it)).flat_map(fold).collect();
    let words = folded.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn fold(letter: char) -> Vec<char> {
    let special = |letter: char| LETTERS.iter().find(|(from, _)| *from == letter);
    let lower = letter.to_lowercase();
    lower
        .flat_map(|it| special(it).map_or_else(|| vec![it], |(_, to)| to.chars().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_are_folded_and_all_else_separates() {
        let mut names = Names::new(TERRAFORM, "team");
        for (name, expected) in [
            ("Platform", "platform"),
            ("  Ops – Zürich / Großstraße ", "ops_zurich_grossstrasse"),
            ("Łódź & Ærø", "lodz_aero"),
            ("ﬁne №1", "fine_no1"),
            ("24x7 line", "team_24x7_line"),
            ("for", "team_for"),
            ("Null", "team_null"),
            ("監視", "team_42"),
            ("${x} %{y}", "x_y"),
        ] {
            assert_eq!(names.give(None, name, 42), expected, "{name:?}");
        }
    }

    #[test]
    fn a_name_that_is_given_gets_a_number_even_if_that_is_given_too() {
        let mut names = Names::new(TERRAFORM, "team");
        let given: Vec<_> =
            ["a b", "a-b", "A B 2", "a.b"].iter().map(|name| names.give(None, name, 1)).collect();
        assert_eq!(given, ["a_b", "a_b_2", "a_b_2_2", "a_b_3"]);
    }

    #[test]
    fn ten_thousand_of_one_name_cost_no_more_than_a_look_each() {
        let mut names = Names::new(TERRAFORM, "team");
        let long = "b".repeat(200);
        for number in 2..=10_000 {
            names.give(None, "a", number);
            // Only what is cut off is another.
            names.give(None, &format!("{long}{number}"), number);
        }
        assert_eq!(names.next.values().copied().collect::<Vec<_>>(), [10_000; 2]);
        assert_eq!(names.give(None, "a", 1), "a_10000");
        assert_eq!(names.give(None, &long, 1), format!("{}_10000", &long[..122]));
    }

    #[test]
    fn what_belongs_to_something_says_so_once() {
        let mut names = Names::new(KUBERNETES, "switch");
        assert_eq!(names.give(Some("ops"), "Watchdog", 1), "ops-watchdog");
        assert_eq!(names.give(Some("ops"), "ops: disk", 2), "ops-disk");
        assert_eq!(names.give(Some("ops"), "opsy", 3), "ops-opsy");
        assert_eq!(names.give(Some("ops"), "監視", 4), "ops-switch-4");
        assert_eq!(names.give(None, "7", 5), "7");
    }

    #[test]
    fn what_is_no_name_in_kubernetes_is_refused() {
        assert!(kubernetes_name("ops-2").is_ok());
        for text in ["", "Ops", "-a", "a-", "a.b", "a b", &"a".repeat(64)] {
            assert!(kubernetes_name(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_name_is_one_of_its_format_and_no_two_are_the_same(
            texts in proptest::collection::vec(any::<String>(), 1..40),
            parent in proptest::option::of("[a-z]{1,70}"),
        ) {
            for style in [TERRAFORM, KUBERNETES] {
                let mut names = Names::new(style, "x");
                let mut seen = HashSet::new();
                for text in &texts {
                    let name = names.give(parent.as_deref(), text, 7);
                    let fits = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
                    prop_assert!(name.starts_with(fits) && name.ends_with(fits), "{name:?}");
                    prop_assert!(name.chars().all(|it| fits(it) || it == '_' || it == '-'));
                    prop_assert!(name.len() <= style.limit && !(style.identifier && KEYWORDS.contains(&name.as_str())));
                    prop_assert!(!style.identifier || !name.starts_with(|it: char| it.is_ascii_digit()));
                    prop_assert!(seen.insert(name));
                }
            }
        }
    }
}
