//! Tests of plans over all kinds.

use proptest::prelude::*;

use super::*;
use crate::api::{AccountScope, Request};
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::model::{
    AlertSource, DeadmanSwitch, DesiredAlertSource, DesiredDeadmanSwitch, DesiredEscalationRule,
    DesiredServiceAccount, DesiredServiceAccountKey, DesiredTeam, DesiredUser, EscalationRule,
    ObservedAlertSource, ObservedDeadmanSwitch, ObservedEscalationRule, ObservedServiceAccount,
    ObservedServiceAccountKey, ObservedTeam, ObservedUser, Scope, ServiceAccount,
    ServiceAccountKey, Team, User,
};
use crate::value::Field;

const OWN: Ownership = Ownership::Recorded;
const FOUND: Ownership = Ownership::Found;
const SHARED: Ownership = Ownership::Shared;
const NOTHING: Policy = Policy { adopt_existing: false, retain: false, rotate: false };
const ADOPT: Policy = Policy { adopt_existing: true, ..NOTHING };
const RETAIN: Policy = Policy { retain: true, ..NOTHING };

fn known<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> Field<T> {
    Field::Known(text.parse().unwrap())
}

fn wanted_switch(matcher: &str, timeout: &str) -> DesiredDeadmanSwitch {
    DesiredDeadmanSwitch {
        team: Field::Known(TeamId(1)),
        name: known("watchdog"),
        matcher: known(matcher),
        timeout: known(timeout),
        severity: known("critical"),
    }
}

fn switch() -> ObservedDeadmanSwitch {
    ObservedDeadmanSwitch {
        team: TeamId(1),
        id: SwitchId(7),
        name: "watchdog ".to_owned(),
        matcher: "b=2,a=1".to_owned(),
        timeout: "1h0m0s".to_owned(),
        severity: "critical".to_owned(),
    }
}

#[test]
fn another_order_or_spelling_never_replaces_a_switch() {
    let wanted = wanted_switch(" a = 1 , b = 2 ", "60m");
    let found = plan::<DeadmanSwitch>(Some(&wanted), Some(&switch()), OWN, NOTHING);
    assert_eq!(found.action, Action::NoOp);
    assert!(found.steps.is_empty() && found.warnings.is_empty());
}

#[test]
fn a_switch_that_differs_is_deleted_and_made_again() {
    let wanted = wanted_switch("a=1", "30m");
    let found = plan::<DeadmanSwitch>(Some(&wanted), Some(&switch()), OWN, NOTHING);
    assert_eq!(found.action, Action::Replace);
    let fields: Vec<_> = found.replace.iter().map(|change| change.field).collect();
    assert_eq!(fields, ["matcher", "timeout"]);
    assert!(found.steps[0].is_delete() && found.steps[1].is_create());
    assert!(found.warnings[0].summary.contains("Not watched"));
}

#[test]
fn whoever_meets_its_own_name_is_told_of_create_before_destroy() {
    use crate::model::Kind;
    for (kind, told) in
        [(Kind::AlertSource, true), (Kind::DeadmanSwitch, true), (Kind::Team, false)]
    {
        let taken = Refusal::Taken { kind, id: "1/7".to_owned(), label: "a".to_owned() };
        let hint = taken.problem().hint;
        assert_eq!(hint.contains("remove create_before_destroy"), told, "{kind:?}: {hint}");
        assert!(hint.contains("choose another name"), "{kind:?}: {hint}");
    }
}

#[test]
fn a_switch_that_was_found_is_replaced_only_with_leave() {
    let wanted = wanted_switch("a=1", "30m");
    let refused = plan::<DeadmanSwitch>(Some(&wanted), Some(&switch()), FOUND, NOTHING);
    assert_eq!(refused.action, Action::Refuse);
    let told = refused.refusal.unwrap().problem();
    assert!(told.text().contains("id = \"1/7\"") && told.text().contains("adopt_existing"));
    assert!(told.hint.contains("remove create_before_destroy"));
    let allowed = plan::<DeadmanSwitch>(Some(&wanted), Some(&switch()), FOUND, ADOPT);
    assert_eq!(allowed.action, Action::Replace);
    assert_eq!(lint(&allowed, true, FOUND, ADOPT), Ok(()));
    assert_eq!(lint(&allowed, true, FOUND, NOTHING), Err(Broken::TakesForeign));
}

