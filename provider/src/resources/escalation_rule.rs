//! `terdut_escalation_rule`: who is paged, in which order, how long each time.
//!
//! A team has one or none, so its id is its team's and making it overwrites: what stands there
//! before is looked at first. People are named; their ids are the API's matter.

use std::collections::BTreeSet;

use terdut_client::Caller;
use terdut_client::execute::{Found, Made};
use terdut_core::api::{Policy, Reply, Request};
use terdut_core::claims::Claim;
use terdut_core::error::ApiError;
use terdut_core::ids::TeamId;
use terdut_core::model::{
    DesiredEscalationRule, EscalationRule, EscalationRuleInput, EscalationRuleSpec, Kind,
    LevelInput, Model as _, ObservedEscalationRule, ObservedLevel, ObservedTarget, TargetInput,
};
use terdut_core::problem::Findings;
use terdut_core::value::{GoDuration, Input, Name};
use terdut_plugin::attr::Attr;
use terdut_plugin::schema::Schema;

use crate::attributes::{adopt_existing, id, input, parsed, team_id};
use crate::equality::same;
use crate::object::outlook::Outlook;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A team's escalation rule.
    pub struct EscalationRuleModel {
        pub id: Attr<String>,
        pub team_id: Attr<String>,
        pub repeat_count: Attr<i64>,
        pub fallback_topic: Attr<String>,
        pub levels: Attr<Vec<Attr<LevelModel>>>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }

    /// A step of the rule.
    pub struct LevelModel {
        pub timeout: Attr<String>,
        pub targets: Attr<Vec<Attr<TargetModel>>>,
    }

    /// Who a step pages.
    pub struct TargetModel {
        pub kind: Attr<String>,
        pub username: Attr<String>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct EscalationRuleObject;

impl Object for EscalationRuleObject {
    type Model = EscalationRuleModel;
    type Core = EscalationRule;

    const PATH: &'static [(&'static str, Kind)] = &[("team_id", Kind::EscalationRule)];
    const REPLACED_BY: Option<&'static str> = None;

    fn schema() -> Schema {
        let spec = Spec::of::<EscalationRuleSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the escalation rule: its team's."))
            .attribute(team_id())
            .attributes(spec.attributes(|path, attribute| match path {
                "levels.timeout" => attribute.equal_by(same::<GoDuration>),
                "levels.targets.username" => attribute.equal_by(same::<Name>),
                _ => attribute,
            }))
            .attribute(adopt_existing().describe(
                "Overwrite the rule that the team has already, instead of failing. It counts only \
                 while the object is created.",
            ))
            .attribute(timeouts::attribute())
    }

    fn desired(
        model: &EscalationRuleModel,
        findings: &mut Findings,
    ) -> Option<DesiredEscalationRule> {
        let wanted = EscalationRuleInput {
            team_id: input(&model.team_id),
            repeat_count: input(&model.repeat_count),
            fallback_topic: input(&model.fallback_topic),
            levels: each(&model.levels, level_input),
        };
        wanted.validate(findings)
    }

    fn stored(state: &EscalationRuleModel) -> Option<ObservedEscalationRule> {
        let levels = state.levels.clone().unwrap_or_default();
        Some(ObservedEscalationRule {
            team: parsed(&state.team_id).or_else(|| parsed(&state.id))?,
            repeat_count: state.repeat_count.unwrap_or_default(),
            fallback_topic: state.fallback_topic.clone().unwrap_or_default(),
            levels: levels.into_iter().map(Attr::unwrap_or_default).map(stored_level).collect(),
        })
    }

    fn fill(state: &mut EscalationRuleModel, observed: &ObservedEscalationRule) {
        state.id.set(observed.team.to_string());
        state.team_id.set(observed.team.to_string());
        state.repeat_count.set(observed.repeat_count);
        state.fallback_topic = crate::attributes::optional(&observed.fallback_topic);
        state.levels.set(observed.levels.iter().map(|level| level_model(level).into()).collect());
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedEscalationRule,
    ) -> Result<Option<ObservedEscalationRule>, ApiError> {
        match lookup::policy_of(caller, stored.team).await? {
            Some(policy) => observed(caller, stored.team, &policy).await,
            None => Ok(None),
        }
    }

    /// A rule is not made by a POST: [`Object::occupant`] finds what stands there.
    fn found(_found: Found, _wanted: &EscalationRuleModel) -> Option<ObservedEscalationRule> {
        None
    }

    fn settle(state: &mut EscalationRuleModel, _made: Option<Made>) {
        state.id = state.team_id.clone();
    }

    fn foresee(outlook: &Outlook, planned: &EscalationRuleModel) {
        if let (Some(team), Some(people)) = (planned.team_id.as_deref(), people(planned)) {
            outlook.rule(team, people);
        }
    }

    fn claim(wanted: &EscalationRule, server: &str) -> Option<Claim> {
        let (server, parent) = (server.to_owned(), Some(wanted.team.0));
        Some(Claim { server, parent, kind: EscalationRule::KIND, name: String::new() })
    }

    async fn occupant(
        caller: &Caller,
        wanted: &EscalationRule,
    ) -> Result<Option<ObservedEscalationRule>, ApiError> {
        let team = wanted.team;
        match caller.call_fresh(Request::GetPolicy { team }).await? {
            Reply::Policy(Some(policy)) => observed(caller, team, &policy).await,
            _ => Ok(None),
        }
    }
}

