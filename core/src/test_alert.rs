//! A test alert: what it says, and how it is known again on the server.
//!
//! The provider's action sends one. Its mark, a label that nobody else sets, tells one test from
//! another and a test from an alert that somebody has to get up for.

use std::collections::BTreeMap;

use crate::api::Alert;

/// The label that marks an alert as a test.
pub const MARK: &str = "terdut_test";
/// How long a test may take, if nothing else is said.
pub const DEFAULT_TIMEOUT: &str = "30s";

const NAME_LABEL: &str = "alertname";
const NAME: &str = "TerdutTestAlert";
const SEVERITY: (&str, &str) = ("severity", "info");
const SUMMARY_ANNOTATION: &str = "summary";
const SUMMARY: &str = "A test of the alert source: nothing is wrong.";

/// Labels or annotations.
pub type Texts = BTreeMap<String, String>;

/// An alert that is sent to see whether alerts arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestAlert {
    /// Labels, the mark among them.
    pub labels: Texts,
    /// Annotations.
    pub annotations: Texts,
    /// The mark's value: 16 hex digits.
    pub id: String,
    /// When it began, in RFC 3339.
    pub starts_at: String,
}

impl TestAlert {
    /// An alert of this id that begins at this second since 1970. What is given goes before what
    /// every test alert says.
    pub fn new(id: u64, now: u64, labels: Texts, mut annotations: Texts) -> Self {
        let id = format!("{id:016x}");
        let own = [(NAME_LABEL, NAME), SEVERITY];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut all: Texts = own.into_iter().chain(labels).collect();
        all.insert(MARK.to_owned(), id.clone());
        annotations.entry(SUMMARY_ANNOTATION.to_owned()).or_insert_with(|| SUMMARY.to_owned());
        Self { labels: all, annotations, id, starts_at: rfc3339(now) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.labels.get(NAME_LABEL).map_or(NAME, String::as_str)
    }

    /// Whether an alert on the server is this one.
    pub fn is(&self, alert: &Alert) -> bool {
        alert.labels.get(MARK) == Some(&self.id)
    }
}

/// What is wrong with a label.
pub fn label_fault(name: &str, value: &str) -> Option<String> {
    if name == MARK {
        return Some(format!("{MARK} is set by the test itself"));
    }
    if name == NAME_LABEL && value.trim().is_empty() {
        return Some(format!("{NAME_LABEL} is empty, and an alert needs a name"));
    }
    (!is_name(name)).then(|| {
        format!("{name:?} is no label's name: letters, digits and underscores, no digit first")
    })
}

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// A second since 1970 as Alertmanager writes it.
pub fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day since 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pairs: &[(&str, &str)]) -> Texts {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_is_given_goes_before_what_every_test_says_but_for_the_mark() {
        let bare = TestAlert::new(0xabc, 0, Texts::new(), Texts::new());
        assert_eq!(bare.name(), "TerdutTestAlert");
        assert_eq!(bare.labels["severity"], "info");
        assert_eq!(bare.labels[MARK], "0000000000000abc");
        assert!(bare.annotations["summary"].contains("nothing is wrong"));
        let labels = texts(&[("alertname", "Mine"), ("severity", "critical"), ("cluster", "a")]);
        let given = TestAlert::new(1, 0, labels, texts(&[("summary", "s"), ("runbook", "r")]));
        assert_eq!((given.name(), &given.labels["severity"][..]), ("Mine", "critical"));
        assert_eq!(given.annotations, texts(&[("summary", "s"), ("runbook", "r")]));
    }

    #[test]
    fn it_is_known_again_by_its_mark_only() {
        let ours = TestAlert::new(7, 0, Texts::new(), Texts::new());
        let seen = |labels: Texts| Alert { status: "firing".to_owned(), labels, incident: None };
        assert!(ours.is(&seen(ours.labels.clone())));
        let other = TestAlert::new(8, 0, Texts::new(), Texts::new());
        assert!(!ours.is(&seen(other.labels)) && !ours.is(&seen(Texts::new())));
    }

    #[test]
    fn a_label_that_cannot_be_sent_is_named() {
        for (name, value, good) in [
            ("cluster", "a", true),
            ("_x9", "", true),
            ("alertname", "A", true),
            ("alertname", " ", false),
            ("9x", "a", false),
            ("a-b", "a", false),
            ("", "a", false),
            (MARK, "a", false),
        ] {
            assert_eq!(label_fault(name, value).is_none(), good, "{name}");
        }
    }

    #[test]
    fn a_moment_is_written_as_alertmanager_writes_it() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