#[test]
fn a_policy_that_says_the_same_is_taken_up_and_another_only_with_leave() {
    let wanted = DesiredEscalationRule {
        team: Field::Known(TeamId(1)),
        repeat_count: Field::Known(2),
        fallback_topic: known("last"),
        levels: Field::Known(Vec::new()),
    };
    let same = ObservedEscalationRule {
        team: TeamId(1),
        repeat_count: 2,
        fallback_topic: "last".to_owned(),
        levels: Vec::new(),
    };
    let found = plan::<EscalationRule>(Some(&wanted), Some(&same), FOUND, NOTHING);
    assert_eq!((found.action, found.steps.len()), (Action::NoOp, 0));
    assert_eq!(found.refusal, None);
    assert_eq!(lint(&found, true, FOUND, NOTHING), Ok(()));
    let other = ObservedEscalationRule { repeat_count: 3, ..same };
    let refused = plan::<EscalationRule>(Some(&wanted), Some(&other), FOUND, NOTHING);
    assert_eq!(refused.action, Action::Refuse);
}

fn wanted_team(name: &str, member: &str) -> DesiredTeam {
    DesiredTeam {
        name: known(name),
        member_group: Field::Known(member.to_owned()),
        owner_group: Field::Known(String::new()),
    }
}

fn team() -> ObservedTeam {
    let none = String::new;
    ObservedTeam {
        id: TeamId(4),
        name: "old".to_owned(),
        member_group: none(),
        owner_group: none(),
    }
}

#[test]
fn a_team_is_renamed_and_its_groups_are_set_in_place() {
    let found = plan::<Team>(Some(&wanted_team("new", "sre")), Some(&team()), OWN, NOTHING);
    assert_eq!((found.action, found.updates.as_slice()), (Action::Update, &["name", "oidc"][..]));
    let requests: Vec<_> =
        found.steps.iter().map(|step| step.request(Context::default()).unwrap()).collect();
    let (name, member, owner) = ("new".to_owned(), "sre".to_owned(), String::new());
    let expected = [
        Request::RenameTeam { team: TeamId(4), name },
        Request::SetGroups { team: TeamId(4), member, owner },
    ];
    assert_eq!(requests, expected);
}

#[test]
fn groups_that_were_set_by_other_means_are_cleared() {
    let there = ObservedTeam { owner_group: "theirs".to_owned(), ..team() };
    let found = plan::<Team>(Some(&wanted_team("old", "")), Some(&there), OWN, NOTHING);
    assert_eq!(found.updates, ["oidc"]);
}

#[test]
fn a_later_step_takes_the_id_that_the_first_one_gave() {
    let found = plan::<Team>(Some(&wanted_team("new", "sre")), None, OWN, NOTHING);
    let [create, groups] = found.steps.as_slice() else { panic!("two steps") };
    assert!(create.is_create());
    assert_eq!(groups.request(Context::default()), Err(StepError::NothingMade));
    let context = Context { made: Some(9), users: &[] };
    let request = groups.request(context).unwrap();
    assert!(matches!(request, Request::SetGroups { team: TeamId(9), .. }));
    let plain = plan::<Team>(Some(&wanted_team("new", "")), None, OWN, NOTHING);
    assert_eq!(plain.steps.len(), 1, "a new team has no groups to clear");
}