/// The policy with names for its people's ids. Without any, the list of people is not read.
async fn observed(
    caller: &Caller,
    team: TeamId,
    policy: &Policy,
) -> Result<Option<ObservedEscalationRule>, ApiError> {
    let without = ObservedEscalationRule::from_fact(team, policy, &[]);
    let is_person = |target: &ObservedTarget| target.kind != "oncall";
    let names_people = |rule: &ObservedEscalationRule| {
        rule.levels.iter().flat_map(|level| &level.targets).any(is_person)
    };
    if !without.as_ref().is_some_and(names_people) {
        return Ok(without);
    }
    let people = lookup::users(caller).await?;
    Ok(ObservedEscalationRule::from_fact(team, policy, &people))
}

/// The names in a rule, if all of them are known.
fn people(rule: &EscalationRuleModel) -> Option<BTreeSet<String>> {
    let mut people = BTreeSet::new();
    for level in rule.levels.known()? {
        for target in level.known()?.targets.known()? {
            match &target.known()?.username {
                Attr::Unknown => return None,
                Attr::Null => {}
                Attr::Known(name) => drop(people.insert(name.trim().to_owned())),
            }
        }
    }
    Some(people)
}

fn each<M: Clone, T>(list: &Attr<Vec<Attr<M>>>, convert: impl Fn(&M) -> T) -> Input<Vec<Input<T>>> {
    input(list).map(|list| list.iter().map(|one| input(one).map(|one| convert(&one))).collect())
}

fn level_input(level: &LevelModel) -> LevelInput {
    LevelInput { timeout: input(&level.timeout), targets: each(&level.targets, target_input) }
}

fn target_input(target: &TargetModel) -> TargetInput {
    TargetInput { kind: input(&target.kind), username: input(&target.username) }
}

fn stored_level(level: LevelModel) -> ObservedLevel {
    let targets = level.targets.unwrap_or_default();
    ObservedLevel {
        timeout: level.timeout.unwrap_or_default(),
        targets: targets.into_iter().map(Attr::unwrap_or_default).map(stored_target).collect(),
    }
}

fn stored_target(target: TargetModel) -> ObservedTarget {
    let username = target.username.into_known().filter(|name| !name.is_empty());
    ObservedTarget { kind: target.kind.unwrap_or_default(), username }
}

fn level_model(level: &ObservedLevel) -> LevelModel {
    let targets = level.targets.iter().map(|target| Attr::Known(target_model(target)));
    LevelModel { timeout: level.timeout.clone().into(), targets: Attr::Known(targets.collect()) }
}

