//! Tests of what the models allow, what they refuse and how their schemas look.

use schemars::schema_for;
use serde_json::{Value, json};

use super::*;
use crate::api;
use crate::ids::{TeamId, UserId};
use crate::problem::Findings;
use crate::value::{Field, Input};

fn given(text: &str) -> Input<String> {
    Input::Given(text.to_owned())
}

fn paths(problems: &[crate::problem::Problem]) -> Vec<String> {
    problems.iter().map(|problem| problem.path.to_string()).collect()
}

fn switch(timeout: &str, severity: Input<String>) -> DeadmanSwitchInput {
    DeadmanSwitchInput {
        team_id: given("1"),
        name: given("watchdog"),
        matcher: given("a=b"),
        timeout: given(timeout),
        severity,
    }
}

#[test]
fn all_faults_of_one_object_are_found_at_once() {
    let mut findings = Findings::default();
    let input = DeadmanSwitchInput {
        team_id: given("x"),
        name: given(" "),
        matcher: given("a"),
        timeout: given("59s"),
        severity: given("Very Bad"),
    };
    assert_eq!(input.validate(&mut findings), None);
    let expected = ["team_id", "name", "matcher", "timeout", "severity"];
    assert_eq!(paths(&findings.errors), expected);
}

#[test]
fn the_timeout_of_a_switch_is_between_one_minute_and_thirty_days() {
    for (timeout, ok) in [("1m", true), ("59.9s", false), ("720h", true), ("720h1ns", false)] {
        let mut findings = Findings::default();
        switch(timeout, Input::Absent).validate(&mut findings);
        assert_eq!(findings.is_valid(), ok, "{timeout}");
    }
}

#[test]
fn another_severity_is_warned_of_and_taken() {
    let mut findings = Findings::default();
    let desired = switch("1m", given("page")).validate(&mut findings).unwrap();
    assert_eq!(desired.severity.known().unwrap().as_str(), "page");
    assert_eq!(paths(&findings.warnings), ["severity"]);
    assert!(findings.is_valid());
    let default = switch("1m", Input::Absent).validate(&mut findings).unwrap();
    assert_eq!(default.severity.known().unwrap().as_str(), "critical");
}

#[test]
fn another_kind_of_source_is_warned_of_and_taken() {
    let mut findings = Findings::default();
    let spec = AlertSourceSpec { kind: Some("webhook".to_owned()), name: "a".to_owned() };
    assert!(spec.input(given("1")).validate(&mut findings).is_some());
    assert_eq!(paths(&findings.warnings), ["kind"]);
    let long = AlertSourceSpec { kind: Some("a".repeat(64)), name: "a".to_owned() };
    assert!(long.input(given("1")).validate(&mut findings).is_none());
}

#[test]
fn unknown_values_are_valid() {
    let mut findings = Findings::default();
    let input = DeadmanSwitchInput {
        team_id: Input::Unknown,
        name: Input::Unknown,
        matcher: Input::Unknown,
        timeout: Input::Unknown,
        severity: Input::Unknown,
    };
    let desired = input.validate(&mut findings).unwrap();
    assert_eq!(desired.matcher, Field::Unknown);
    assert_eq!(DeadmanSwitch::known(&desired), None);
    assert!(findings.is_valid());
}

fn target(kind: &str, username: Option<&str>) -> TargetSpec {
    TargetSpec { kind: kind.to_owned(), username: username.map(str::to_owned) }
}

fn rule(levels: Vec<LevelSpec>) -> EscalationRuleSpec {
    EscalationRuleSpec { repeat_count: Some(2), fallback_topic: None, levels }
}

fn level(timeout: &str, targets: Vec<TargetSpec>) -> LevelSpec {
    LevelSpec { timeout: timeout.to_owned(), targets }
}

#[test]
fn every_fault_of_a_policy_is_found_at_its_path() {
    let many = vec![target("oncall", None); 21];
    let spec = EscalationRuleSpec {
        repeat_count: Some(101),
        fallback_topic: Some("a\nb".to_owned()),
        levels: vec![
            level("30s", vec![]),
            level("25h", vec![target("user", None), target("oncall", Some("ann"))]),
            level("1h", vec![target("group", None), target("user", Some(""))]),
            level("1m", many),
        ],
    };
    let mut findings = Findings::default();
    assert_eq!(spec.input(given("1")).validate(&mut findings), None);
    let expected = [
        "repeat_count",
        "fallback_topic",
        "levels[0].timeout",
        "levels[0].targets",
        "levels[1].timeout",
        "levels[1].targets[0].username",
        "levels[1].targets[1].username",
        "levels[2].targets[0].kind",
        "levels[2].targets[1].username",
        "levels[3].targets",
    ];
    assert_eq!(paths(&findings.errors), expected);
}

#[test]
fn a_policy_has_one_to_twenty_levels() {
    for (count, ok) in [(0, false), (1, true), (20, true), (21, false)] {
        let spec = rule(vec![level("1m", vec![target("oncall", None)]); count]);
        let mut findings = Findings::default();
        spec.input(given("1")).validate(&mut findings);
        assert_eq!(findings.is_valid(), ok, "{count}");
    }
}

fn ann() -> api::User {
    let text = |text: &str| text.to_owned();
    let (username, email) = (text("ann"), text("ann@example.org"));
    api::User { id: UserId(7), username, email, ntfy_topic: None, created_at: None }
}