#[test]
fn retain_deletes_nothing_and_a_foreign_object_is_never_deleted() {
    let retained = plan::<Team>(None, Some(&team()), OWN, RETAIN);
    assert_eq!((retained.action, retained.steps.len()), (Action::NoOp, 0));
    let foreign = plan::<Team>(None, Some(&team()), FOUND, NOTHING);
    assert_eq!(foreign.action, Action::Refuse);
    let own = plan::<Team>(None, Some(&team()), OWN, NOTHING);
    assert_eq!(own.steps, [Step::DeleteTeam { team: TeamId(4) }]);
    assert_eq!(lint(&own, false, OWN, RETAIN), Err(Broken::DeletesRetained));
    assert_eq!(lint(&own, false, FOUND, ADOPT), Err(Broken::TakesForeign));
}

fn wanted_user(email: &str) -> DesiredUser {
    let ntfy_topic = Field::Known("page-ann".to_owned());
    DesiredUser { username: known("ann"), email: known(email), ntfy_topic }
}

fn user() -> ObservedUser {
    let text = |text: &str| text.to_owned();
    ObservedUser {
        id: UserId(3),
        username: text("ann"),
        email: text("Ann@example.org"),
        ntfy_topic: text(""),
    }
}

#[test]
fn adopting_updates_what_can_be_changed_and_refuses_what_cannot() {
    let wanted = wanted_user("ann@EXAMPLE.org");
    let adopted = plan::<User>(Some(&wanted), Some(&user()), FOUND, ADOPT);
    assert_eq!((adopted.action, adopted.updates.as_slice()), (Action::Adopt, &["ntfy_topic"][..]));
    assert_eq!(adopted.steps.len(), 1);
    let other = plan::<User>(Some(&wanted_user("bob@example.org")), Some(&user()), FOUND, ADOPT);
    assert_eq!(other.action, Action::Refuse);
    assert!(other.refusal.unwrap().problem().detail.contains("email"));
}

#[test]
fn what_another_resource_has_is_neither_adopted_nor_deleted() {
    let wanted = wanted_user("ann@example.org");
    let twin = plan::<User>(Some(&wanted), Some(&user()), SHARED, ADOPT);
    assert_eq!((twin.action, twin.steps.len()), (Action::Refuse, 0));
    let told = twin.refusal.unwrap().problem();
    assert_eq!(told.summary, "Two resources of one name");
    assert!(told.text().contains("\"ann\" (id 3)"), "{told}");
    // Without leave, and where it could not be adopted by anybody, that is what is told.
    for (wanted, policy) in [(wanted, NOTHING), (wanted_user("bob@example.org"), ADOPT)] {
        let alone = plan::<User>(Some(&wanted), Some(&user()), FOUND, policy);
        assert_eq!(plan::<User>(Some(&wanted), Some(&user()), SHARED, policy), alone);
    }
    let kept = plan::<User>(None, Some(&user()), SHARED, NOTHING);
    assert_eq!((kept.action, kept.steps.len()), (Action::NoOp, 0));
    assert!(kept.warnings[0].text().contains("remove create_before_destroy"), "{kept:?}");
    let taken = plan::<User>(None, Some(&user()), OWN, NOTHING);
    assert_eq!(lint(&taken, false, SHARED, ADOPT), Err(Broken::TakesForeign));
}

#[test]
fn a_rotation_replaces_a_source_and_warns_of_its_key() {
    let wanted = DesiredAlertSource {
        team: Field::Known(TeamId(1)),
        kind: known("alertmanager"),
        name: known("prod"),
    };
    let (kind, name) = ("alertmanager".to_owned(), "prod".to_owned());
    let there = ObservedAlertSource { team: TeamId(1), id: IntegrationId(2), kind, name };
    let rotate = Policy { rotate: true, ..NOTHING };
    let found = plan::<AlertSource>(Some(&wanted), Some(&there), OWN, rotate);
    assert_eq!(found.action, Action::Replace);
    assert_eq!(found.replace[0].field, "rotate_when_changed");
    assert!(found.warnings[0].summary.contains("rotates"));
    let adopted = plan::<AlertSource>(Some(&wanted), Some(&there), FOUND, ADOPT);
    assert_eq!(adopted.action, Action::Adopt);
    assert!(adopted.warnings[0].detail.contains("stay null"));
}

