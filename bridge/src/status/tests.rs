//! What is written, and what is left alone.

use k8s_openapi::jiff::Timestamp;

use super::*;

fn at(second: i64) -> Time {
    Time(Timestamp::from_second(second).unwrap())
}

#[test]
fn the_same_report_changes_nothing() {
    let report = Report::failing(State::no(Reason::Unreachable, "The server does not answer."));
    let first = conditions(&[], &report, 1, &at(10));
    assert_eq!(conditions(&first, &report, 1, &at(99)), first);
}

#[test]
fn a_transition_is_a_change_of_status_only() {
    let waiting = Report::failing(State::no(Reason::WaitingForTeam, "w"));
    let denied = Report::failing(State::no(Reason::Denied, "d"));
    let first = conditions(&[], &waiting, 1, &at(10));
    let second = conditions(&first, &denied, 2, &at(20));
    assert!(second.iter().all(|one| one.last_transition_time == at(10)));
    assert!(second.iter().all(|one| one.reason == "Denied" && one.observed_generation == Some(2)));
    let third = conditions(&second, &Report::ready(), 2, &at(30));
    assert!(third.iter().all(|one| one.last_transition_time == at(30) && one.status == "True"));
}

#[test]
fn conditions_are_sorted_and_degraded_goes() {
    let fault = || Some(State::yes(Reason::Unreachable, "u"));
    let good = || Some(State::yes(Reason::Available, "a"));
    let degraded = Report {
        degraded: fault(),
        database_ready: good(),
        bootstrapped: good(),
        ..Report::ready()
    };
    let first = conditions(&[], &degraded, 1, &at(1));
    let types: Vec<_> = first.iter().map(|one| one.type_.as_str()).collect();
    assert_eq!(types, ["Bootstrapped", "DatabaseReady", "Degraded", "Ready", "Synced"]);
    let second = conditions(&first, &Report { degraded: None, ..degraded }, 1, &at(2));
    assert!(second.iter().all(|one| one.type_ != "Degraded"));
}

#[test]
fn every_reason_is_a_word_that_kubernetes_takes() {
    for reason in Reason::ALL {
        let word = reason.as_str();
        assert!(word.starts_with(|letter: char| letter.is_ascii_uppercase()), "{word}");
        assert!(word.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{word}");
    }
}