#[test]
fn a_policy_reads_back_as_what_was_put() {
    let spec =
        rule(vec![level("90m", vec![target("user", Some(" ann ")), target("oncall", None)])]);
    let desired = spec.input(given("1")).validate(&mut Findings::default()).unwrap();
    let known = EscalationRule::known(&desired).unwrap();
    assert!(known.names_users());
    let policy = known.resolve(&[ann()]).unwrap();
    assert_eq!(policy.levels[0].timeout, "1h30m0s");
    let there = ObservedEscalationRule::from_fact(TeamId(1), &policy, &[ann()]).unwrap();
    assert_eq!(EscalationRule::differences(&desired, &there), Differences::default());
    let gone = ObservedEscalationRule::from_fact(TeamId(1), &policy, &[]).unwrap();
    assert_eq!(gone.levels[0].targets[0].username, None, "in no list");
    assert_eq!(EscalationRule::differences(&desired, &gone).updates, ["levels"]);
}

#[test]
fn an_unknown_user_is_named_at_its_path() {
    let spec = rule(vec![level("1h", vec![target("oncall", None), target("user", Some("bob"))])]);
    let desired = spec.input(given("1")).validate(&mut Findings::default()).unwrap();
    let problems = EscalationRule::known(&desired).unwrap().resolve(&[ann()]).unwrap_err();
    assert_eq!(paths(&problems), ["levels[0].targets[1].username"]);
    assert!(!problems[0].hint.contains("Did you mean"), "ann is somebody else: {problems:?}");
}

#[test]
fn an_unknown_user_is_told_with_names_that_come_near() {
    let spec = rule(vec![level("1h", vec![target("user", Some("Anne"))])]);
    let desired = spec.input(given("1")).validate(&mut Findings::default()).unwrap();
    let problems = EscalationRule::known(&desired).unwrap().resolve(&[ann()]).unwrap_err();
    assert!(problems[0].hint.starts_with("Did you mean \"ann\"? Correct the name"));
    assert!(!problems[0].detail.contains("\"ann\""), "a condition must not change with others");
}

#[test]
fn a_policy_without_levels_is_no_policy() {
    let none = api::Policy { repeat_count: 3, fallback_topic: None, levels: Vec::new() };
    assert_eq!(ObservedEscalationRule::from_fact(TeamId(1), &none, &[]), None);
}

#[test]
fn a_team_scope_needs_a_team_and_no_other_may_have_one() {
    let input = |scope: &str, team_id: Input<String>| ServiceAccountInput {
        name: given("ci"),
        scope: given(scope),
        team_id,
    };
    for (input, expected) in [
        (input("team", given("1")), vec![]),
        (input("team", Input::Unknown), vec![]),
        (input("team", Input::Absent), vec!["team_id"]),
        (input("team", given("")), vec!["team_id"]),
        (input("instance", Input::Absent), vec![]),
        (input("instance", given("")), vec![]),
        (input("instance", given("1")), vec!["team_id"]),
        (input("admin", Input::Absent), vec!["scope"]),
    ] {
        let mut findings = Findings::default();
        input.validate(&mut findings);
        assert_eq!(paths(&findings.errors), expected, "{input:?}");
    }
}

#[test]
fn timeouts_are_between_one_second_and_a_day() {
    let mut findings = Findings::default();
    let input = TimeoutsInput { create: given("1s"), update: given("25h"), delete: given("0s") };
    let timeouts = input.validate(&mut findings);
    assert_eq!(timeouts.create.short(), "1s");
    assert_eq!(paths(&findings.errors), ["timeouts.update", "timeouts.delete"]);
    assert_eq!(Timeouts::default().update.short(), "5m");
}

#[test]
fn a_team_needs_a_name_and_takes_any_groups() {
    let mut findings = Findings::default();
    assert_eq!(TeamInput::default().validate(&mut findings), None);
    assert_eq!(paths(&findings.errors), ["name"]);
    let oidc = Input::Given(OidcInput { member_group: given(""), owner_group: Input::Unknown });
    let desired = TeamInput { name: given(" a "), oidc }.validate(&mut findings).unwrap();
    assert_eq!(desired.member_group, Field::Known(String::new()));
    assert_eq!(desired.owner_group, Field::Unknown);
}

#[test]
fn the_schemas_hold_defaults_bounds_and_what_is_required() {
    let policy = Value::from(schema_for!(EscalationRuleSpec));
    assert_eq!(policy["required"], json!(["levels"]));
    let repeat = &policy["properties"]["repeatCount"];
    assert_eq!((&repeat["minimum"], &repeat["maximum"]), (&json!(0), &json!(100)));
    assert_eq!(repeat["default"], json!(0));
    assert_eq!(policy["properties"]["levels"]["maxItems"], json!(20));
    assert_eq!(
        policy["$defs"]["TargetSpec"]["properties"]["kind"]["enum"],
        json!(["oncall", "user"])
    );
    let switch = Value::from(schema_for!(DeadmanSwitchSpec));
    assert_eq!(switch["required"], json!(["name", "matcher", "timeout"]));
    assert_eq!(switch["properties"]["severity"]["default"], json!("critical"));
    assert_eq!(switch["properties"]["name"]["maxLength"], json!(253));
    let team = Value::from(schema_for!(TeamSpec));
    assert_eq!(team["required"], json!(["name"]));
    assert!(team["properties"]["name"]["description"].as_str().unwrap().contains("unique"));
}