#[test]
fn a_key_is_minted_before_its_predecessor_is_revoked() {
    let wanted =
        DesiredServiceAccountKey { account: Field::Known(AccountId(5)), name: known("ci") };
    let name = "old".to_owned();
    let there =
        ObservedServiceAccountKey { account: AccountId(5), id: KeyId(9), name, created_at: None };
    let found = plan::<ServiceAccountKey>(Some(&wanted), Some(&there), OWN, NOTHING);
    assert!(found.steps[0].is_create() && found.steps[1].is_delete());
    assert_eq!(lint(&found, true, OWN, NOTHING), Ok(()));
    let steps = found.steps.iter().rev().cloned().collect();
    let turned = Plan { steps, ..found };
    assert_eq!(lint(&turned, true, OWN, NOTHING), Err(Broken::RevokesFirst));
}

#[test]
fn an_account_that_differs_in_scope_is_replaced() {
    let wanted = DesiredServiceAccount {
        name: known("ci"),
        scope: Field::Known(Scope::Team),
        team: Field::Known(Some(TeamId(2))),
    };
    let name = "ci".to_owned();
    let there = ObservedServiceAccount { id: AccountId(1), name, scope: AccountScope::Instance };
    let found = plan::<ServiceAccount>(Some(&wanted), Some(&there), OWN, NOTHING);
    let fields: Vec<_> = found.replace.iter().map(|change| change.field).collect();
    assert_eq!(fields, ["scope", "team_id"]);
}

#[test]
fn what_a_partial_state_lacks_never_replaces() {
    let none = String::new;
    let there = ObservedDeadmanSwitch {
        name: none(),
        matcher: none(),
        timeout: none(),
        severity: none(),
        ..switch()
    };
    let wanted = wanted_switch("a=1", "1h");
    let found = plan::<DeadmanSwitch>(Some(&wanted), Some(&there), OWN, NOTHING);
    assert_eq!(found.action, Action::NoOp);
}

#[test]
fn what_is_unknown_may_change_and_needs_no_steps_yet() {
    let wanted = DesiredDeadmanSwitch { timeout: Field::Unknown, ..wanted_switch("a=1,b=2", "1h") };
    let found = plan::<DeadmanSwitch>(Some(&wanted), Some(&switch()), OWN, NOTHING);
    assert_eq!((found.action, found.steps.len()), (Action::Replace, 0));
    assert!(!found.replace[0].certain);
}

fn field<T: Clone + std::fmt::Debug + 'static>(
    values: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Field<T>> {
    prop_oneof![4 => values.prop_map(Field::Known), 1 => Just(Field::Unknown)]
}

fn name() -> impl Strategy<Value = crate::value::Name> {
    prop::sample::select(vec!["a", "b", "c d"]).prop_map(|text| text.parse().unwrap())
}

fn group() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "g", "h"]).prop_map(str::to_owned)
}

prop_compose! {
    fn any_wanted_team()(name in field(name()), member_group in field(group()),
        owner_group in field(group())) -> DesiredTeam {
        DesiredTeam { name, member_group, owner_group }
    }
}

prop_compose! {
    fn any_team()(id in 1_i64..9, name in name(), member_group in group(), owner_group in group())
        -> ObservedTeam {
        ObservedTeam { id: TeamId(id), name: name.to_string(), member_group, owner_group }
    }
}

fn matcher() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a=1", "a=1,b=2", " b = 2 , a = 1", "c=3"])
}

fn timeout() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["60m", "1h", "1h0m0s", "90s"])
}

prop_compose! {
    fn any_wanted_switch()(team in field((1_i64..3).prop_map(TeamId)), name in field(name()),
        matcher in field(matcher().prop_map(|text| text.parse().unwrap())),
        timeout in field(timeout().prop_map(|text| text.parse().unwrap())),
        severity in field(prop::sample::select(vec!["critical", "info"])
            .prop_map(|text| text.parse().unwrap()))) -> DesiredDeadmanSwitch {
        DesiredDeadmanSwitch { team, name, matcher, timeout, severity }
    }
}

