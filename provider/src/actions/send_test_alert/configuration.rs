//! What a test alert is made of: the attributes, and what can be wrong with them.

use std::collections::BTreeMap;
use std::time::Duration;

use terdut_core::test_alert::{DEFAULT_TIMEOUT, MARK, Texts, label_fault};
use terdut_core::value::{GoDuration, OPERATION, ServerUrl};
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::Sensitive;
use terdut_plugin::path::AttributePath;
use terdut_plugin::schema::{Attribute, Schema};

use crate::attributes::said;

type Pairs = Attr<BTreeMap<String, Attr<String>>>;

terdut_plugin::model! {
    /// A test alert.
    pub struct TestAlertModel {
        pub webhook_url: Attr<Sensitive>,
        pub labels: Pairs,
        pub annotations: Pairs,
        pub summary: Attr<String>,
        pub resolve: Attr<bool>,
        pub timeout: Attr<String>,
    }
}

/// What is wanted, once all of it is known.
pub(super) struct Wanted {
    pub(super) url: ServerUrl,
    pub(super) labels: Texts,
    pub(super) annotations: Texts,
    pub(super) resolve: bool,
    pub(super) timeout: Duration,
}

impl Wanted {
    /// Reads a configuration, or says all that is wrong with it.
    pub(super) fn of(config: &TestAlertModel) -> Result<Self, Diagnostics> {
        let mut told = Diagnostics::new();
        check(config, &mut told);
        let text = config.webhook_url.known().map_or("", Sensitive::expose);
        let (url, timeout) = (told.take(webhook_url(text)), told.take(timeout(&config.timeout)));
        let (Some(url), Some(timeout), false) = (url, timeout, told.has_errors()) else {
            return Err(told);
        };
        let mut annotations = texts(&config.annotations);
        if let Some(summary) = said(&config.summary) {
            annotations.insert("summary".to_owned(), summary.to_owned());
        }
        let (labels, resolve) = (texts(&config.labels), config.resolve == Attr::Known(true));
        Ok(Self { url, labels, annotations, resolve, timeout })
    }
}

pub(super) fn schema() -> Schema {
    Schema::new(
        "Sends a test alert through an alert source's webhook, as Alertmanager does, and tells how \
         far it came. It pages whoever is on call, as any alert of its labels would. Where the \
         provider's `url` and `token` are of the same server and may read alerts, it waits until \
         the alert fires there.",
    )
    .attributes([
        Attribute::string("webhook_url").required().sensitive().describe(
            "The `webhook_url` of a `terdut_alert_source`. It holds the key, and is shown nowhere.",
        ),
        Attribute::string_map("labels").optional().describe(format!(
            "Labels, beside `alertname` (`TerdutTestAlert`) and `severity` (`info`), which they may \
             replace, and `{MARK}`, which tells this test from others."
        )),
        Attribute::string_map("annotations").optional().describe("Annotations."),
        Attribute::string("summary").optional().empty_is_null().describe("The annotation `summary`."),
        Attribute::bool("resolve").optional().describe(
            "Resolve the alert at the end, also where it did not come up. Default: `false`.",
        ),
        Attribute::string("timeout").optional().empty_is_null().describe(format!(
            "How long to try and to wait: a Go duration, 1s to 24h. Default: `{DEFAULT_TIMEOUT}`."
        )),
    ])
}

/// Finds all that is wrong; of what is not known yet nothing is said.
pub(super) fn check(config: &TestAlertModel, diagnostics: &mut Diagnostics) {
    match &config.webhook_url {
        Attr::Null => diagnostics.push(no_url()),
        Attr::Unknown => {}
        Attr::Known(url) => drop(diagnostics.take(webhook_url(url.expose()))),
    }
    check_labels(&config.labels, diagnostics);
    diagnostics.take(timeout(&config.timeout));
    let twice = config.annotations.known().is_some_and(|all| all.contains_key("summary"));
    if twice && said(&config.summary).is_some() {
        diagnostics.error_at(
            "summary",
            "Two summaries",
            "summary is set, and annotations has one too: remove one of them.",
        );
    }
}

fn check_labels(labels: &Pairs, diagnostics: &mut Diagnostics) {
    for (name, value) in labels.known().into_iter().flatten() {
        // Of a value that is not known yet only the name is looked at.
        let value = value.as_deref().unwrap_or("unknown");
        if let Some(why) = label_fault(name, value) {
            let place = AttributePath::from("labels").key(name.clone());
            diagnostics.error_at(place, "Invalid label", format!("{why}."));
        }
    }
}

