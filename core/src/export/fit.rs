//! Whether a text can mean just what is there, and which.
//!
//! Both writers ask it for each object. What core's validation refuses, or what a plan would change
//! right away, is not written: taking an object up must change nothing.

use std::fmt::Display;

use crate::api::{Account, AccountScope, ApiKey, Integration, Policy, Switch, Team, User};
use crate::ids::{AccountId, TeamId};
use crate::model::{
    AlertSource, AlertSourceSpec, DeadmanSwitch, DeadmanSwitchSpec, EscalationRule,
    EscalationRuleSpec, LevelSpec, Model, ObservedAlertSource, ObservedDeadmanSwitch,
    ObservedEscalationRule, ObservedLevel, ObservedServiceAccount, ObservedServiceAccountKey,
    ObservedTarget, ObservedTeam, ObservedUser, OidcSpec, ServiceAccount, ServiceAccountInput,
    ServiceAccountKey, ServiceAccountKeyInput, ServiceAccountKeySpec, ServiceAccountSpec,
    TargetSpec, TeamInput, TeamSpec, UserInput, UserSpec,
};
use crate::problem::{Findings, Problem};
use crate::value::{GoDuration, Input};

/// What an object is written as, or why it is not.
pub(super) type Fit<S> = Result<S, String>;

pub(super) fn team(team: &Team) -> Fit<TeamSpec> {
    let (member_group, owner_group) =
        (team.oidc_member_group.clone(), team.oidc_owner_group.clone());
    let any = member_group.is_some() || owner_group.is_some();
    let oidc = any.then_some(OidcSpec { member_group, owner_group });
    let spec = TeamSpec { name: team.name.clone(), oidc };
    let validated = |findings: &mut Findings| TeamInput::from(&spec).validate(findings);
    same::<crate::model::Team>(validated, &ObservedTeam::from(team))?;
    Ok(spec)
}

pub(super) fn user(user: &User) -> Fit<UserSpec> {
    let spec = UserSpec {
        username: user.username.clone(),
        email: user.email.clone(),
        ntfy_topic: user.ntfy_topic.clone(),
    };
    let validated = |findings: &mut Findings| UserInput::from(&spec).validate(findings);
    same::<crate::model::User>(validated, &ObservedUser::from(user))?;
    Ok(spec)
}

pub(super) fn rule(team: TeamId, policy: &Policy, users: &[User]) -> Fit<EscalationRuleSpec> {
    let observed = ObservedEscalationRule::from_fact(team, policy, users);
    let observed = observed.ok_or_else(|| "it has no levels".to_owned())?;
    let nobody = |target: &ObservedTarget| target.kind == "user" && target.username.is_none();
    if observed.levels.iter().flat_map(|level| &level.targets).any(nobody) {
        return Err("it pages somebody who is in no list of people".to_owned());
    }
    let spec = EscalationRuleSpec {
        repeat_count: Some(observed.repeat_count).filter(|count| *count != 0),
        fallback_topic: policy.fallback_topic.clone(),
        levels: observed.levels.iter().map(level).collect(),
    };
    let validated = |findings: &mut Findings| spec.input(given(team)).validate(findings);
    same::<EscalationRule>(validated, &observed)?;
    Ok(spec)
}

fn level(level: &ObservedLevel) -> LevelSpec {
    let target = |target: &ObservedTarget| TargetSpec {
        kind: target.kind.clone(),
        username: target.username.clone(),
    };
    let targets = level.targets.iter().map(target).collect();
    LevelSpec { timeout: duration(&level.timeout), targets }
}

pub(super) fn switch(team: TeamId, switch: &Switch) -> Fit<DeadmanSwitchSpec> {
    present("severity", &switch.severity)?;
    let spec = DeadmanSwitchSpec {
        name: switch.name.clone(),
        matcher: switch.matcher.clone(),
        timeout: duration(&switch.timeout),
        severity: Some(switch.severity.clone()),
    };
    let validated = |findings: &mut Findings| spec.input(given(team)).validate(findings);
    same::<DeadmanSwitch>(validated, &ObservedDeadmanSwitch::from_fact(team, switch))?;
    Ok(spec)
}

pub(super) fn source(team: TeamId, source: &Integration) -> Fit<AlertSourceSpec> {
    present("kind", &source.kind)?;
    let spec = AlertSourceSpec { kind: Some(source.kind.clone()), name: source.name.clone() };
    let validated = |findings: &mut Findings| spec.input(given(team)).validate(findings);
    same::<AlertSource>(validated, &ObservedAlertSource::from_fact(team, source))?;
    Ok(spec)
}

pub(super) fn account(account: &Account) -> Fit<ServiceAccountSpec> {
    let (scope, team_id) = match &account.scope {
        AccountScope::Instance => ("instance", None),
        AccountScope::Team(team) => ("team", Some(team.to_string())),
        AccountScope::Other(scope) => (scope.as_str(), None),
    };
    let scope = scope.to_owned();
    let spec = ServiceAccountSpec { name: account.name.clone(), scope, team_id };
    let input = ServiceAccountInput {
        name: given(&spec.name),
        scope: given(&spec.scope),
        team_id: spec.team_id.clone().into(),
    };
    let validated = |findings: &mut Findings| input.validate(findings);
    same::<ServiceAccount>(validated, &ObservedServiceAccount::from(account))?;
    Ok(spec)
}

pub(super) fn key(account: AccountId, key: &ApiKey) -> Fit<ServiceAccountKeySpec> {
    present("name", &key.name)?;
    let (service_account_id, name) = (account.to_string(), Some(key.name.clone()));
    let input =
        ServiceAccountKeyInput { service_account_id: given(account), name: given(&key.name) };
    let validated = |findings: &mut Findings| input.validate(findings);
    same::<ServiceAccountKey>(validated, &ObservedServiceAccountKey::from_fact(account, key))?;
    Ok(ServiceAccountKeySpec { service_account_id, name })
}

fn given(value: impl Display) -> Input<String> {
    Input::Given(value.to_string())
}

/// As people write it; what is no duration stays, and is refused.
fn duration(text: &str) -> String {
    text.parse::<GoDuration>().map_or_else(|_| text.to_owned(), GoDuration::short)
}

/// A text that the server has no word for would get its default.
fn present(field: &str, text: &str) -> Fit<()> {
    if text.is_empty() { Err(format!("the server says no {field}")) } else { Ok(()) }
}

/// Whether a wish is valid, and means what is there.
fn same<M: Model>(
    validated: impl FnOnce(&mut Findings) -> Option<M::Desired>,
    observed: &M::Observed,
) -> Fit<()> {
    let mut findings = Findings::default();
    let Some(desired) = validated(&mut findings).filter(|_| findings.is_valid()) else {
        let told: Vec<_> = findings.errors.iter().map(Problem::text).collect();
        return Err(told.join(" "));
    };
    let differences = M::differences(&desired, observed);
    let replaced = differences.replace.iter().map(|change| change.field);
    let fields: Vec<_> = replaced.chain(differences.updates).collect();
    if fields.is_empty() {
        return Ok(());
    }
    Err(format!("no configuration means what the server says of {}", fields.join(", ")))
}
