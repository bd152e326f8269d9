//! The names that dashboards and alerts are written against.

use expect_test::expect_file;

use super::*;

const SHORT: Duration = Duration::from_millis(3);

/// Metrics in which each family has a series.
fn everything() -> Metrics {
    let metrics = Metrics::new();
    metrics.concurrency("TerdutTeam", 8);
    metrics.queued("TerdutTeam");
    metrics.queue_depth("TerdutTeam", 1);
    metrics.pass_started("TerdutTeam", SHORT);
    metrics.pass_ended("TerdutTeam", PassResult::Error, SHORT);
    metrics.pass_panicked("TerdutTeam");
    metrics.kubernetes_request("GET", "127.0.0.1:6443", "200", SHORT);
    metrics.terdut_request("GET", "/api/teams", "200", SHORT);
    metrics.leader("terdut-bridge", true);
    metrics.watch_failed("TerdutTeam");
    metrics.objects("TerdutTeam", "True", 4);
    metrics
}

#[test]
fn names_types_and_labels_stay() {
    let text = everything().text();
    let series = text.lines().filter(|line| !line.contains("_bucket{") && !line.contains("_sum{"));
    expect_file!["names.txt"].assert_eq(&(series.collect::<Vec<_>>().join("\n") + "\n"));
}

#[test]
fn a_pass_that_ended_is_no_longer_active() {
    let metrics = everything();
    metrics.pass_started("TerdutTeam", SHORT);
    let active = "controller_runtime_active_workers{controller=\"TerdutTeam\"}";
    assert!(metrics.text().contains(&format!("{active} 1")));
    metrics.pass_ended("TerdutTeam", PassResult::Success, SHORT);
    assert!(metrics.text().contains(&format!("{active} 0")));
}

#[test]
fn becoming_the_leader_is_counted_once() {
    let metrics = Metrics::new();
    metrics.leader("terdut-bridge", true);
    metrics.leader("terdut-bridge", true);
    let line = "leader_election_transitions_total{name=\"terdut-bridge\"} 1";
    assert!(metrics.text().contains(line));
}