fn target_model(target: &ObservedTarget) -> TargetModel {
    TargetModel { kind: target.kind.clone().into(), username: target.username.clone().into() }
}

#[cfg(test)]
mod tests {
    use terdut_core::api::{Level, Target};
    use terdut_core::ids::UserId;
    use terdut_core::plan::{self, Action, Ownership, Policy as Allowed};

    use super::*;

    fn policy(targets: Vec<Target>) -> Policy {
        let levels = vec![Level { timeout: "1h0m0s".into(), targets }];
        Policy { repeat_count: 2, fallback_topic: None, levels }
    }

    fn read(targets: Vec<Target>) -> EscalationRuleModel {
        let observed = ObservedEscalationRule::from_fact(TeamId(42), &policy(targets), &[]);
        let mut state = EscalationRuleModel::default();
        EscalationRuleObject::fill(&mut state, &observed.unwrap());
        state
    }

    fn wanted(target: TargetModel) -> EscalationRuleModel {
        let targets = Attr::Known(vec![Attr::Known(target)]);
        let level = LevelModel { timeout: "60m".into(), targets };
        EscalationRuleModel {
            team_id: "42".into(),
            repeat_count: Attr::Known(2),
            fallback_topic: "".into(),
            levels: Attr::Known(vec![Attr::Known(level)]),
            ..EscalationRuleModel::default()
        }
    }

    fn action(wanted: &EscalationRuleModel, state: &EscalationRuleModel) -> Action {
        let desired = EscalationRuleObject::desired(wanted, &mut Findings::default());
        let stored = EscalationRuleObject::stored(state);
        let (ours, allowed) = (Ownership::Recorded, Allowed::default());
        plan::plan::<EscalationRule>(desired.as_ref(), stored.as_ref(), ours, allowed).action
    }

    #[test]
    fn a_rule_is_known_by_its_team_and_its_spelling_is_not_its_meaning() {
        let state = read(vec![Target::OnCall]);
        assert_eq!((state.id.as_deref(), state.team_id.as_deref()), (Some("42"), Some("42")));
        assert_eq!(state.fallback_topic, Attr::Null);
        let oncall = TargetModel { kind: "oncall".into(), username: "".into() };
        assert_eq!(action(&wanted(oncall), &state), Action::NoOp);
    }

    #[test]
    fn a_person_in_no_list_has_no_name_and_is_put_again() {
        let state = read(vec![Target::User(UserId(7))]);
        let levels = state.levels.known().unwrap();
        let targets = &levels.first().and_then(Attr::known).unwrap().targets;
        let named = TargetModel { kind: "user".into(), username: Attr::Null };
        assert_eq!(*targets, Attr::Known(vec![Attr::Known(named)]));
        let ada = TargetModel { kind: "user".into(), username: "ada".into() };
        assert_eq!(action(&wanted(ada), &state), Action::Update);
    }

    #[test]
    fn the_names_in_a_rule_are_told_only_if_all_are_known() {
        let of =
            |username: Attr<String>| people(&wanted(TargetModel { kind: "user".into(), username }));
        assert_eq!(of(" ada ".into()), Some(BTreeSet::from(["ada".to_owned()])));
        assert_eq!(of(Attr::Null), Some(BTreeSet::new()));
        assert_eq!(of(Attr::Unknown), None);
        assert_eq!(people(&EscalationRuleModel::default()), None);
    }

    #[test]
    fn every_fault_is_told_at_its_place_in_one_run() {
        let mut findings = Findings::default();
        let mut model = wanted(TargetModel { kind: "user".into(), username: Attr::Null });
        model.repeat_count = Attr::Known(101);
        EscalationRuleObject::desired(&model, &mut findings);
        let paths: Vec<_> = findings.errors.iter().map(|one| one.path.to_string()).collect();
        assert_eq!(paths, ["repeat_count", "levels[0].targets[0].username"]);
        assert!(findings.errors.iter().any(|one| one.detail.contains("levels[0].targets[0]")));
    }
}