prop_compose! {
    fn any_switch()(team in 1_i64..3, name in name(), matcher in matcher(), timeout in timeout(),
        severity in prop::sample::select(vec!["critical", "info"])) -> ObservedDeadmanSwitch {
        ObservedDeadmanSwitch {
            team: TeamId(team),
            id: SwitchId(1),
            name: name.to_string(),
            matcher: matcher.to_owned(),
            timeout: timeout.to_owned(),
            severity: severity.to_owned(),
        }
    }
}

prop_compose! {
    fn any_wanted_key()(account in field((1_i64..3).prop_map(AccountId)), name in field(name()))
        -> DesiredServiceAccountKey {
        DesiredServiceAccountKey { account, name }
    }
}

prop_compose! {
    fn any_key()(account in 1_i64..3, name in name()) -> ObservedServiceAccountKey {
        let (account, name) = (AccountId(account), name.to_string());
        ObservedServiceAccountKey { account, id: KeyId(1), name, created_at: None }
    }
}

prop_compose! {
    fn any_policy()(adopt_existing: bool, retain: bool, rotate: bool) -> Policy {
        Policy { adopt_existing, retain, rotate }
    }
}

/// What holds for a plan whatever it is made of.
fn holds<M: Model>(
    wanted: Option<&M::Desired>,
    there: Option<&M::Observed>,
    owner: Ownership,
    policy: Policy,
) -> Result<(), TestCaseError> {
    let made = plan::<M>(wanted, there, owner, policy);
    prop_assert_eq!(lint(&made, wanted.is_some(), owner, policy), Ok(()));
    prop_assert_eq!(made.refusal.is_some(), made.action == Action::Refuse);
    if made.action == Action::Update {
        let all_known = wanted.and_then(M::known).is_some();
        prop_assert_eq!(made.steps.is_empty(), !all_known);
        prop_assert!(made.replace.is_empty() && !made.updates.is_empty());
    }
    let again = plan::<M>(wanted, there, owner, policy);
    prop_assert_eq!(made, again);
    Ok(())
}

proptest! {
    #[test]
    fn no_plan_breaks_a_rule(
        team_wanted in prop::option::of(any_wanted_team()), team in prop::option::of(any_team()),
        switch_wanted in prop::option::of(any_wanted_switch()),
        switch in prop::option::of(any_switch()),
        key_wanted in prop::option::of(any_wanted_key()), key in prop::option::of(any_key()),
        owner in prop::sample::select(vec![OWN, FOUND, SHARED]), policy in any_policy(),
    ) {
        holds::<Team>(team_wanted.as_ref(), team.as_ref(), owner, policy)?;
        holds::<DeadmanSwitch>(switch_wanted.as_ref(), switch.as_ref(), owner, policy)?;
        holds::<ServiceAccountKey>(key_wanted.as_ref(), key.as_ref(), owner, policy)?;
    }

    #[test]
    fn what_was_made_as_wanted_needs_nothing_more(
        team_wanted in any_wanted_team(), switch_wanted in any_wanted_switch(),
    ) {
        if let Some(team) = Team::known(&team_wanted) {
            let (member_group, owner_group) = (team.member_group.clone(), team.owner_group.clone());
            let name = team.name.to_string();
            let there = ObservedTeam { id: TeamId(1), name, member_group, owner_group };
            let next = plan::<Team>(Some(&team_wanted), Some(&there), OWN, NOTHING);
            prop_assert_eq!(next.action, Action::NoOp);
        }
        if let Some(switch) = DeadmanSwitch::known(&switch_wanted) {
            let there = ObservedDeadmanSwitch {
                team: switch.team,
                id: SwitchId(1),
                name: switch.name.to_string(),
                matcher: switch.matcher.canonical(),
                timeout: switch.timeout.to_string(),
                severity: switch.severity.to_string(),
            };
            let next = plan::<DeadmanSwitch>(Some(&switch_wanted), Some(&there), OWN, NOTHING);
            prop_assert_eq!(next.action, Action::NoOp);
        }
    }
}
