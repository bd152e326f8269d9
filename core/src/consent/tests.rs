//! Every way to allow, from the server's own namespace and from another.

use proptest::prelude::*;

use super::*;

fn server() -> ServerIdentity {
    let text = |text: &str| text.to_owned();
    ServerIdentity { namespace: text("oncall"), name: text("terdut"), uid: text("u-1") }
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn allowed(from: From) -> AllowedTeams {
    let match_labels = labels(&[("allowed", "true")]);
    let selector = Selector { match_labels, match_expressions: Vec::new() };
    AllowedTeams { from, selector, adoption: Adoption::Deny }
}

fn is_permitted(from: From, namespace: &str, labels: Option<&Labels>) -> bool {
    judge(&allowed(from), &server(), &Asking { namespace, labels }).is_ok()
}

#[test]
fn each_word_allows_what_it_says() {
    let (fitting, other) = (labels(&[("allowed", "true")]), labels(&[("allowed", "no")]));
    for (from, own, fits, differs) in [
        (From::None, false, false, false),
        (From::Same, true, false, false),
        (From::All, true, true, true),
        (From::Selector, false, true, false),
    ] {
        assert_eq!(is_permitted(from, "oncall", Some(&other)), own, "{from:?}, own namespace");
        assert_eq!(is_permitted(from, "tenant", Some(&fitting)), fits, "{from:?}, labelled");
        assert_eq!(is_permitted(from, "tenant", Some(&other)), differs, "{from:?}, not labelled");
    }
}

#[test]
fn labels_that_cannot_be_read_match_no_selector() {
    let absent = Requirement {
        key: "denied".to_owned(),
        operator: Operator::DoesNotExist,
        values: Vec::new(),
    };
    let selector = Selector { match_labels: Labels::new(), match_expressions: vec![absent] };
    let allowed = AllowedTeams { from: From::Selector, selector, ..AllowedTeams::default() };
    let ask = |labels| judge(&allowed, &server(), &Asking { namespace: "tenant", labels });
    assert_eq!(ask(None), Err(NotPermitted));
    assert!(ask(Some(&Labels::new())).is_ok());
}

#[test]
fn every_operator_demands_what_kubernetes_says() {
    let values = vec!["a".to_owned(), "b".to_owned()];
    for (operator, there, elsewhere, missing) in [
        (Operator::In, true, false, false),
        (Operator::NotIn, false, true, true),
        (Operator::Exists, true, true, false),
        (Operator::DoesNotExist, false, false, true),
    ] {
        let requirement = Requirement { key: "tier".to_owned(), operator, values: values.clone() };
        let selector = Selector { match_expressions: vec![requirement], ..Selector::default() };
        let matches = |pairs: &[(&str, &str)]| selector.matches(&labels(pairs));
        assert_eq!(matches(&[("tier", "b")]), there, "{operator:?}");
        assert_eq!(matches(&[("tier", "c")]), elsewhere, "{operator:?}");
        assert_eq!(matches(&[("other", "a")]), missing, "{operator:?}");
    }
}

#[test]
fn adoption_is_for_the_own_namespace_or_with_leave() {
    let adopts = |namespace, adoption| {
        let allowed = AllowedTeams { adoption, ..allowed(From::All) };
        judge(&allowed, &server(), &Asking { namespace, labels: None }).unwrap().may_adopt()
    };
    assert!(adopts("oncall", Adoption::Deny) && adopts("tenant", Adoption::Allow));
    assert!(!adopts("tenant", Adoption::Deny));
}

#[test]
fn what_was_made_here_may_be_removed_and_nothing_else() {
    let permit = judge_removal(&server(), "u-1").unwrap();
    assert!(permit.server() == &server() && !permit.may_adopt());
    for uid in ["", "u-2"] {
        assert_eq!(judge_removal(&server(), uid), Err(NotPermitted), "{uid:?}");
    }
    let unnamed = ServerIdentity { uid: String::new(), ..server() };
    assert_eq!(judge_removal(&unnamed, ""), Err(NotPermitted));
}

#[test]
fn a_selector_reads_as_in_a_manifest() {
    let text = r#"{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]}"#;
    let selector: Selector = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&selector).unwrap(), text);
    assert!(selector.matches(&labels(&[("a", "b"), ("c", "")])));
    assert!(!selector.matches(&labels(&[("a", "b")])));
}

proptest! {
    #[test]
    fn a_permit_is_only_ever_for_the_server_that_was_judged(
        from in prop::sample::select(vec![From::None, From::Same, From::All, From::Selector]),
        namespace in "oncall|tenant", labelled: bool, readable: bool,
    ) {
        let given = if labelled { labels(&[("allowed", "true")]) } else { Labels::new() };
        let asking = Asking { namespace: &namespace, labels: readable.then_some(&given) };
        if let Ok(permit) = judge(&allowed(from), &server(), &asking) {
            prop_assert_eq!(permit.server(), &server());
            prop_assert!(!permit.may_adopt() || namespace == "oncall");
            prop_assert!(from != From::None);
            prop_assert!(from != From::Selector || (labelled && readable));
        }
    }
}