/// The URL, without what is wrong about it: it is a secret.
pub(super) fn webhook_url(text: &str) -> Result<ServerUrl, Diagnostic> {
    text.parse().map_err(|_| {
        Diagnostic::error(
            "Invalid webhook_url",
            "It has to be an http or https URL without user name, password and query: the \
             webhook_url of a terdut_alert_source.",
        )
        .at("webhook_url")
    })
}

fn no_url() -> Diagnostic {
    Diagnostic::error(
        "There is no webhook URL",
        "webhook_url is null. terdut shows it once, when an alert source is made: an imported or \
         adopted terdut_alert_source has none. To get a new one: terraform apply -replace=ADDRESS, \
         with the source's address. The old key stops working then.",
    )
    .at("webhook_url")
}

fn timeout(text: &Attr<String>) -> Result<Duration, Diagnostic> {
    let text = said(text).unwrap_or(DEFAULT_TIMEOUT);
    let span = text.parse::<GoDuration>().and_then(|span| span.within(OPERATION));
    let invalid = |error| Diagnostic::error("Invalid timeout", format!("{error}.")).at("timeout");
    span.map(GoDuration::to_std).map_err(invalid)
}

/// A null member is none.
fn texts(pairs: &Pairs) -> Texts {
    let pairs = pairs.known().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value.known()?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> TestAlertModel {
        let url = Sensitive::new("https://h/api/integrations/canary/alertmanager");
        TestAlertModel { webhook_url: Attr::Known(url), ..TestAlertModel::default() }
    }

    fn pairs(name: &str, value: Attr<String>) -> Pairs {
        Attr::Known([(name.to_owned(), value)].into())
    }

    fn places(config: &TestAlertModel) -> Vec<String> {
        let mut told = Diagnostics::new();
        check(config, &mut told);
        assert!(!format!("{told:?}").contains("canary"), "{told:?}");
        told.iter().filter_map(|one| one.path.as_ref()).map(ToString::to_string).collect()
    }

    #[test]
    fn all_that_is_wrong_is_told_at_its_place_without_the_url() {
        assert_eq!(places(&good()), Vec::<String>::new());
        let bad = TestAlertModel {
            webhook_url: Attr::Known(Sensitive::new("ftp://canary")),
            labels: pairs("a-b", "x".into()),
            annotations: pairs("summary", "x".into()),
            summary: "y".into(),
            timeout: "soon".into(),
            ..TestAlertModel::default()
        };
        assert_eq!(places(&bad), ["webhook_url", "labels[\"a-b\"]", "timeout", "summary"]);
        assert_eq!(places(&TestAlertModel::default()), ["webhook_url"]);
    }

    #[test]
    fn nothing_is_said_of_what_is_not_known_yet() {
        let open = TestAlertModel {
            webhook_url: Attr::Unknown,
            labels: pairs("alertname", Attr::Unknown),
            annotations: Attr::Unknown,
            summary: Attr::Unknown,
            resolve: Attr::Unknown,
            timeout: "10s".into(),
        };
        assert_eq!(places(&open), Vec::<String>::new());
    }

    #[test]
    fn what_is_wanted_has_defaults() {
        let wanted = Wanted::of(&good()).ok().unwrap();
        assert!(!wanted.resolve && wanted.labels.is_empty() && wanted.annotations.is_empty());
        assert_eq!(wanted.timeout, Duration::from_secs(30));
        let said = TestAlertModel { summary: "s".into(), ..good() };
        assert_eq!(Wanted::of(&said).ok().unwrap().annotations["summary"], "s");
        assert!(Wanted::of(&TestAlertModel::default()).is_err());
    }

    #[test]
    fn an_empty_text_says_nothing() {
        let empty = TestAlertModel {
            annotations: pairs("summary", "mine".into()),
            summary: "".into(),
            timeout: "".into(),
            ..good()
        };
        assert_eq!(places(&empty), Vec::<String>::new());
        let wanted = Wanted::of(&empty).ok().unwrap();
        assert_eq!(wanted.annotations["summary"], "mine");
        assert_eq!(wanted.timeout, Duration::from_secs(30));
    }
}
